import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import { patientClock } from '../../../fakes/pace.ts';
import { until } from '../../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';

describe('queries over a link that breaks, and with little room', () => {
  it('fails with the link, and answers again when it is back', async () => {
    const sshd = await TestSshd.start();
    const connection = new SshConnection(sshd.target(), scriptedPrompts());
    const machine = new SshMachine({ id: 'gpu1', connection, homeFolder: '/' });
    assert.equal(await machine.query('echo 1'), '1\n');
    const waiting = machine.query('sleep 30');
    const behind = machine.query('echo 2');
    const failed = Promise.all([
      assert.rejects(waiting, { reason: 'unreachable' }),
      assert.rejects(behind, { reason: 'unreachable' }),
    ]);
    await sshd.stop();
    await failed;
    await sshd.start();
    await until(
      'it answers again',
      async () => (await machine.query('echo 3').catch(() => '')) === '3\n',
    );
    machine.dispose();
    connection.dispose();
    await sshd.dispose();
  });

  it('answers where one session at a time is all there is', async () => {
    const sshd = await TestSshd.start(['MaxSessions 1']);
    const connection = new SshConnection(sshd.target(), scriptedPrompts());
    const machine = new SshMachine({
      id: 'gpu1',
      connection,
      homeFolder: '/',
      clock: patientClock,
    });
    const both = await Promise.all([
      machine.query('echo 1'),
      machine.exec('echo 2', { cwd: '/' }),
      machine.query('echo 3'),
    ]);
    assert.deepEqual([both[0], both[1].stdout, both[2]], ['1\n', '2\n', '3\n']);
    await assert.rejects(machine.query('yes'), { reason: 'io', message: /4 MiB/ });
    assert.equal(await machine.query('echo 4'), '4\n');
    machine.dispose();
    connection.dispose();
    await sshd.dispose();
  });
});
