import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { DisposableStore } from '../../src/base/disposable.ts';
import { SshConnection } from '../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../src/machines/ssh/sshMachine.ts';
import { killedAfter, nanCommand } from '../fakes/nanRun.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { scriptedPrompts, TestSshd } from '../fakes/sshd.ts';
import { eventsOf, eventually, testEngine, type TestEngine } from '../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];

/** Two seconds; longer where more is at work than there are processors for. */
const limitMs = (): number => 2000 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

describe('watchdogs over SSH', function () {
  this.timeout(60_000);
  let sshd: TestSshd;
  let bed: TestEngine | undefined;
  const connections = new DisposableStore();
  before(async () => {
    sshd = await TestSshd.start();
  });
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });
  after(async () => {
    connections.dispose();
    await sshd?.dispose();
  });

  for (const isStubborn of [false, true])
    it(`end every process within two seconds of the first NaN${isStubborn ? ', also one that does not heed TERM' : ''}`, async () => {
      const folder = path.join(sshd.folder, 'home', isStubborn ? 'stubborn' : 'usual');
      await mkdir(folder, { recursive: true });
      const run = { machine_id: 'gpu1', command: nanCommand(folder, isStubborn), metric_names: ['loss'] };
      const sleep = { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }], deadline_minutes: 60 };
      const model = new ScriptedModel([
        [{ name: 'remote_exec_background', input: run }],
        [{ name: 'sleep', input: sleep }],
        quit,
      ]);
      bed = await testEngine(model, {
        createMachine(entry) {
          const connection = connections.add(new SshConnection(sshd.target(), scriptedPrompts()));
          return new SshMachine({ id: entry.id, connection, homeFolder: path.join(sshd.folder, 'home') });
        },
      });
      await bed.engine.machines.add({ id: 'gpu1', kind: 'ssh', host: '127.0.0.1' });
      const session = await bed.start({ goal: 'train a model' });
      const tookMs = await killedAfter(folder);
      assert.ok(tookMs <= limitMs(), `${tookMs} ms`);
      assert.deepEqual((await eventually(session, 'run.ended')).verdict, { kind: 'killed' });
      await session.ended;
      assert.deepEqual(
        eventsOf(session, 'run.alarmed').map(({ detail, action }) => [detail, action]),
        [['loss became NaN at step 21', 'kill']],
      );
      assert.equal(eventsOf(session, 'sleep.ended').length, 1);
    });
});
