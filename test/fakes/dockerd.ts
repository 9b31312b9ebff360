/**
 * A Docker engine of the test's own: its socket, images and containers lie in one folder, and go
 * with it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/logger.ts';
import { OwnEngines } from '../../src/machines/container/ownEngines.ts';
import { writeFileAtomic } from '../../src/storage/atomicFile.ts';
import { run } from '../setup/command.ts';
import { busyboxImage, debianImage } from '../setup/docker.ts';
import { until } from './scratch.ts';

export class TestDockerd {
  readonly folder: string;
  readonly socket: string;
  #daemon: ChildProcess | undefined;

  private constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'helios-docker-'));
    this.socket = join(this.folder, 'docker.sock');
  }

  /** With the image `lab/busybox`, and with `lab/debian` when it is asked for. */
  static async start(
    options: { readonly withDebian?: boolean; readonly flags?: readonly string[] } = {},
  ): Promise<TestDockerd> {
    const dockerd = new TestDockerd();
    try {
      await dockerd.start(...(options.flags ?? []));
      await dockerd.docker(
        'import',
        '--change',
        'CMD ["/bin/sh"]',
        await busyboxImage(dockerd.folder),
        'lab/busybox',
      );
      if (options.withDebian) await dockerd.docker('import', await debianImage(), 'lab/debian');
      return dockerd;
    } catch (error) {
      await dockerd.dispose();
      throw error;
    }
  }

  /** Starts it, or starts it again: containers that outlived it are taken up. */
  async start(...more: readonly string[]): Promise<void> {
    const at = (name: string): string => join(this.folder, name);
    // No network of its own, and no touch of the firewall of this computer.
    const apart = ['--iptables=false', '--ip6tables=false', '--bridge=none'];
    const places = ['--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid')];
    const log = openSync(at('log'), 'a');
    const daemon = spawn('dockerd', [...apart, ...places, '-H', `unix://${this.socket}`, ...more], {
      stdio: ['ignore', log, log],
    });
    this.#daemon = daemon;
    const isUp = async (): Promise<boolean> => {
      if (daemon.exitCode !== null)
        throw new Error(`dockerd ended: ${readFileSync(at('log'), 'utf8').slice(-2000)}`);
      return existsSync(this.socket) && (await this.docker('info').catch(() => '')) !== '';
    };
    await until('dockerd answers', isUp, 90_000);
  }

  /** In an orderly way: containers are stopped, unless it was started with `--live-restore`. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** In the middle of everything. Containers go on; the next one finds them. */
  async crash(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const daemon = this.#daemon;
    if (!daemon || (daemon.exitCode ?? daemon.signalCode) !== null) return;
    const ended = once(daemon, 'exit');
    daemon.kill(signal);
    await ended;
  }

  /** What a Helios home of its own knows of this engine. */
  engines(home = this.folder): OwnEngines {
    return new OwnEngines({
      home,
      file: join(home, 'engines.json'),
      write: writeFileAtomic,
      logger: silentLogger,
    });
  }

  docker(...args: readonly string[]): Promise<string> {
    return run('docker', ['-H', `unix://${this.socket}`, ...args]);
  }

  async dispose(): Promise<void> {
    const ids = (await this.docker('ps', '-aq').catch(() => '')).split('\n').filter(Boolean);
    if (ids.length > 0) await this.docker('rm', '-f', ...ids);
    await this.stop();
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const places = mounts
      .map((line) => line.split(' ')[1] ?? '')
      .filter((place) => place.startsWith(this.folder));
    for (const place of places.reverse()) await run('umount', ['-l', place]);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
