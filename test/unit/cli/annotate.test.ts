/** Tags and notes of the user on runs, written from a terminal while another process owns the session. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Session } from '../../../src/agent/contract/sessions.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { eventsOf, eventually, testEngine, type TestEngine } from '../../fakes/testEngine.ts';

const launch = {
  name: 'remote_exec_background',
  input: { command: 'echo loss=0.5; echo loss=0.25', metric_names: ['loss'] },
};
const wait = {
  name: 'sleep',
  input: { reason: 'nothing to do', wake_conditions: [{ type: 'timer', minutes: 60 }] },
};
const show = { name: 'show_metrics', input: { metric_names: ['loss'] } };

describe('tags and notes on a run', () => {
  const folder = scratchFolder();
  let bed: TestEngine;
  let session: Session;
  let model: ScriptedModel;
  let handle = '';

  beforeEach(async () => {
    model = new ScriptedModel([[launch], [wait], [show], [wait], [wait]]);
    bed = await testEngine(model, { folder: folder() });
    session = await bed.start();
    const { process } = await eventually(session, 'run.started');
    handle = `local:${process.pid}`;
    await eventually(session, 'run.ended');
  });
  afterEach(() => bed.dispose());

  const helios = async (...argv: string[]): Promise<FakeDeps & { code: number }> => {
    const deps = fakeDeps({ folder: folder() });
    return Object.assign(deps, { code: await runCli(argv, deps) });
  };
  const annotation = () => session.state.runs.values().next().value?.annotation;

  it('are recorded, changed and removed', async () => {
    const tagged = await helios('tag', handle, 'good,base', 'good');
    assert.deepEqual([tagged.code, tagged.stdout.text], [0, 'Run 1: good base.\n']);
    const noted = await helios('annotate', handle, 'needs a\nlonger', '\u001b[31mwarmup');
    assert.equal(noted.stdout.text, 'Run 1: good base · “needs a longer warmup”.\n');
    assert.deepEqual(annotation(), { tags: ['good', 'base'], note: 'needs a longer warmup' });
    await helios('tag', handle, 'base', '--remove');
    await helios('tag', handle, 'good');
    assert.equal(eventsOf(session, 'run.annotated').length, 3, 'nothing new, no event');
    assert.equal((await helios('annotate', handle)).stdout.text, 'Run 1: good.\n');
    assert.match((await helios('tag', 'local:1', 'good')).stderr.text, /There is no run local:1/);
    const many = Array.from({ length: 20 }, (_, index) => `t${index}`);
    assert.match((await helios('tag', handle, ...many)).stderr.text, /up to 20 tags/);
    assert.deepEqual(annotation()?.tags, ['good']);
  });

  it('are written to a session that nobody works on, and do not make it newer', async () => {
    const runId = [...session.state.runs.keys()][0] ?? assert.fail();
    await session.stop();
    const { lastEventMs } = session.state;
    await bed.engine.sessions.release(session.id);
    assert.equal((await helios('annotate', runId, 'the best so far')).code, 0);
    const { state, ledger } = await bed.engine.sessions.read(session.id);
    assert.equal(state.lastEventMs, lastEventMs);
    assert.equal(ledger.rows[0]?.annotation?.note, 'the best so far');
    assert.equal((await bed.engine.sessions.search('best so far'))[0]?.kind, 'note');
    const unknown = { kind: 'annotate', runIds: ['r-unknown'], note: 'x' } as unknown;
    await assert.rejects(bed.engine.requests.send(session.id, unknown as never), /no run/);
  });

  it('are in the exported ledger, without secrets', async () => {
    const secret = `sk-ant-api03-${'Ab3xY9'.repeat(12)}`;
    await helios('tag', handle, 'good');
    await helios('annotate', handle, 'made with', secret);
    const { stdout } = await helios('export', '--what', 'ledger', '--format', 'json');
    const [row] = JSON.parse(stdout.text) as readonly { tags: string; note: string }[];
    assert.equal(row?.tags, 'good');
    assert.match(row.note, /^made with /);
    assert.ok(!stdout.text.includes(secret));
  });

  it('are shown to the model as words of the user', async () => {
    await helios('tag', handle, 'good');
    await helios('annotate', handle, 'needs a longer warmup');
    await session.say('Go on.');
    await eventually(session, 'tool.finished', ({ name }) => name === 'show_metrics');
    const told = eventsOf(session, 'tool.finished').find(({ name }) => name === 'show_metrics');
    assert.match(told?.text ?? '', /"tags_of_user":"good","note_of_user":"needs a longer warmup"/);
  });
});
