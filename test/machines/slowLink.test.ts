import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { SshConnection } from '../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../src/machines/ssh/sshMachine.ts';
import { scratchFolder } from '../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../fakes/sshd.ts';
import { TcpProxy } from '../fakes/tcpProxy.ts';

/**
 * As long as a probe would wait behind what is on its way already: longer than a dead link is
 * given.
 */
const pieces = 64;
const pieceBytes = 65_536;

describe('a slow link', function () {
  this.timeout(120_000);
  const folder = scratchFolder();

  it('is not taken for a dead one while much is sent', async () => {
    const sshd = await TestSshd.start();
    const proxy = await TcpProxy.to(sshd.port, 100_000);
    const knownHosts = join(folder(), 'known_hosts');
    writeFileSync(
      knownHosts,
      readFileSync(sshd.knownHosts, 'utf8').replace(/:\d+ /, `:${proxy.port} `),
    );
    const target = sshd.target({ port: proxy.port, knownHostsFiles: [knownHosts] });
    const machine = new SshMachine({
      id: 'gpu1',
      connection: new SshConnection(target, scriptedPrompts()),
      homeFolder: '/',
    });
    try {
      let counted = '';
      const onStdout = (bytes: Uint8Array): void => void (counted += Buffer.from(bytes).toString());
      const { outcome } = await machine.stream('wc -c', { cwd: '/', stdin: zeros(), onStdout });
      assert.deepEqual(
        [outcome, Number(counted)],
        [{ kind: 'exited', code: 0 }, pieces * pieceBytes],
      );
      assert.equal(sshd.logins, 1);
    } finally {
      machine.dispose();
      machine.connection.dispose();
      await proxy.dispose();
      await sshd.dispose();
    }
  });
});

async function* zeros(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < pieces; piece += 1)
    yield await Promise.resolve(Buffer.alloc(pieceBytes));
}
