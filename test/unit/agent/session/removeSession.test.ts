import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { UserFacing } from '../../../../src/base/errors.ts';
import { homeAt } from '../../../../src/storage/home.ts';
import { SyntheticJournal } from '../../../bench/syntheticJournal.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventually, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

describe('removal of one session', () => {
  let here: TestEngine;
  beforeEach(async () => {
    here = await testEngine(new ScriptedModel(() => 'hang'));
  });
  afterEach(() => here.dispose());

  it('moves nothing of a session that works, and removes it once it is stopped', async () => {
    const { retention, sessions } = here.engine;
    const session = await here.start();
    await eventually(session, 'model.requested');
    assert.equal(await retention.obstacle(session.id), 'it is working');
    await assert.rejects(retention.remove(session.id), UserFacing);
    assert.ok(existsSync(path.join(session.folder, 'journal.jsonl')));
    await session.stop();
    assert.equal(await retention.obstacle(session.id), undefined);
    assert.deepEqual(await retention.remove(session.id), []);
    assert.equal(existsSync(session.folder), false);
    assert.deepEqual(await sessions.list(), []);
    assert.deepEqual(sessions.open(), []);
  });

  it('removes what a process left unfinished, but not while a run of it is active', async () => {
    const { retention, sessions } = here.engine;
    const home = homeAt(here.home);
    const [left, active] = [new SyntheticJournal('left'), new SyntheticJournal('active')];
    active.run();
    await left.write(home);
    await active.write(home);
    assert.deepEqual(await retention.remove(left.sessionId), []);
    await assert.rejects(retention.remove(active.sessionId), /a run is active/);
    assert.deepEqual(
      (await sessions.list()).map(({ goal }) => goal),
      ['active'],
    );
  });
});
