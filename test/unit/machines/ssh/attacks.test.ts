import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { newRunId, type SessionId } from '../../../../src/base/ids.ts';
import { createMachines } from '../../../../src/machines/list/machineList.ts';
import { MachineFailure } from '../../../../src/machines/machine.ts';
import type { SshTarget } from '../../../../src/machines/ssh/sshConfig.ts';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import { Runs } from '../../../../src/runs/runs.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { makeKey, scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';
import { procFolder } from '../../../setup/proc.ts';

describe('attacks on the way to a host', () => {
  const folder = scratchFolder();
  let host: TestSshd;
  let impostor: TestSshd;
  const owned: { dispose(): void }[] = [];
  before(async () => {
    host = await TestSshd.start();
    impostor = await TestSshd.start();
  });
  after(async () => {
    await host.dispose();
    await impostor.dispose();
  });
  afterEach(() => {
    for (const one of owned.splice(0).reverse()) one.dispose();
    host.trustHostKey();
  });

  /** A user who would say yes to everything: what is refused here is refused without asking. */
  function connect(target: SshTarget, through?: SshConnection): SshConnection {
    const { prompts, asked } = scriptedPrompts({ confirm: true });
    const connection = new SshConnection(target, {
      prompts,
      random: () => 0,
      ...(through && { through }),
    });
    owned.push(connection, { dispose: () => assert.deepEqual(asked, []) });
    return connection;
  }

  async function isRefused(connection: SshConnection, message: RegExp): Promise<void> {
    const before = [host.logins, impostor.logins];
    await assert.rejects(connection.ready({ mayAsk: true }), { reason: 'host_key', message });
    assert.deepEqual([host.logins, impostor.logins], before, 'nothing of ours was shown to it');
  }

  /** As if the name of the host led to the impostor. */
  const misled = (): SshTarget => {
    const known = join(folder(), 'known');
    const line = readFileSync(host.knownHosts, 'utf8').replace(/:\d+ /, `:${impostor.port} `);
    writeFileSync(known, line);
    return impostor.target({
      knownHostsFiles: [known],
      identityFiles: host.target().identityFiles,
    });
  };

  it('another host that answers at the address is not spoken to', async () => {
    await isRefused(
      connect(misled()),
      /has changed to .*known:1 has another key.*an attacker is impersonating the host.*ssh-keygen -R/s,
    );
  });

  it('nor is one whose name is hashed on file', async () => {
    const target = misled();
    execFileSync('ssh-keygen', ['-q', '-H', '-f', target.knownHostsFiles[0] ?? ''], {
      stdio: 'ignore',
    });
    assert.doesNotMatch(readFileSync(target.knownHostsFiles[0] ?? '', 'utf8'), /127\.0\.0\.1/);
    await isRefused(connect(target), /has changed to/);
  });

  it('nor one that shows a key of another kind than the one on file', async () => {
    const rsa = join(folder(), 'rsa');
    execFileSync('ssh-keygen', ['-q', '-t', 'ecdsa', '-N', '', '-f', rsa]);
    const other = await TestSshd.start([`HostKey ${rsa}`, 'HostKeyAlgorithms ecdsa-sha2-nistp256']);
    try {
      await isRefused(connect(other.target()), /has changed to ecdsa-sha2-nistp256 SHA256:/);
      assert.equal(other.logins, 0);
    } finally {
      await other.dispose();
    }
  });

  it('nor one whose key was revoked', async () => {
    const [, type, key] = readFileSync(host.knownHosts, 'utf8').trim().split(' ').map(String);
    writeFileSync(
      host.knownHosts,
      `${readFileSync(host.knownHosts, 'utf8')}@revoked * ${type} ${key}\n`,
    );
    await isRefused(connect(host.target()), /is revoked in .*known_hosts:2/);
  });

  it('a host between that is not the right one gets no word of the host behind it', async () => {
    const through = connect(misled());
    const before = host.logins;
    await isRefused(connect(host.target(), through), /has changed to/);
    assert.equal(host.logins, before);
    assert.doesNotMatch(impostor.log, /direct-tcpip/);
  });

  it('a host that an authority vouches for elsewhere is asked about, with that said', async () => {
    const [name = ''] = readFileSync(host.knownHosts, 'utf8').trim().split(' ');
    makeKey(join(folder(), 'ca'));
    writeFileSync(
      host.knownHosts,
      `@cert-authority ${name} ${readFileSync(join(folder(), 'ca.pub'), 'utf8')}`,
    );
    const notes: string[] = [];
    const prompts = {
      secret: () => Promise.resolve(undefined),
      confirmHostKey: ({ note }: { note: string }) => Promise.resolve(notes.push(note) < 0),
    };
    const connection = new SshConnection(host.target(), { prompts });
    owned.push(connection);
    await assert.rejects(connection.ready(), {
      reason: 'host_key',
      message: /does not ask .*certificate authority/s,
    });
    await assert.rejects(connection.ready({ mayAsk: true }), {
      reason: 'host_key',
      message: /certificate authority/,
    });
    assert.match(String(notes), /known_hosts:1 names a certificate authority/);
  });
});

describe('secrets on the way to a host', () => {
  const folder = scratchFolder();
  const passphrase = 'pass-phrase-4711';
  const token = 'env-secret-4711';

  it('are in no list of processes, no environment of others, no log, no file that others can read, and no message', async () => {
    const host = await TestSshd.start();
    const key = join(folder(), 'locked');
    makeKey(key, passphrase);
    copyFileSync(`${key}.pub`, join(host.folder, 'authorized_keys'));
    const content = readFileSync(key, 'utf8').split('\n')[2] ?? '';
    const connection = new SshConnection(
      host.target({ identityFiles: [key] }),
      scriptedPrompts({ secret: passphrase }),
    );
    const machine = new SshMachine({ id: 'gpu1', connection, homeFolder: folder() });
    const logged: string[] = [];
    const log = (message: string): void => void logged.push(message);
    const logger = {
      error: (message: string | Error) => log(String(message)),
      warn: log,
      info: log,
      debug: log,
    };
    const runs = new Runs({
      machines: createMachines([machine]),
      folder: join(folder(), 'points'),
      clock: systemClock,
      logger,
    });
    try {
      await connection.ready({ mayAsk: true });
      const run = await runs.launch({
        id: newRunId(Date.now()),
        sessionId: 's-test00000' as SessionId,
        number: 1,
        machineId: 'gpu1',
        command: 'test "$TOKEN" && sleep 60',
        cwd: folder(),
        env: { TOKEN: token },
        metrics: {},
        label: '',
        plannedMs: Date.now(),
      });
      const asking = machine.exec('sleep 2; test "$TOKEN"', { cwd: '/', env: { TOKEN: token } });
      await until(
        'both run',
        () => processes().filter(({ environ }) => environ.includes(token)).length >= 2,
      );
      const wrong = new SshConnection(
        host.target({ identityFiles: [key] }),
        scriptedPrompts({ secret: `${passphrase}x` }),
      );
      const refused = await wrong.ready({ mayAsk: true }).catch((error: unknown) => error);
      wrong.dispose();
      const secrets = [passphrase, token, content];
      const tells = (text: string): boolean => secrets.some((secret) => text.includes(secret));
      for (const { pid, cmdline, environ, isOfRun } of processes()) {
        assert.ok(!tells(cmdline), `arguments of ${pid}: ${cmdline}`);
        // Whom it was given to has it; nobody else.
        assert.ok(isOfRun || !tells(environ), `environment of ${pid}: ${cmdline}`);
      }
      assert.ok(refused instanceof MachineFailure && !tells(refused.message));
      assert.ok(!tells(host.log) && !tells(logged.join('\n')));
      const runFolder = join(folder(), '.helios/runs', run.spec.id);
      assert.equal(
        statSync(runFolder).mode & 0o077,
        0,
        'what the run was given is for its owner only',
      );
      await asking;
      await runs.kill(run, { graceMs: 500 });
    } finally {
      runs.dispose();
      machine.dispose();
      connection.dispose();
      await host.dispose();
      rmSync(key, { force: true });
    }
  });

  interface Listed {
    readonly pid: string;
    readonly cmdline: string;
    readonly environ: string;
    readonly isOfRun: boolean;
  }

  function processes(): Listed[] {
    const read = (pid: string, name: string): string => {
      try {
        return readFileSync(`${procFolder}/${pid}/${name}`, 'utf8');
      } catch {
        return '';
      }
    };
    const pids = readdirSync(procFolder).filter(
      (name) => /^\d+$/.test(name) && name !== String(process.pid),
    );
    return pids.map((pid) => {
      const environ = read(pid, 'environ');
      return { pid, cmdline: read(pid, 'cmdline'), environ, isOfRun: /(^|\0)TOKEN=/.test(environ) };
    });
  }
});
