/**
 * A host as a user has it in their ssh config, under the alias `login`; with a Slurm cluster behind
 * it, where there is one.
 */
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { OwnEngines } from '../../src/machines/container/ownEngines.ts';
import { createRemote } from '../../src/machines/createRemote.ts';
import { HomeFolders } from '../../src/machines/homeFolders.ts';
import type { CreateMachine } from '../../src/machines/list/machineRegistry.ts';
import { writeFileAtomic } from '../../src/storage/atomicFile.ts';
import { TestSlurm } from './slurm.ts';
import { TestSshd } from './sshd.ts';

export class LoginHost {
  readonly sshd: TestSshd;
  readonly #slurm: TestSlurm | undefined;

  /** `slurm` is started, and owned. */
  static async start(kind: 'ssh' | 'slurm'): Promise<LoginHost> {
    return new LoginHost(
      await TestSshd.start(),
      kind === 'slurm' ? await TestSlurm.start() : undefined,
    );
  }

  private constructor(sshd: TestSshd, slurm: TestSlurm | undefined) {
    this.sshd = sshd;
    this.#slurm = slurm;
    // Only a login shell knows where Slurm is.
    if (slurm)
      this.write(
        'home/.bash_profile',
        `echo Welcome\nexport SLURM_CONF=${slurm.env['SLURM_CONF']}\n`,
      );
  }

  /** The home folder of the user there. */
  get home(): string {
    return join(this.sshd.folder, 'home');
  }

  /** Throws where there is none. */
  get slurm(): TestSlurm {
    if (this.#slurm === undefined) throw new Error('There is no cluster behind this host');
    return this.#slurm;
  }

  /** What connects to it, as the product does. */
  get createMachine(): CreateMachine {
    const { folder, port, knownHosts } = this.sshd;
    const lines = [`HostName 127.0.0.1`, `Port ${port}`, `UserKnownHostsFile ${knownHosts}`];
    this.write(
      'config',
      ['Host login', ...lines, `IdentityFile ${join(folder, 'key')}`].join('\n'),
    );
    const write = (path: string, text: string) => writeFileAtomic(path, text, 0o600);
    return createRemote({
      prompts: {
        keptSecret: () => Promise.resolve(undefined),
        askSecret: () => Promise.resolve(undefined),
        confirmHostKey: () => Promise.resolve(false),
      },
      homes: new HomeFolders(join(folder, 'homes.json'), write),
      engines: new OwnEngines({
        home: folder,
        file: join(folder, 'engines.json'),
        write,
        logger: silentLogger,
      }),
      clock: systemClock,
      ssh: {
        configFile: join(folder, 'config'),
        homeFolder: folder,
        localUser: userInfo().username,
        agents: [],
      },
    });
  }

  /** A file in the folder of the server. */
  write(name: string, text: string): void {
    writeFileSync(join(this.sshd.folder, name), text);
  }

  async dispose(): Promise<void> {
    await this.#slurm?.dispose();
    await this.sshd.dispose();
  }
}
