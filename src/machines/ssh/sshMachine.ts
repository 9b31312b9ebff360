/** A host reached by SSH. */
import type { SFTPWrapper } from 'ssh2';
import { systemClock, type Clock } from '../../base/clock.ts';
import { MachineFailure, type FileStat } from '../machine.ts';
import type { ByteRange } from '../remote/remoteFiles.ts';
import { runScript, ShellMachine } from '../remote/shellMachine.ts';
import { readOverSftp, statOverSftp } from './sftpFiles.ts';
import type { SshConnection } from './sshConnection.ts';

export interface SshMachineOptions {
  /** Id in machines.json. */
  readonly id: string;
  /** Connection to the host, possibly shared with other objects. Disposed by whoever created it. */
  readonly connection: SshConnection;
  /** Absolute, as `homeOf` returns it. */
  readonly homeFolder: string;
  /** Absolute. Default: `~/.helios/runs`. */
  readonly runsFolder?: string;
  /** Absolute. Default: `~`. */
  readonly workFolder?: string;
  readonly clock?: Clock;
}

/** Resolves with the user's home folder on the host. Rejects with `MachineFailure`. */
export async function homeOf(
  connection: SshConnection,
  clock: Clock = systemClock,
): Promise<string> {
  const { stdout } = await runScript(connection, clock, 'cd && pwd -P');
  const home = stdout.toString().trim();
  if (home.startsWith('/')) return home;
  throw new MachineFailure('io', `${connection.name} did not report its home folder.`);
}

export class SshMachine extends ShellMachine {
  readonly kind = 'ssh';
  readonly homeFolder: string;
  readonly connection: SshConnection;
  readonly #clock: Clock;

  constructor(options: SshMachineOptions) {
    const { connection, homeFolder } = options;
    const folders = { runsFolder: `${homeFolder}/.helios/runs`, workFolder: homeFolder };
    super(connection, { ...folders, ...options });
    this.connection = connection;
    this.homeFolder = homeFolder;
    this.#clock = options.clock ?? systemClock;
  }

  override async readFile(path: string, range?: ByteRange): Promise<Uint8Array> {
    const sftp = await this.#sftp();
    return sftp
      ? readOverSftp(sftp, path, { range, clock: this.#clock })
      : super.readFile(path, range);
  }

  override async stat(path: string): Promise<FileStat | undefined> {
    const sftp = await this.#sftp();
    return sftp ? statOverSftp(sftp, path) : super.stat(path);
  }

  protected override get place(): string {
    const { user, host, port } = this.connection.target;
    return `${user}@${host}${port === 22 ? '' : `:${port}`}`;
  }

  /**
   * Resolves with the SFTP session; `undefined` if the host has no SFTP, so that the shell is used
   * instead.
   */
  #sftp(): Promise<SFTPWrapper | undefined> {
    return this.connection.sftp().catch((error: unknown) => {
      if (error instanceof MachineFailure && error.reason === 'denied') return undefined;
      throw error;
    });
  }
}
