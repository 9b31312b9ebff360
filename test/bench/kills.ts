/** A night whose process is killed two hundred times, against one that nobody disturbs. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isSessionId } from '../../src/base/ids.ts';
import type { Ledger } from '../../src/experiments/ledger.ts';
import { homeAt } from '../../src/storage/home.ts';
import { random } from '../fakes/random.ts';
import { researcher } from '../fakes/researcher.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { homeOf, openEngine, workOf } from './bed.ts';
import { spread, type Figure } from './figure.ts';

const kills = Number(process.env.HELIOS_KILLS ?? 200);
const seed = Number(process.env.HELIOS_KILLS_SEED ?? 20_261_121);
const killsPerNight = 20;
/** Enough that a night is not over before its last kill. */
const rates = Array.from({ length: 20 }, (_, index) => Number((0.02 + index * 0.01).toFixed(2)));
const goal = 'bring loss < 3.5';
const longestLifeMs = 600;

export async function benchKills(folder: string): Promise<Figure[]> {
  const server = await startWireAnthropic(researcher({ rates, runSeconds: 0.3, steps: 5 }));
  const next = random(seed);
  const nights: Night[] = [];
  try {
    const calm = await essence(await live(join(folder, 'calm'), server.url));
    for (let left = kills; left > 0; left -= nights.at(-1)?.kills ?? left)
      nights.push(await disturbed({ folder: join(folder, `night-${left}`), url: server.url, next, calm, most: left }));
  } finally {
    await server.close();
  }
  const sum = (pick: (night: Night) => number): number => nights.reduce((total, night) => total + pick(night), 0);
  return [
    { name: 'kills at random moments', value: sum((night) => night.kills), unit: 'count', aim: { atLeast: kills } },
    { name: 'nights', value: nights.length, unit: 'count' },
    { name: 'runs lost', value: sum((night) => night.lost), unit: 'count', aim: none },
    { name: 'runs doubled', value: sum((night) => night.doubled), unit: 'count', aim: none },
    { name: 'rows of the ledgers that differ', value: sum((night) => night.differing), unit: 'count', aim: none },
    ...spread(
      'process started → the session goes on, its runs adopted',
      nights.flatMap(({ recoveriesMs }) => recoveriesMs),
      2_000,
    ),
  ];
}

const none = { atMost: 0 } as const;
const isTwice = (text: string): boolean => text !== 'x\n';

/** One life from the beginning to the end. */
async function live(folder: string, url: string): Promise<string> {
  const life = begin(folder, url);
  await once(life, 'exit');
  return folder;
}

interface Night {
  readonly kills: number;
  readonly lost: number;
  readonly doubled: number;
  readonly differing: number;
  /** From the start of a process that takes the session up until it goes on. */
  readonly recoveriesMs: readonly number[];
}

interface NightPlan {
  readonly folder: string;
  readonly url: string;
  readonly calm: readonly Row[];
  readonly most: number;
  /** Random, from 0 to 1. */
  next(): number;
}

async function disturbed({ folder, url, calm, most, next }: NightPlan): Promise<Night> {
  const recoveriesMs: number[] = [];
  let done = 0;
  for (let isAlive = true; isAlive && done < Math.min(most, killsPerNight);) {
    const [wasKilled, upMs] = await killedAt(begin(folder, url), next(), recoveriesMs.at(-1));
    if (done > 0 && upMs !== undefined) recoveriesMs.push(upMs);
    isAlive = wasKilled;
    if (wasKilled) done += 1;
  }
  if (done === 0) throw new Error('A whole night passed before the first kill: this machine is too slow, or too fast.');
  await live(folder, url);
  const runs = await started(folder);
  return {
    kills: done,
    recoveriesMs,
    lost: rates.length - runs.length,
    doubled: runs.filter(isTwice).length,
    differing: differing(calm, await essence(folder)),
  };
}

const begin = (folder: string, url: string): ChildProcess =>
  fork(join(import.meta.dirname, 'nightLife.ts'), [folder, url, goal], { stdio: 'inherit' });

/**
 * Kills it at a moment that `share` (0 to 1) picks: a quarter of them before the session goes on, the others up to
 * `longestLifeMs` after. False where it had ended by itself.
 */
async function killedAt(life: ChildProcess, share: number, bootMs = 1_000): Promise<[boolean, number | undefined]> {
  let upMs: number | undefined;
  const kill = (afterMs: number): NodeJS.Timeout => setTimeout(() => life.kill('SIGKILL'), afterMs);
  let timer = share < inBoot ? kill((share / inBoot) * bootMs) : undefined;
  life.on('message', (message) => {
    if (typeof message !== 'object' || !('upMs' in message)) return;
    upMs = Number(message.upMs);
    timer ??= kill(((share - inBoot) / (1 - inBoot)) * longestLifeMs);
  });
  const [code] = (await once(life, 'exit')) as [number | null];
  clearTimeout(timer);
  return [code === null, upMs];
}

const inBoot = 0.25;

type Row = Pick<Ledger['rows'][number], 'number' | 'label' | 'verdict' | 'metrics' | 'isChampion'>;

/** What must be the same, however often it was killed: not pids and times. */
async function essence(folder: string): Promise<Row[]> {
  const engine = await openEngine({ folder, model: new ScriptedModel([]) });
  const id = (await readdir(homeAt(homeOf(folder)).sessionsFolder)).find(isSessionId);
  if (id === undefined) throw new Error(`There is no session in ${folder}.`);
  const { ledger, state } = await engine.sessions.read(id);
  await engine.close();
  if (state.end?.reason !== 'goal') throw new Error(`The session ended with ${state.end?.reason}.`);
  return ledger.rows.map(({ number, label, verdict, metrics, isChampion }) => ({
    number,
    label,
    ...(verdict && { verdict }),
    metrics,
    isChampion,
  }));
}

const differing = (calm: readonly Row[], rough: readonly Row[]): number =>
  Math.abs(calm.length - rough.length) + calm.filter((row, index) => !isDeepStrictEqual(row, rough[index])).length;

/** What each run wrote when it began. */
async function started(folder: string): Promise<string[]> {
  const names = (await readdir(workOf(folder))).filter((name) => name.startsWith('started-'));
  return Promise.all(names.map((name) => readFile(join(workOf(folder), name), 'utf8')));
}
