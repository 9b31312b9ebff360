/**
 * A night whose processes are killed two hundred times, against one that nobody disturbs: the one
 * that works in a terminal, a window, and the background process that goes on after a window.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { isSessionId, type SessionId } from '../../src/base/ids.ts';
import type { Ledger } from '../../src/experiments/ledger.ts';
import { homeAt } from '../../src/storage/home.ts';
import { Lease } from '../../src/storage/lease.ts';
import { random } from '../fakes/random.ts';
import { researcher } from '../fakes/researcher.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { homeOf, openEngine, workOf } from './bed.ts';
import { none, spread, type Figure, type Size } from './figure.ts';
import { endAll, keepOn, live, textOf, type LifeKind, type LifeTerms } from './killedLives.ts';
import { productIn } from './product.ts';

/** A night has enough experiments that it is not over before its last kill. */
const sizes = {
  full: { kills: Number(process.env.HELIOS_KILLS ?? 200), experiments: 16 },
  tiny: { kills: 2, experiments: 4 },
};
const seed = Number(process.env.HELIOS_KILLS_SEED ?? 20_261_121);
const killsPerNight = 20;
const graceMs = 50;

export async function benchKills(folder: string, size: Size): Promise<Figure[]> {
  const { kills, experiments } = sizes[size];
  const rates = Array.from({ length: experiments }, (_, index) =>
    Number((0.02 + index * 0.01).toFixed(2)),
  );
  const product = await productIn(join(folder, 'product'));
  const server = await startWireAnthropic(researcher({ rates, runSeconds: 0.3, steps: 5 }));
  const next = random(seed);
  const nights: Night[] = [];
  const begin = (name: string): Promise<Night> =>
    Night.begin(join(folder, name), { product, url: server.url });
  try {
    const calm = await begin('calm');
    await calm.toEnd();
    for (let left = kills; left > 0; left -= nights.at(-1)?.kills.length ?? left) {
      const night = await begin(`night-${left}`);
      nights.push(night);
      await night.disturb(next, Math.min(left, killsPerNight));
      await night.compare(calm, experiments);
    }
  } finally {
    await server.close();
  }
  return figures(nights, kills);
}

function figures(nights: readonly Night[], kills: number): Figure[] {
  const sum = (pick: (night: Night) => number): number =>
    nights.reduce((total, night) => total + pick(night), 0);
  const killed = (kind: Victim): number =>
    sum((night) => night.kills.filter((each) => each === kind).length);
  const processorMs = nights.flatMap((night) => night.processorMs);
  const recoveries = (kind: Recovery): number[] =>
    nights.flatMap((night) => night.recoveriesMs[kind]);
  return [
    {
      name: 'kills at random moments',
      value: sum(({ kills: all }) => all.length),
      unit: 'count',
      aim: { atLeast: kills },
    },
    { name: 'of a process in a terminal', value: killed('headless'), unit: 'count' },
    { name: 'of a window', value: killed('window'), unit: 'count' },
    {
      name: 'of the background process that went on after it',
      value: killed('backgroundProcess'),
      unit: 'count',
    },
    { name: 'nights', value: nights.length, unit: 'count' },
    { name: 'runs lost', value: sum(({ lost }) => lost), unit: 'count', aim: none },
    { name: 'runs doubled', value: sum(({ doubled }) => doubled), unit: 'count', aim: none },
    {
      name: 'rows of the ledgers that differ',
      value: sum(({ differing }) => differing),
      unit: 'count',
      aim: none,
    },
    ...recoveryTexts.flatMap(({ kind, text }) =>
      recoveries(kind).length === 0 ? [] : spread(text, recoveries(kind), 2_000),
    ),
    ...(processorMs.length === 0
      ? []
      : spread('processor time of a process until the session goes on', processorMs)),
  ];
}

type Victim = LifeKind | 'backgroundProcess';
type Recovery = 'dead' | 'background' | 'backgroundProcess';

const recoveryTexts: readonly { readonly kind: Recovery; readonly text: string }[] = [
  { kind: 'dead', text: 'process started → the session goes on, its runs adopted' },
  { kind: 'background', text: 'the same, taken back from the background' },
  {
    kind: 'backgroundProcess',
    text: 'window dead → the background process goes on, without its grace',
  },
];

class Night {
  readonly kills: Victim[] = [];
  readonly recoveriesMs: Readonly<Record<Recovery, number[]>> = {
    dead: [],
    background: [],
    backgroundProcess: [],
  };
  readonly processorMs: number[] = [];
  readonly #folder: string;
  readonly #terms: Omit<LifeTerms, 'kind' | 'sessionId'>;
  readonly #backgroundPids: number[] = [];
  lost = 0;
  doubled = 0;
  differing = 0;

  private constructor(folder: string, server: Pick<LifeTerms, 'product' | 'url'>) {
    this.#folder = folder;
    this.#terms = {
      home: homeOf(folder),
      workFolder: workOf(folder),
      goal: 'bring loss < 3.5',
      graceMs,
      ...server,
    };
  }

  static async begin(folder: string, server: Pick<LifeTerms, 'product' | 'url'>): Promise<Night> {
    await mkdir(homeAt(homeOf(folder)).sessionsFolder, { recursive: true });
    await promisify(execFile)('git', ['init', '--quiet', workOf(folder)]);
    return new Night(folder, server);
  }

  /** Kills until `most` are dead or the session has ended; then lets it come to its end. */
  async disturb(next: () => number, max: number): Promise<void> {
    try {
      for (let isGoing = true; isGoing && this.kills.length < max;)
        isGoing = await this.#oneLife(next, max);
      if (this.kills.length === 0)
        throw new Error(
          'A whole night passed before the first kill: this machine is too slow, or too fast.',
        );
      await this.toEnd();
    } finally {
      await endAll(this.#backgroundPids);
    }
  }

  async toEnd(): Promise<void> {
    await live(await this.#termsOf('headless'));
  }

  async compare(calm: Night, experiments: number): Promise<void> {
    const runs = await this.#started();
    this.lost = experiments - runs.length;
    this.doubled = runs.filter((text) => text !== 'x\n').length;
    this.differing = differing(await calm.#essence(), await this.#essence());
  }

  /** False where nothing was killed, because the session came to its end. */
  async #oneLife(next: () => number, max: number): Promise<boolean> {
    const terms = await this.#termsOf(next() < 0.5 ? 'headless' : 'window');
    const from = await this.#recoversFrom(terms);
    const lived = await live(terms, { share: next(), bootMs: this.#bootMs('dead') });
    if (from !== undefined && lived.upMs !== undefined) this.recoveriesMs[from].push(lived.upMs);
    if (from !== undefined && lived.processorMs !== undefined)
      this.processorMs.push(lived.processorMs);
    if (!lived.wasKilled) return false;
    this.kills.push(terms.kind);
    if (lived.backgroundPid === undefined) return true;
    this.#backgroundPids.push(lived.backgroundPid);
    const isKilled = next() < 0.5 && this.kills.length < max;
    const kept = await keepOn(lived, terms, {
      isKilled,
      moment: { share: next(), bootMs: this.#bootMs('backgroundProcess') },
    });
    if (kept.upMs !== undefined) this.recoveriesMs.backgroundProcess.push(kept.upMs);
    if (kept.wasKilled) this.kills.push('backgroundProcess');
    return true;
  }

  #bootMs(recovery: Recovery): number {
    return this.recoveriesMs[recovery].at(-1) ?? 1_000;
  }

  async #termsOf(kind: LifeKind): Promise<LifeTerms> {
    const sessionId = await this.#sessionId();
    return { ...this.#terms, kind, ...(sessionId && { sessionId }) };
  }

  async #recoversFrom({ home, sessionId }: LifeTerms): Promise<Recovery | undefined> {
    if (sessionId === undefined) return undefined;
    const holder = await Lease.holder(homeAt(home).leaseFile(sessionId), systemClock);
    return holder === undefined ? 'dead' : 'background';
  }

  /** One that was killed over its first word has not begun. */
  async #sessionId(): Promise<SessionId | undefined> {
    const home = homeAt(homeOf(this.#folder));
    for (const id of (await readdir(home.sessionsFolder)).filter(isSessionId))
      if ((await textOf(home.journalFile(id))).includes('\n')) return id;
    return undefined;
  }

  /** What must be the same, however often it was killed: not pids and times. */
  async #essence(): Promise<Row[]> {
    const engine = await openEngine({ folder: this.#folder, model: new ScriptedModel([]) });
    const id = await this.#sessionId();
    if (id === undefined) throw new Error(`There is no session in ${this.#folder}.`);
    const { ledger, state } = await engine.sessions.read(id);
    await engine.close();
    if (state.end?.reason !== 'goal')
      throw new Error(`The session ended with ${state.end?.reason}.`);
    return ledger.rows.map(({ number, label, verdict, metrics, isChampion }) => ({
      ...{ number, label, metrics, isChampion },
      ...(verdict && { verdict }),
    }));
  }

  /** What each run wrote when it began. */
  async #started(): Promise<string[]> {
    const folder = workOf(this.#folder);
    const names = (await readdir(folder)).filter((name) => name.startsWith('started-'));
    return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  }
}

type Row = Pick<Ledger['rows'][number], 'number' | 'label' | 'verdict' | 'metrics' | 'isChampion'>;

const differing = (calm: readonly Row[], rough: readonly Row[]): number =>
  Math.abs(calm.length - rough.length) +
  calm.filter((row, index) => !isDeepStrictEqual(row, rough[index])).length;
