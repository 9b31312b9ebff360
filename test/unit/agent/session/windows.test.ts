/** Sessions on a computer that runs Windows. */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { UserFacing } from '../../../../src/base/errors.ts';
import { allowProject } from '../../../fakes/allowProject.ts';
import { LoginHost } from '../../../fakes/loginHost.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import {
  eventsOf,
  testEngine,
  type TestEngine,
  type TestEngineOptions,
} from '../../../fakes/testEngine.ts';

const isRefusal = (error: unknown): boolean =>
  error instanceof UserFacing &&
  error.reason === 'no_machine' &&
  /^Helios cannot work here: commands cannot run on Windows itself, and there is no other machine\.$/.test(
    error.message,
  ) &&
  error.action === 'Use WSL, an SSH host or a container.';

const waiting: readonly ScriptedReply[] = [
  [{ name: 'sleep', input: { reason: 'x', deadline_minutes: 60, wake_conditions: [] } }],
];

describe('a session on Windows', function () {
  this.timeout(240_000);
  let host: LoginHost;
  let bed: TestEngine | undefined;
  before(async () => {
    host = await LoginHost.start('ssh');
  });
  after(() => host?.dispose());
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const open = async (
    model: ScriptedModel,
    options: TestEngineOptions = { platform: 'win32' },
  ): Promise<TestEngine> => {
    bed = await testEngine(model, {
      createMachine: host.createMachine,
      settings: { report: 'never' },
      ...options,
    });
    return bed;
  };

  it('is refused before a model is asked, if there is no other machine', async () => {
    const model = new ScriptedModel([]);
    const { start, engine, home, work } = await open(model);
    for (const profile of ['goal', 'question'] as const)
      await assert.rejects(start({ profile }), isRefusal);
    writeFileSync(path.join(work, 'helios.json'), '{"defaultMachine": "gpu1"}');
    await allowProject(home, work);
    await assert.rejects(start(), isRefusal);
    assert.equal(model.requests.length, 0);
    assert.deepEqual(await engine.sessions.list(), []);
  });

  it('is not resumed either', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'helios-windows-'));
    const { start } = await open(new ScriptedModel(waiting), { folder });
    const { id } = await start();
    await bed?.engine.close();
    const model = new ScriptedModel([]);
    const { engine } = await open(model, { platform: 'win32', folder });
    await assert.rejects(engine.sessions.resume(id), isRefusal);
    assert.equal(model.requests.length, 0);
    assert.equal(await engine.sessions.owner(id), undefined);
  });

  const small: readonly ScriptedReply[] = [
    [
      { name: 'write_file', input: { path: 'train.sh', content: 'echo loss=0.5\n' } },
      { name: 'remote_exec', input: { command: 'cat train.sh' } },
    ],
    [{ name: 'remote_exec_background', input: { command: 'sh train.sh', metric_names: ['loss'] } }],
    [
      {
        name: 'sleep',
        input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }] },
      },
    ],
    [
      {
        name: 'finish',
        input: { outcome: 'goal_met', summary: 'Done.', evidence: [{ run: 1, metric: 'loss' }] },
      },
    ],
  ];

  for (const isNamed of [true, false])
    it(`meets its goal on the SSH host that ${isNamed ? 'the project names' : 'is the only other machine'}`, async () => {
      const model = new ScriptedModel(small);
      const { engine, work, home, start } = await open(model);
      await engine.machines.add({ id: 'gpu1', kind: 'ssh', alias: 'login' });
      if (isNamed) {
        writeFileSync(path.join(work, 'helios.json'), '{"defaultMachine": "gpu1"}');
        await allowProject(home, work);
      }
      const session = await start({ goal: 'bring loss < 1' });
      assert.equal(await session.ended, 'goal');
      const [planned] = eventsOf(session, 'run.planned');
      assert.equal(planned?.spec.machineId, 'gpu1');
      const prompt = JSON.stringify(model.requests[0]?.system);
      assert.match(prompt, /- local: Windows: use WSL, SSH or a container/);
      assert.match(
        prompt,
        /On machine local, in \S+, files can be read and written, but no command can run/,
      );
      assert.doesNotMatch(prompt, /for editing and short commands/);
    });

  it('runs the checks of its end on that host, also without a run', async () => {
    const checks = ['pwd -P >checked'];
    const model = new ScriptedModel([
      [{ name: 'finish', input: { outcome: 'goal_met', summary: 'Written.', checks } }],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'It was refused.' } }],
    ]);
    const { engine, start } = await open(model);
    await engine.machines.add({ id: 'gpu1', kind: 'ssh', alias: 'login' });
    const session = await start({ goal: 'write a poem' });
    await session.ended;
    const [end] = eventsOf(session, 'session.ended');
    assert.deepEqual(end?.checked, ['pwd -P >checked passed']);
    const machine = engine.machines.get('gpu1');
    const written = await machine.readFile(path.posix.join(machine.workFolder, 'checked'));
    assert.equal(Buffer.from(written).toString().trim(), machine.workFolder);
  });

  it('tells a model that a command on this computer does not run, and does not plan a run', async () => {
    const on = { machine_id: 'local', command: 'true' };
    const model = new ScriptedModel([
      [
        { name: 'remote_exec', input: on },
        { name: 'remote_exec_background', input: on },
      ],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }],
    ]);
    const { engine, start } = await open(model);
    await engine.machines.add({ id: 'gpu1', kind: 'ssh', alias: 'login' });
    const session = await start();
    await session.ended;
    const results = JSON.stringify(model.requests[1]?.messages.at(-1));
    assert.equal(
      results.match(/cannot run on Windows itself: use WSL, an SSH host or a container/g)?.length,
      2,
    );
    assert.deepEqual(eventsOf(session, 'run.planned'), []);
  });
});
