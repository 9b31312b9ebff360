import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { newRunId, type SessionId } from '../../../../src/base/ids.ts';
import { LazyMachine } from '../../../../src/machines/lazyMachine.ts';
import type { Machine } from '../../../../src/machines/machine.ts';
import { createMachines } from '../../../../src/machines/list/machineList.ts';
import { MachineHandle } from '../../../../src/machines/list/machineHandle.ts';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import { freeSlots } from '../../../../src/runs/leases.ts';
import type { RunSpec } from '../../../../src/runs/run.ts';
import { Runs } from '../../../../src/runs/runs.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';
import { nvidiaSmi } from '../../runs/gpus.ts';

describe('leases over SSH', () => {
  const folder = scratchFolder();
  let sshd: TestSshd;
  const owned: { dispose(): void }[] = [];
  before(async () => {
    sshd = await TestSshd.start();
    const bin = nvidiaSmi(sshd.folder, [0, 1, 2]);
    writeFileSync(join(sshd.folder, 'home', '.bashrc'), `PATH=${bin}:$PATH\n`);
  });
  after(() => sshd.dispose());
  afterEach(() => {
    for (const one of owned.splice(0).reverse()) one.dispose();
  });

  /** A computer of its own, as far as the host can tell. */
  function computer(name: string): { machine: Machine; runs: Runs } {
    const open = (): Promise<Machine> => {
      const connection = new SshConnection(sshd.target(), scriptedPrompts());
      const machine = new SshMachine({ id: 'gpu1', connection, homeFolder: folder() });
      owned.push(connection, machine);
      return Promise.resolve(machine);
    };
    const connector = { open, retry: () => undefined, dispose: () => undefined };
    const share = { slots: 3, gpuIds: ['2', '0'] };
    const lazy = new LazyMachine({ id: 'gpu1', kind: 'ssh', clock: systemClock, connector, share });
    const machine = new MachineHandle(lazy, () => undefined);
    const home = join(folder(), name);
    mkdirSync(home);
    const runs = new Runs({
      machines: createMachines([machine]),
      folder: home,
      clock: systemClock,
    });
    owned.push(runs);
    return { machine, runs };
  }

  let number = 0;
  const spec = (command: string, gpus?: number): RunSpec => ({
    id: newRunId(Date.now()),
    sessionId: 's-test00000' as SessionId,
    number: ++number,
    machineId: 'gpu1',
    command,
    cwd: folder(),
    env: {},
    metrics: {},
    label: '',
    plannedMs: Date.now() + number,
    ...(gpus !== undefined && { resources: { gpus } }),
  });

  it('hold for every computer that uses the host, and keep to what the entry names', async () => {
    const [mine, theirs] = [computer('mine'), computer('theirs')];
    const show = 'echo loss=1 gpu=$CUDA_VISIBLE_DEVICES; sleep 60';
    const launched = await Promise.all([
      mine.runs.launch(spec(show, 1)),
      theirs.runs.launch(spec(show, 1)),
      mine.runs.launch(spec('sleep 60')),
    ]);
    const saying = [
      { runs: mine.runs, run: launched[0] },
      { runs: theirs.runs, run: launched[1] },
    ];
    const said = (): Promise<string[]> =>
      Promise.all(saying.map(async ({ runs, run }) => (await runs.output(run, { lines: 1 })).text));
    await until('both have said', async () => !(await said()).includes(''));
    assert.deepEqual((await said()).sort(), ['loss=1 gpu=0', 'loss=1 gpu=2']);
    for (const { machine } of [mine, theirs]) {
      const { gpus, slots } = await freeSlots(machine);
      assert.deepEqual(
        gpus.map(({ id, heldBy }) => [id, heldBy !== undefined]),
        [
          ['2', true],
          ['0', true],
        ],
      );
      assert.deepEqual(slots, { total: 3, free: 0 });
    }
    await assert.rejects(theirs.runs.launch(spec('true', 1)), {
      reason: 'not_started',
      isBusy: true,
    });
    await assert.rejects(theirs.runs.launch(spec('true')), /All 3 slots for runs are in use/);
    await mine.runs.kill(launched[0]);
    const { gpus, slots } = await freeSlots(theirs.machine);
    assert.equal(gpus.filter(({ heldBy }) => heldBy === undefined).length, 1);
    assert.deepEqual(slots, { total: 3, free: 1 });
    await theirs.runs.kill(launched[1]);
    await mine.runs.kill(launched[2]);
  });
});
