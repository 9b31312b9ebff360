import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { LocalMachine } from '../../../src/machines/localMachine.ts';
import { MachineFailure } from '../../../src/machines/machine.ts';
import { createMachines } from '../../../src/machines/machineList.ts';
import { listMachines } from '../../../src/tools/listMachines.ts';
import { remoteExecBackground } from '../../../src/tools/remoteExecBackground.ts';
import { answer } from './machineTools.harness.ts';
import { useTasks } from './taskTools.harness.ts';

describe('list_machines', () => {
  const { folder, tasks } = useTasks();

  it('lists each machine with what it is and what runs on it', async () => {
    const { task } = await answer(remoteExecBackground(tasks().launcher), { command: 'sleep 60', label: 'lr=1' });
    const { machines } = await answer(listMachines(tasks()), {});
    const [local] = machines as Record<string, unknown>[];
    assert.match(String(local?.description), /^this computer · \d+ CPUs? · \d+ GB/);
    assert.equal(local?.work_folder, folder());
    assert.deepEqual(local?.running, [{ run: 1, task, label: 'lr=1', status: 'running' }]);
  });

  it('lists a machine that does not answer with the reason', async () => {
    const broken = Object.assign(new LocalMachine({ runsFolder: '/r', workFolder: '/w' }), {
      describe: () => Promise.reject(new MachineFailure('unreachable', 'no route to host')),
    });
    const { machines } = await answer(
      listMachines({ machines: createMachines([broken]), runs: { all: () => [] } }),
      {},
    );
    assert.deepEqual(machines, [
      { id: 'local', kind: 'local', error: 'no route to host', work_folder: '/w', running: [] },
    ]);
  });
});
