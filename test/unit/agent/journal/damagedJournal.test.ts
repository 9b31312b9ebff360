import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { RecordedMessage } from '../../../../src/agent/context/attachments.ts';
import { buildHistory } from '../../../../src/agent/context/history.ts';
import type { JournalEvent } from '../../../../src/agent/journal/events.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import { ledgerOf } from '../../../../src/agent/runs/sessionLedger.ts';
import { demoNight } from '../../../fakes/demoNight.ts';
import { random } from '../../../fakes/random.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];

/** What every provider asks of a conversation. */
function assertValid(messages: readonly RecordedMessage[], what: string): void {
  assert.equal(messages[0]?.role ?? 'user', 'user', what);
  for (const [index, { role, content }] of messages.entries()) {
    assert.ok(content.length > 0 && role !== messages[index - 1]?.role, what);
    const called = content.flatMap((block) => (block.type === 'tool_call' ? [block.id] : []));
    const next = messages[index + 1]?.content ?? [];
    const answered = next.flatMap((block) => (block.type === 'tool_result' ? [block.callId] : []));
    if (role === 'assistant' && index < messages.length - 1)
      assert.deepEqual(answered, called, what);
  }
}

describe('a damaged journal', () => {
  let bed: TestEngine | undefined;
  afterEach(() => bed?.dispose());

  const night = (): readonly JournalEvent[] => demoNight().source.events();
  const refresh = (events: readonly JournalEvent[], what: string): void => {
    const state = foldSession(events);
    assert.ok(state, what);
    ledgerOf(state, (run) => run.metrics);
    assertValid(buildHistory(events), what);
  };

  it('gives a valid conversation whichever event is lost', () => {
    const events = night();
    for (const [index, { type }] of events.entries())
      if (index > 0) refresh(events.toSpliced(index, 1), `without event ${index}, ${type}`);
  });

  it('gives a valid conversation whatever part of it is lost', () => {
    const next = random(7);
    for (let round = 0; round < 200; round += 1) {
      const share = next() * 0.6;
      const left = night().filter((_event, index) => index === 0 || next() > share);
      refresh(left, `round ${round}`);
    }
  });

  it('is gone on with where its middle is lost', async () => {
    bed = await testEngine(new ScriptedModel([[{ name: 'list_machines', input: {} }], quit]));
    const first = await bed.start();
    assert.equal(await first.ended, 'blocked');
    bed = await bed.restart(new ScriptedModel([quit]));
    const file = path.join(first.folder, 'journal.jsonl');
    const lines = (await readFile(file, 'utf8')).split('\n');
    const torn = lines.map((line) =>
      /"tool\.finished"|"session\.ended"/.test(line) ? '\0'.repeat(40) : line,
    );
    await writeFile(file, torn.join('\n'));
    const again = await bed.engine.sessions.resume(first.id);
    assert.equal(await again.ended, 'blocked');
    assert.equal(eventsOf(again, 'session.ended').length, 1);
    assert.equal((await bed.engine.sessions.read(first.id)).damage.length, 3);
  });

  it('says that its start is lost, and where, and leaves nothing open', async () => {
    bed = await testEngine(new ScriptedModel([quit]));
    const { id, folder, ended } = await bed.start();
    await ended;
    bed = await bed.restart(new ScriptedModel([quit]));
    const file = path.join(folder, 'journal.jsonl');
    const text = await readFile(file, 'utf8');
    await writeFile(file, `${'\0'.repeat(100)}${text.slice(100)}`);
    const said = {
      reason: 'user',
      message: `The start of the session is missing or damaged in ${file}, so it cannot be read or resumed.`,
    };
    await assert.rejects(bed.engine.sessions.read(id), said);
    await assert.rejects(bed.engine.sessions.resume(id), said);
    assert.equal(await bed.engine.sessions.owner(id), undefined);
    assert.deepEqual(await bed.engine.sessions.interrupted(), []);
  });
});
