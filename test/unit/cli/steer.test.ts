/** Steers a session of one process from another, through files in its folder. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Session } from '../../../src/agent/contract/sessions.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { eventsOf, eventually, testEngine, type TestEngine } from '../../fakes/testEngine.ts';

const ask = {
  name: 'ask_user',
  input: { question: 'Which split?', options: ['val', 'test'], default: 'val' },
};
const wait = {
  name: 'sleep',
  input: { reason: 'nothing to do', wake_conditions: [{ type: 'timer', minutes: 60 }] },
};

describe('a session steered from another terminal', () => {
  const folder = scratchFolder();
  let bed: TestEngine;
  let session: Session;
  let model: ScriptedModel;

  beforeEach(async () => {
    model = new ScriptedModel((_request, index) => (index === 0 ? [ask, wait] : [wait]));
    bed = await testEngine(model, { folder: folder() });
    session = await bed.start({ budget: { turns: 40 } });
    await eventually(session, 'sleep.started');
  });
  afterEach(() => bed.dispose());

  const helios = async (...argv: string[]): Promise<FakeDeps & { code: number }> => {
    const deps = fakeDeps({ folder: folder() });
    return Object.assign(deps, { code: await runCli(argv, deps) });
  };

  it('reads a message, and wakes for it', async () => {
    const { code, stdout } = await helios('say', '1', 'Try', 'a', 'lower', 'rate.');
    assert.equal(code, 0);
    assert.match(stdout.text, /^Sent\./);
    await eventually(session, 'model.replied', ({ turn }) => turn >= 2);
    assert.match(JSON.stringify(model.requests[1]?.messages), /Try a lower rate\./);
    const said = eventsOf(session, 'message.added').filter(({ origin }) => origin === 'person');
    assert.equal(said.length, 1, 'the message was added once');
  });

  it('takes an answer, and refuses one to a question that is not open', async () => {
    const wrong = await helios('answer', '1', 'q7', 'test');
    assert.deepEqual([wrong.code, wrong.stdout.text], [1, '']);
    assert.match(wrong.stderr.text, /There is no question q7\.\s+Open questions: q1\./);
    assert.equal((await helios('answer', '1', 'q1', 'test')).stdout.text, 'Answered q1.\n');
    assert.equal((await eventually(session, 'question.answered')).answer, 'test');
  });

  it('shows the target, and how to change it', async () => {
    const shown = await bed.engine.requests.send(session.id, { kind: 'target', text: '' });
    assert.match(
      shown,
      /^(?:The target is .*To change it|No target was read.*State one): \/target /,
    );
    const set = { kind: 'target', text: 'val_loss < 0.3, best, mean over 3 seeds' } as const;
    const said = await bed.engine.requests.send(session.id, set);
    assert.match(said, /mean over 3 seeds \(best value of each run\)/);
  });

  it('takes the commands of a typed line in a message', async () => {
    const { code, stdout } = await helios('say', '1', '/target val_loss < 0.3');
    assert.equal(code, 0);
    assert.match(stdout.text, /val_loss < 0\.3/);
    assert.equal(session.state.target?.conditions[0]?.value, 0.3);
    const unknown = await helios('say', '1', '/tarket val_loss < 0.3');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr.text, /\/target/);
    const said = eventsOf(session, 'message.added').filter(({ text }) => text.startsWith('/'));
    assert.deepEqual(said, []);
  });

  it('pins and unpins notes', async () => {
    assert.equal(
      (await helios('pin', '1', 'Never touch data.py')).stdout.text,
      'Pinned as sticky 1.\n',
    );
    assert.deepEqual([...session.state.stickies.values()], ['Never touch data.py']);
    assert.equal((await helios('pin', '1', '--remove', '1')).stdout.text, 'Removed sticky 1.\n');
    assert.equal(session.state.stickies.size, 0);
    assert.match((await helios('pin', '1', '--remove', '1')).stderr.text, /There is no sticky 1/);
    assert.match((await helios('pin', '1')).stderr.text, /The text is empty/);
  });

  it('gets a title, which lists show in place of the goal, open or not', async () => {
    const { goal } = session.state;
    assert.equal((await helios('rename', '1', 'Night', ' 1\n')).stdout.text, 'Renamed.\n');
    assert.equal(session.state.title, 'Night 1');
    await session.label({ kind: 'rename', title: 'Night 1' });
    assert.equal(eventsOf(session, 'session.renamed').length, 1);
    assert.match((await helios('sessions')).stdout.text, /Night 1/);
    await session.stop();
    const { lastEventMs } = session.state;
    await bed.engine.sessions.release(session.id);
    let changes = 0;
    bed.engine.sessions.onDidChange(() => (changes += 1));
    const request = { kind: 'rename', title: 'Closed' } as const;
    assert.equal(await bed.engine.requests.send(session.id, request), 'Renamed.');
    assert.equal(changes, 1);
    const [closed] = await bed.engine.sessions.list();
    assert.deepEqual([closed?.title, closed?.goal], ['Closed', goal]);
    assert.equal(closed?.lastEventMs, lastEventMs, 'an old session stays old');
    assert.equal((await bed.engine.sessions.search('Closed'))[0]?.kind, 'goal');
    assert.match((await helios('rename', '1')).stdout.text, /goal names the session again/);
    assert.equal((await bed.engine.sessions.list())[0]?.title, undefined);
  });

  it('gets other limits, and keeps those that are not named', async () => {
    const { stdout } = await helios('budget', '1', '90 min,', '$0.50 per experiment');
    assert.equal(stdout.text, 'Limits: 90 min · 40 turns · $0.5 per experiment.\n');
    assert.deepEqual(session.state.budget, { minutes: 90, turns: 40, experiment: { usd: 0.5 } });
    assert.match((await helios('budget', '1', 'much')).stderr.text, /much/);
  });

  it('changes its model, and says which it does not know', async () => {
    assert.match((await helios('model', '1', 'scripted-1')).stdout.text, /uses demo scripted-1\./);
    const unknown = await helios('model', '1', 'no-such-model', '-P', 'nobody');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr.text, /nobody/);
  });

  it('is paused, goes on with a message, and is stopped', async () => {
    assert.match((await helios('pause', '1')).stdout.text, /^Paused\./);
    assert.equal(session.state.phase, 'paused');
    await helios('say', '1', 'Go on.');
    await eventually(session, 'model.replied', ({ turn }) => turn >= 2);
    assert.match((await helios('stop', '1')).stdout.text, /^Stopped\. Runs continue\.$/m);
    assert.equal(await session.ended, 'user');
  });

  it('is said to be nobody’s when no process works on it', async () => {
    await bed.engine.close();
    const { code, stderr } = await helios('say', '1', 'Hello?');
    assert.equal(code, 1);
    assert.match(
      stderr.text,
      /No process works on this session\.\s+Continue it first: helios --resume s-/,
    );
  });

  it('imports results of files, which it shows first', async () => {
    const file = path.join(folder(), 'results.tsv');
    writeFileSync(
      file,
      'commit\tloss\tstatus\tdescription\na1\t0.5\tkeep\tone\nb2\t0\tcrash\ttwo\n',
    );
    const preview = await helios('import', 'runs', file);
    assert.match(
      preview.stdout.text,
      /results\.tsv: 2 results of \d{4}-.*, measured outside Helios\n- keep: one · loss 0\.5 · a1\n- crash: two · b2\nNothing was imported/,
    );
    assert.equal(session.state.imports, 0);
    const { stdout, code } = await helios('import', 'runs', file, '--session', '1');
    assert.match(
      stdout.text,
      /^Imported 2 results from .*results\.tsv as i1, measured outside Helios\.\n$/,
    );
    assert.equal(code, 0);
    assert.deepEqual(
      session.state.imported.map(({ id, value }) => [id, value]),
      [
        ['i1#1', 0.5],
        ['i1#2', undefined],
      ],
    );
    const missing = await helios('import', 'runs', `${file}.none`);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr.text, /it does not exist\.\s+Name a file/);
    assert.match(
      (await helios('import', 'runs', file, '--machine', 'nowhere')).stderr.text,
      /nowhere/,
    );
  });
});
