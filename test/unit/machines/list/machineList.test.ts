import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { createMachines } from '../../../../src/machines/list/machineList.ts';

describe('createMachines', () => {
  const local = new LocalMachine({ runsFolder: '/r', workFolder: '/w' });

  it('finds a machine by id, and names those there are', () => {
    const machines = createMachines([local]);
    assert.equal(machines.get('local'), local);
    assert.deepEqual(machines.list(), [local]);
    assert.throws(() => machines.get('gpu1'), {
      reason: 'unknown_machine',
      message: /"gpu1".*local/,
    });
  });

  it('refuses two machines of one id', () => {
    assert.throws(() => createMachines([local, local]), /same id/);
  });
});
