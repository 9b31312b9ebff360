import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { TestSshd } from './sshd.ts';

const run = promisify(execFile);
const prefix = 'helios-host-';

/**
 * A host of its own: a network namespace with an address that only a virtual cable of this computer
 * leads to, and a sshd there. Needs root, Linux and iproute2. Removed with `dispose`, or by the
 * next one after whoever made it was killed.
 */
export class NetHost {
  readonly address: string;
  readonly sshd: TestSshd;
  readonly #names: Names;

  /**
   * `index` is unique among those of this process, below 64. `config`: further lines for
   * sshd_config.
   */
  static async start(index: number, config: readonly string[] = []): Promise<NetHost> {
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      throw new Error(
        'This test makes hosts as network namespaces, for which it must be run as root on Linux.',
      );
    await run('ip', ['-V']).catch((error: unknown) => {
      throw new Error('ip is missing: install iproute2 and run the tests again.', { cause: error });
    });
    await removeLeftovers();
    const names = namesOf(index);
    try {
      await connect(names);
      const place = { address: names.address, namespace: names.namespace };
      return new NetHost(names, await TestSshd.start(config, place));
    } catch (error) {
      await remove(names);
      throw error;
    }
  }

  private constructor(names: Names, sshd: TestSshd) {
    this.#names = names;
    this.address = names.address;
    this.sshd = sshd;
  }

  /** From now on nothing arrives, in neither direction, and nobody is told. */
  async drop(): Promise<void> {
    const { link, namespace } = this.#names;
    await run('tc', ['qdisc', 'replace', 'dev', link, 'root', 'blackhole']);
    await run('tc', ['-n', namespace, 'qdisc', 'replace', 'dev', 'eth0', 'root', 'blackhole']);
  }

  /** The cable is pulled out. */
  async pull(): Promise<void> {
    await ip('link', 'set', this.#names.link, 'down');
  }

  /** All is well again. */
  async restore(): Promise<void> {
    const { link, namespace } = this.#names;
    await ip('link', 'set', link, 'up');
    // There is nothing to take away where nothing was dropped.
    await run('tc', ['qdisc', 'del', 'dev', link, 'root']).catch(() => undefined);
    await run('tc', ['-n', namespace, 'qdisc', 'del', 'dev', 'eth0', 'root']).catch(
      () => undefined,
    );
  }

  async dispose(): Promise<void> {
    await this.sshd.dispose();
    await remove(this.#names);
  }
}

interface Names {
  readonly namespace: string;
  readonly link: string;
  /** Of our end of the cable, and of the host's. */
  readonly own: string;
  readonly address: string;
  readonly network: string;
}

function namesOf(index: number, pid = process.pid): Names {
  const at = (last: number): string =>
    `10.${64 + ((pid >> 8) % 128)}.${pid % 256}.${4 * index + last}`;
  return {
    namespace: `${prefix}${pid}-${index}`,
    link: `hl${pid.toString(36)}.${index}`,
    own: at(1),
    address: at(2),
    network: `${at(0)}/30`,
  };
}

async function connect({ namespace, link, own, address, network }: Names): Promise<void> {
  await ip('netns', 'add', namespace);
  await ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
  await ip('addr', 'add', `${own}/30`, 'dev', link);
  await ip('link', 'set', link, 'up');
  // Without its cable the host is nowhere, and not perhaps behind the way to everywhere else.
  await ip('route', 'add', 'unreachable', network, 'metric', '4096');
  await ip('-n', namespace, 'addr', 'add', `${address}/30`, 'dev', 'eth0');
  await ip('-n', namespace, 'link', 'set', 'lo', 'up');
  await ip('-n', namespace, 'link', 'set', 'eth0', 'up');
}

async function remove({ namespace, link, network }: Names): Promise<void> {
  await ip('link', 'del', link).catch(() => undefined);
  await ip('route', 'del', 'unreachable', network).catch(() => undefined);
  await endAllIn(namespace);
  await ip('netns', 'del', namespace).catch(() => undefined);
}

/** Runs that were left there too: a process keeps its namespace. */
async function endAllIn(namespace: string): Promise<void> {
  const pids = await ip('netns', 'pids', namespace).catch(() => '');
  for (const pid of pids.split('\n').filter(Boolean).map(Number)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

/** Of test processes that are no more. */
async function removeLeftovers(): Promise<void> {
  const list = await ip('netns', 'list');
  for (const [, pid, index] of list.matchAll(new RegExp(`${prefix}(\\d+)-(\\d+)`, 'g'))) {
    const isThere = await readFile(`/proc/${pid}/stat`).catch(() => undefined);
    if (isThere !== undefined) continue;
    await remove(namesOf(Number(index), Number(pid)));
  }
}

async function ip(...argv: readonly string[]): Promise<string> {
  return (await run('ip', argv)).stdout;
}
