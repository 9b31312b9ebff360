/**
 * The plain way to a host whose connection is open already: `ssh` with ControlMaster, to compare
 * with.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../fakes/scratch.ts';
import type { TestSshd } from '../fakes/sshd.ts';

export class SshMaster {
  /** Options of `ssh` for what is to go over the open connection. */
  readonly options: readonly string[];
  readonly #child: ChildProcess;

  /** Rejects where `ssh` does not come in. `more`: further options. */
  static async open(host: TestSshd, more: readonly string[] = []): Promise<SshMaster> {
    const control = join(host.folder, 'control');
    const master = new SshMaster(host, control, more);
    try {
      await until('the master is there', () => existsSync(control));
    } catch (error) {
      master.dispose();
      throw error;
    }
    return master;
  }

  private constructor(host: TestSshd, control: string, more: readonly string[]) {
    const { user, port } = host.target();
    const known = [
      '-F',
      'none',
      '-o',
      `UserKnownHostsFile=${host.knownHosts}`,
      '-o',
      `ControlPath=${control}`,
    ];
    this.options = [
      ...known,
      ...more,
      '-i',
      join(host.folder, 'key'),
      '-p',
      String(port),
      '-l',
      user,
    ];
    const argv = [
      '-N',
      '-o',
      'ControlMaster=yes',
      '-o',
      'BatchMode=yes',
      ...this.options,
      '127.0.0.1',
    ];
    this.#child = spawn('ssh', argv, { stdio: 'ignore' });
  }

  dispose(): void {
    this.#child.kill();
  }
}
