import { after, before, describe } from 'mocha';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { SshConnection } from '../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../src/machines/ssh/sshMachine.ts';
import { machineContract } from './contract.ts';
import { scriptedPrompts, TestSshd } from '../../fakes/sshd.ts';

machineContract(
  'LocalMachine',
  () => new LocalMachine({ runsFolder: '/nowhere/runs', workFolder: '/' }),
);

describe('over SSH', () => {
  let sshd: TestSshd;
  let machine: SshMachine;
  before(async () => {
    sshd = await TestSshd.start();
    const connection = new SshConnection(sshd.target(), scriptedPrompts());
    machine = new SshMachine({ id: 'gpu1', connection, homeFolder: '/' });
  });
  after(async () => {
    machine.dispose();
    machine.connection.dispose();
    await sshd.dispose();
  });

  machineContract('SshMachine', () => machine);
});
