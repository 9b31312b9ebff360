import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { MachineFailure } from '../../src/machines/machine.ts';
import { SshConnection } from '../../src/machines/ssh/sshConnection.ts';
import type { SshTarget } from '../../src/machines/ssh/sshConfig.ts';
import { SshMachine } from '../../src/machines/ssh/sshMachine.ts';
import { TestDropbear } from '../fakes/dropbear.ts';
import { scriptedPrompts, TestSshd, writePasswd } from '../fakes/sshd.ts';
import { machineContract } from '../unit/machines/contract.ts';

/** Start-up files that print to both streams and change what words mean. */
const noise: Readonly<Record<string, string>> = {
  '.bashrc':
    'echo "Welcome to gpu1"; echo "quota: 93 %" >&2; alias ls="ls --color=always"; cd /; set -o noclobber\n',
  '.profile': 'echo "Welcome to gpu1"\n',
  '.zshenv': 'echo "Welcome to gpu1"; echo "quota: 93 %" >&2; setopt noclobber nomatch\n',
  '.tcshrc': 'echo "Welcome to gpu1"; set noclobber\n',
  '.config/fish/config.fish': 'echo "Welcome to gpu1"; echo "quota: 93 %" >&2\n',
};

const shells = ['/bin/bash', '/usr/bin/fish', '/usr/bin/tcsh', '/usr/bin/zsh', '/usr/bin/dash'];

for (const shell of shells) {
  describe(`an account with ${shell}, and much noise`, () => {
    let sshd: TestSshd;
    const over = connected();
    before(async () => {
      sshd = await TestSshd.start(['Banner /etc/os-release', 'PrintMotd yes'], {
        address: '127.0.0.1',
        instead: (folder) => {
          const home = join(folder, 'home');
          for (const [name, text] of Object.entries(noise)) {
            mkdirSync(join(home, name, '..'), { recursive: true });
            writeFileSync(join(home, name), text);
          }
          writePasswd(join(folder, 'passwd'), { shell, home });
          return { '/etc/passwd': join(folder, 'passwd') };
        },
      });
      over.to(sshd.target());
    });
    after(() => sshd?.dispose());
    machineContract(shell, () => over.machine);
  });
}

describe('a host with nothing but busybox', () => {
  let sshd: TestSshd;
  const over = connected();
  before(async () => {
    let tools = '';
    sshd = await TestSshd.start(['SetEnv PATH=/usr/local/bin'], {
      address: '127.0.0.1',
      instead: (folder) => {
        tools = join(folder, 'tools');
        mkdirSync(tools);
        writePasswd(join(folder, 'passwd'), { shell: '/bin/sh', home: join(folder, 'home') });
        return {
          '/etc/passwd': join(folder, 'passwd'),
          '/usr/bin/dash': '/usr/bin/busybox',
          '/usr/local/bin': tools,
        };
      },
    });
    for (const name of applets()) symlinkSync('/usr/bin/busybox', join(tools, name));
    chmodSync(tools, 0o755);
    over.to(sshd.target());
  });
  after(() => sshd?.dispose());
  machineContract('busybox', () => over.machine);
});

describe('a host with dropbear and busybox', () => {
  let dropbear: TestDropbear;
  const over = connected();
  before(async () => {
    dropbear = await TestDropbear.start();
    over.to(dropbear.target());
  });
  after(() => dropbear?.dispose());

  /**
   * Dropbear closes sessions now and then while others end. That is told as what it is, and nothing
   * else is.
   */
  async function asked<T>(ask: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof MachineFailure) || error.reason !== 'unreachable' || tries > 20)
          throw error;
      }
    }
  }

  it('runs commands and keeps files, a long command too', async () => {
    const { machine } = over;
    const path = join(dropbear.folder, 'file');
    await asked(() => machine.writeFile(path, Buffer.from('content')));
    assert.equal(Buffer.from(await asked(() => machine.readFile(path))).toString(), 'content');
    for (const code of [0, 3, 255])
      assert.deepEqual((await asked(() => machine.exec(`exit ${code}`, { cwd: '/' }))).outcome, {
        kind: 'exited',
        code,
      });
    const word = 'x'.repeat(20_000);
    const long = await asked(() =>
      machine.exec(`printf %s "$LR" ${word}`, { cwd: '/', env: { LR: '1' } }),
    );
    assert.equal(long.stdout, `1${word}`);
  });
});

/** A machine that lives as long as the suite that asks for it. */
function connected(): { readonly machine: SshMachine; to(target: SshTarget): void } {
  let machine: SshMachine | undefined;
  after(() => {
    machine?.dispose();
    machine?.connection.dispose();
  });
  return {
    get machine() {
      if (!machine) throw new Error('There is no server yet.');
      return machine;
    },
    to(target) {
      const connection = new SshConnection(target, scriptedPrompts());
      machine = new SshMachine({ id: 'gpu1', connection, homeFolder: '/tmp' });
    },
  };
}

const applets = (): string[] => execFileSync('busybox', ['--list']).toString().trim().split('\n');
