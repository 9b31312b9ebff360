import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { readOverSftp } from '../../../../src/machines/ssh/sftpFiles.ts';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';

describe('files over SFTP', () => {
  const folder = scratchFolder();
  let sshd: TestSshd;
  let connection: SshConnection;
  before(async () => {
    sshd = await TestSshd.start();
    connection = new SshConnection(sshd.target(), scriptedPrompts());
  });
  after(async () => {
    connection.dispose();
    await sshd.dispose();
  });

  it('can be read again after a file became a pipe just before it was opened', async () => {
    const [file, pipe] = [join(folder(), 'f'), join(folder(), 'pipe')];
    writeFileSync(file, 'text');
    execFileSync('mkfifo', [pipe]);
    const sftp = await connection.sftp();
    const look = sftp.stat.bind(sftp);
    sftp.stat = (_path, done) => look(file, done);
    const clock = new ManualClock();
    const reading = readOverSftp(sftp, pipe, { clock });
    const refused = assert.rejects(reading, { reason: 'unreachable' });
    try {
      await until('it is being opened', () => clock.pendingTimers === 1);
      await clock.advance(120_000);
      await refused;
      const again = await connection.sftp();
      assert.notEqual(again, sftp);
      assert.equal(String(await readOverSftp(again, file, { clock: systemClock })), 'text');
    } finally {
      // The server's process still waits for the other end.
      execFileSync('timeout', ['10', 'sh', '-c', ': >"$1"', 'sh', pipe]);
    }
  });

  it('are not read whole when they are larger than memory should hold', async () => {
    const clock = systemClock;
    const file = join(folder(), 'large');
    writeFileSync(file, '');
    truncateSync(file, 64 * 2 ** 20 + 1);
    const sftp = await connection.sftp();
    const refused = { reason: 'io', message: /larger than 64 MiB\. Read it in parts/ };
    const read = sftp.read.bind(sftp);
    sftp.read = () => assert.fail('nothing of it is read');
    await assert.rejects(readOverSftp(sftp, file, { clock }), refused);
    sftp.read = read;
    const range = { offset: 64 * 2 ** 20, maxBytes: 9 };
    assert.equal((await readOverSftp(sftp, file, { clock, range })).length, 1);
    // A server that names a smaller size than the file has.
    const look = sftp.fstat.bind(sftp);
    sftp.fstat = (handle, done) =>
      look(handle, (error, stats) => done(error, Object.assign(stats, { size: 0 })));
    await assert.rejects(readOverSftp(sftp, file, { clock }), refused);
    sftp.fstat = look;
  });

  it('leave no timer behind', async () => {
    const clock = new ManualClock();
    writeFileSync(join(folder(), 'f'), 'text');
    await readOverSftp(await connection.sftp(), join(folder(), 'f'), { clock });
    assert.equal(clock.pendingTimers, 0);
  });
});
