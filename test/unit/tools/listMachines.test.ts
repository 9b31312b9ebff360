import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { MachineFailure, type Machine } from '../../../src/machines/machine.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import { listMachines } from '../../../src/tools/machines/listMachines.ts';
import { remoteExecBackground } from '../../../src/tools/runs/remoteExecBackground.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { standIn } from '../../fakes/scriptedMachine.ts';
import { answer } from './machineTools.harness.ts';
import { noSweeps, useTasks } from './taskTools.harness.ts';

describe('list_machines', () => {
  const { folder, tasks } = useTasks();

  it('lists each machine with what it is and what runs on it', async () => {
    const { task } = await answer(remoteExecBackground(tasks().launcher, noSweeps), {
      command: 'sleep 60',
      label: 'lr=1',
    });
    const { machines } = await answer(listMachines({ ...tasks(), clock: systemClock }), {});
    const [local] = machines as Record<string, unknown>[];
    assert.match(String(local?.description), /^this computer · \d+ CPUs? · \d+ GB/);
    assert.equal(local?.work_folder, folder());
    assert.deepEqual(local?.running, [{ run: 1, task, label: 'lr=1', status: 'running' }]);
  });

  const broken = (describe: () => Promise<string>): Machine =>
    standIn({ id: 'gpu1', kind: 'ssh', host: 'gpu1' }, '/w', describe);

  it('lists a machine that does not answer with the reason', async () => {
    const machine = broken(() =>
      Promise.reject(new MachineFailure('unreachable', 'no route to host')),
    );
    const overview = {
      machines: createMachines([machine]),
      runs: { all: () => [] },
      clock: new ManualClock(),
    };
    const { machines } = await answer(listMachines(overview), {});
    const rest = { work_folder: '/w', running: [] };
    assert.deepEqual(machines, [
      { id: 'gpu1', kind: 'ssh', status: 'unreachable', why: 'no route to host', ...rest },
    ]);
  });

  it('waits two seconds for a machine that says nothing, and no longer', async () => {
    const clock = new ManualClock();
    const silent = broken(() => new Promise(() => undefined));
    const machines = { list: () => [silent], status: () => ({ kind: 'unused' as const }) };
    const asked = answer(listMachines({ machines, runs: { all: () => [] }, clock }), {});
    await clock.advance(2_000);
    const [machine] = (await asked).machines as Record<string, unknown>[];
    assert.equal(machine?.status, 'not_yet_used');
    assert.match(String(machine?.why), /no answer within 2 s/);
    assert.equal(clock.pendingTimers, 0);
  });
});
