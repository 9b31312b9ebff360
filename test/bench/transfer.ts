/**
 * Files to and from a host, beside rsync over ssh: the same files, the same server, the same
 * cipher, both over a connection that is open, in turns.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import type { Machine } from '../../src/machines/machine.ts';
import { SshConnection } from '../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../src/machines/ssh/sshMachine.ts';
import { transfer } from '../../src/machines/transfer/transfer.ts';
import { scriptedPrompts, TestSshd } from '../fakes/sshd.ts';
import { installPackages } from '../setup/packages.ts';
import { median, timed, type Figure, type Size } from './figure.ts';
import { SshMaster } from './sshMaster.ts';

const sizes = {
  full: { largeName: '1 GiB', largeBytes: 2 ** 30, files: 20_000, rounds: 3 },
  tiny: { largeName: '16 MiB', largeBytes: 2 ** 24, files: 200, rounds: 1 },
};
/**
 * Some file systems are slow for minutes to make files after many were removed, which the next
 * round would be charged with.
 */
const memoryFolder = '/dev/shm/helios-bench-';
/** What ssh2 and OpenSSH agree on by themselves here. */
const cipher = 'aes128-gcm@openssh.com';
const rsyncProgram = '/usr/bin/rsync';

interface Bed {
  readonly local: Machine;
  readonly host: Machine;
  /** The connection of rsync, as open as ours. */
  readonly master: SshMaster;
}

type Terms = (typeof sizes)['full'];

/** What is sent, and where it goes to. */
interface Load {
  readonly name: string;
  readonly source: string;
  readonly target: string;
  /** As rsync wants it: the content of a folder, not the folder. */
  readonly tail: '' | '/';
  readonly rounds: number;
}

export async function benchTransfer(folder: string, size: Size): Promise<Figure[]> {
  const terms = sizes[size];
  await installRsync();
  const memory = await mkdtemp(memoryFolder);
  const sshd = await TestSshd.start();
  try {
    const master = await SshMaster.open(sshd, ['-c', cipher]);
    const connection = new SshConnection(sshd.target(), scriptedPrompts());
    const host = new SshMachine({ id: 'host', connection, homeFolder: folder });
    const bed = {
      master,
      host,
      local: new LocalMachine({ runsFolder: join(folder, 'runs'), workFolder: folder }),
    };
    try {
      await host.exec('true');
      const small = await compared(bed, await smallLoad(memory, terms));
      const large = await compared(bed, await largeLoad(folder, terms));
      const maxMB = process.resourceUsage().maxRSS / 1000;
      return [...large, ...small, { name: 'memory while sending, most', value: maxMB, unit: 'MB' }];
    } finally {
      host.dispose();
      connection.dispose();
      master.dispose();
    }
  } finally {
    await sshd.dispose();
    await rm(memory, { recursive: true, force: true });
  }
}

async function largeLoad(folder: string, { largeName, largeBytes, rounds }: Terms): Promise<Load> {
  const load = {
    name: largeName,
    source: join(folder, 'large'),
    target: join(folder, 'target'),
    tail: '',
    rounds,
  } as const;
  await using file = await open(load.source, 'w');
  const piece = randomBytes(16 * 2 ** 20);
  for (let written = 0; written < largeBytes; written += piece.length) {
    piece.writeUInt32LE(written / piece.length);
    await file.write(piece);
  }
  return load;
}

async function smallLoad(folder: string, { files, rounds }: Terms): Promise<Load> {
  const load = {
    name: `${files.toLocaleString('en-GB')} files`,
    source: join(folder, 'small'),
    target: join(folder, 'target'),
    tail: '/',
    rounds,
  } as const;
  for (let index = 0; index < files; index++) {
    const parent = join(load.source, `d${index % 200}`);
    if (index < 200) await mkdir(parent, { recursive: true });
    await writeFile(join(parent, `f${index}`), randomBytes(1024 + ((index * 7919) % 7168)));
  }
  return load;
}

async function compared(
  { local, host, master }: Bed,
  { name, source, target, tail, rounds }: Load,
): Promise<Figure[]> {
  const ours = (from: Machine, to: Machine) => async (): Promise<void> => {
    const report = await transfer({
      from: { machine: from, path: source },
      to: { machine: to, path: target },
    });
    if (report.outcome !== 'complete')
      throw new Error(`The transfer of ${name} was ${report.outcome}.`);
  };
  const theirs = (from: string, to: string) => (): Promise<void> => rsync(master, from, to);
  const up = {
    rounds,
    ours: ours(local, host),
    theirs: theirs(`${source}${tail}`, `127.0.0.1:${target}`),
  };
  const down = {
    rounds,
    ours: ours(host, local),
    theirs: theirs(`127.0.0.1:${source}${tail}`, target),
  };
  const clear = (): Promise<void> => rm(target, { recursive: true, force: true });
  const figures = [
    ...(await paired(`${name} up`, up, clear)),
    ...(await paired(`${name} down`, down, clear)),
    ...(await paired(`${name} again`, up, () => Promise.resolve())),
  ];
  await clear();
  return figures;
}

interface Pair {
  readonly rounds: number;
  readonly ours: () => Promise<void>;
  readonly theirs: () => Promise<void>;
}

/** Takes both in turns, each after `ready`; who goes first alternates. */
async function paired(
  name: string,
  { rounds, ours, theirs }: Pair,
  ready: () => Promise<void>,
): Promise<Figure[]> {
  const oursMs: number[] = [];
  const theirsMs: number[] = [];
  const inTurn = [
    { timesMs: oursMs, work: ours },
    { timesMs: theirsMs, work: theirs },
  ];
  for (let round = 0; round < rounds; round++)
    for (const { timesMs, work } of round % 2 === 0 ? inTurn : inTurn.toReversed()) {
      await ready();
      timesMs.push(await timed(work));
    }
  const ratio = median(oursMs) / median(theirsMs);
  return [
    { name, value: median(oursMs), unit: 'ms' },
    { name: `${name}, rsync`, value: median(theirsMs), unit: 'ms' },
    { name: `${name}: ours to rsync's`, value: ratio, unit: '×', aim: { atMost: 1.2 } },
  ];
}

async function rsync(master: SshMaster, from: string, to: string): Promise<void> {
  await promisify(execFile)('rsync', [
    '-a',
    '-s',
    '-e',
    `ssh ${master.options.join(' ')}`,
    from,
    to,
  ]);
}

/** Installs it on Debian, as root, when it is missing. */
async function installRsync(): Promise<void> {
  if (existsSync(rsyncProgram)) return;
  await installPackages('rsync');
  if (!existsSync(rsyncProgram))
    throw new Error('rsync is missing, which the transfers are compared with.');
}
