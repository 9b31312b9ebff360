import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SshTarget } from '../../src/machines/ssh/sshConfig.ts';
import { until } from './scratch.ts';
import { freePort } from './freePort.ts';
import { makeKey, seeingInstead, writePasswd } from './sshd.ts';

const program = '/usr/sbin/dropbear';

/**
 * A real dropbear on a loopback port, as small hosts have it: the shell of root is busybox, and
 * there is no SFTP.
 */
export class TestDropbear {
  readonly folder: string;
  readonly port: number;
  #child: ChildProcess | undefined;

  static async start(): Promise<TestDropbear> {
    if (!existsSync(program))
      throw new Error(
        'dropbear is missing: install it (Debian: apt-get install dropbear-bin) and run the tests again.',
      );
    const dropbear = new TestDropbear(
      mkdtempSync(join(tmpdir(), 'helios-dropbear-')),
      await freePort(),
    );
    await dropbear.#start();
    return dropbear;
  }

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
    makeKey(join(folder, 'key'));
    mkdirSync(join(folder, 'home/.ssh'), { recursive: true, mode: 0o700 });
    writeFileSync(
      join(folder, 'home/.ssh/authorized_keys'),
      readFileSync(join(folder, 'key.pub')),
      { mode: 0o600 },
    );
    chmodSync(folder, 0o700);
    const made = execFileSync('dropbearkey', ['-t', 'ed25519', '-f', join(folder, 'host_key')], {
      stdio: 'pipe',
    });
    const [, type, key] = /^(ssh-ed25519) (\S+)/m.exec(made.toString()) ?? [];
    writeFileSync(join(folder, 'known_hosts'), `[127.0.0.1]:${port} ${type} ${key}\n`);
    writePasswd(join(folder, 'passwd'), { shell: '/bin/sh', home: join(folder, 'home') });
    writeFileSync(join(folder, 'empty'), '');
  }

  target(): SshTarget {
    return {
      host: '127.0.0.1',
      port: this.port,
      user: 'root',
      identityFiles: [join(this.folder, 'key')],
      proxyJump: [],
      agents: [],
      knownHostsFiles: [join(this.folder, 'known_hosts')],
    };
  }

  async dispose(): Promise<void> {
    this.#child?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    await Promise.resolve();
  }

  async #start(): Promise<void> {
    const instead = {
      '/etc/passwd': join(this.folder, 'passwd'),
      '/usr/bin/dash': '/usr/bin/busybox',
      '/usr/lib/openssh/sftp-server': join(this.folder, 'empty'),
    };
    const argv = [
      program,
      '-F',
      '-E',
      '-s',
      '-r',
      join(this.folder, 'host_key'),
      '-p',
      `127.0.0.1:${this.port}`,
    ];
    const [command = '', ...rest] = seeingInstead(instead, [
      ...argv,
      '-P',
      join(this.folder, 'pid'),
    ]);
    const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
    await until('dropbear listens', () => {
      if (child.exitCode !== null) throw new Error(`dropbear ended: ${said}`);
      return said.includes('Not backgrounding');
    });
  }
}
