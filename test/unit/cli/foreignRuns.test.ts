import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Session } from '../../../src/agent/contract/sessions.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { eventually, testEngine, type TestEngine } from '../../fakes/testEngine.ts';

const launch = (command: string) => [
  { name: 'remote_exec_background', input: { command, metric_names: ['loss'] } },
];
const wait = (run: number) => [
  {
    name: 'sleep',
    input: { reason: 'training', wake_conditions: [{ type: 'process_exit', run }] },
  },
];
const done = [
  {
    name: 'finish',
    input: { outcome: 'goal_met', summary: 'done', evidence: [{ run: '1', metric: 'loss' }] },
  },
];

describe('runs and sessions of another process', () => {
  const folder = scratchFolder();
  let bed: TestEngine;
  let session: Session;
  let handle = '';

  beforeEach(async () => {
    const command = 'echo loss=0.5; while [ ! -e go ]; do sleep 0.05; done; echo loss=0.25';
    bed = await testEngine(new ScriptedModel([launch(command), wait(1), done]), {
      folder: folder(),
    });
    session = await bed.start();
    const { process } = await eventually(session, 'run.started');
    handle = `local:${process.pid}`;
  });
  afterEach(() => bed.dispose());

  const world = (): FakeDeps => fakeDeps({ folder: folder() });
  const helios = async (...argv: string[]): Promise<FakeDeps & { code: number }> => {
    const of = world();
    return Object.assign(of, { code: await runCli(argv, of) });
  };

  it('are watched: output as it comes, metrics and the end', async () => {
    const of = world();
    const watching = runCli(['watch', handle], of);
    await until('the first line', () => of.stdout.text.includes('loss=0.5'));
    await bed.engine.machines.get('local').writeFile(path.join(bed.work, 'go'), Buffer.from(''));
    assert.equal(await watching, 0);
    assert.match(of.stdout.text, /^Run 1 .*\nloss=0\.5\nloss=0\.25\nok after .* · loss 0\.25\n$/s);
    assert.equal((await eventually(session, 'run.ended')).metrics[0]?.count, 2);
  });

  it('are left alone by who leaves', async () => {
    const of = world();
    const watching = runCli(['watch', handle], of);
    await until('the first line', () => of.stdout.text.includes('loss=0.5'));
    of.interrupts.fire();
    assert.equal(await watching, 130);
    assert.equal(session.state.runs.values().next().value?.verdict, undefined);
    await session.stop({ killRuns: true });
  });

  it('are ended, and their owner records it', async () => {
    const { code, stdout } = await helios('kill', handle);
    assert.equal(code, 0);
    assert.match(stdout.text, /^Run 1 has ended\..* records it\.\n$/);
    assert.deepEqual((await eventually(session, 'run.ended')).verdict, { kind: 'killed' });
    const again = await helios('kill', handle);
    assert.match(again.stdout.text, /has already ended: killed/);
  });

  it('are ended and recorded where nobody works on the session', async () => {
    await bed.engine.close();
    const { code, stdout } = await helios('kill', handle);
    assert.equal(code, 0);
    assert.match(stdout.text, /has ended, recorded as killed/);
    const { stdout: replay } = await helios('replay');
    assert.match(replay.text, /Run 1: killed/);
    const { stdout: list } = await helios('sessions', '--json');
    assert.equal((JSON.parse(list.text) as { going: number }[])[0]?.going, 0);
  });

  it('are told of as they go on, to the end', async () => {
    const of = world();
    const watching = runCli(['watch', session.id], of);
    await until('the goal', () => of.stdout.text.includes('Goal: bring loss < 1'));
    await session.stop({ killRuns: true });
    assert.equal(await watching, 2);
    assert.match(of.stdout.text, /Run 1: killed/);
  });
});
