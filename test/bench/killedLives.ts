/**
 * The processes of a night that is disturbed: a session's, a window's with a background process
 * beside it, and how they are killed.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../src/base/errors.ts';
import type { SessionId } from '../../src/base/ids.ts';
import { homeAt } from '../../src/storage/home.ts';

/**
 * A `headless` one has nothing beside it; a `window` has a background process that goes on when it
 * is gone.
 */
export type LifeKind = 'headless' | 'window';

export interface LifeTerms {
  readonly kind: LifeKind;
  readonly home: string;
  readonly workFolder: string;
  /** The folder of the bundles. */
  readonly product: string;
  /** Of the model's server. */
  readonly url: string;
  readonly goal: string;
  /** How long a background process waits for the next window. */
  readonly graceMs: number;
  /** Absent: the session is begun. */
  readonly sessionId?: SessionId;
}

/** What a life tells its parent. */
export type LifeNews =
  { readonly upMs: number; readonly processorMs: number } | { readonly backgroundPid: number };

/** When something is killed: `share`, 0 to 1, is drawn at random. */
export interface StepDetail {
  readonly share: number;
  /** About how long it takes until the session goes on. */
  readonly bootMs: number;
}

export interface Lived {
  /** False where it ended by itself. */
  readonly wasKilled: boolean;
  readonly diedMs: number;
  /**
   * From the start of the process until the session went on; absent where it did not come to that.
   */
  readonly upMs?: number;
  /** Of all its threads until then; a busy machine does not distort it. */
  readonly processorMs?: number;
  readonly backgroundPid?: number;
}

/**
 * A quarter of the kills come before the session goes on, the others up to `longestLifeMs` after.
 */
const inBoot = 0.25;
const longestLifeMs = 600;
const refreshEveryMs = 10;
const maxBootMs = 20_000;

const inBootMs = ({ share, bootMs }: StepDetail): number | undefined =>
  share < inBoot ? (share / inBoot) * bootMs : undefined;
const afterBootMs = ({ share }: StepDetail): number =>
  ((share - inBoot) / (1 - inBoot)) * longestLifeMs;

/** Without a moment it lives until the session has ended. Rejects where it fails by itself. */
export async function live(terms: LifeTerms, moment?: StepDetail): Promise<Lived> {
  const life = fork(join(import.meta.dirname, 'nightLife.ts'), [JSON.stringify(terms)], {
    stdio: 'inherit',
  });
  const told: { upMs?: number; processorMs?: number; backgroundPid?: number } = {};
  let diedMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const killAfter = (ms: number | undefined): void => {
    if (ms === undefined || timer !== undefined) return;
    timer = setTimeout(() => {
      diedMs = Date.now();
      life.kill('SIGKILL');
    }, ms);
  };
  killAfter(moment && inBootMs(moment));
  life.on('message', (news) => {
    Object.assign(told, news);
    if (moment !== undefined && told.upMs !== undefined) killAfter(afterBootMs(moment));
  });
  const [code] = (await once(life, 'exit')) as [number | null];
  clearTimeout(timer);
  if (code !== null && code !== 0) throw new Error(`A process of the night ended with ${code}.`);
  return { wasKilled: code === null, diedMs, ...told };
}

export interface Kept {
  readonly wasKilled: boolean;
  /**
   * From the death of its window until the session went on, without the grace; absent where it did
   * not come to that.
   */
  readonly upMs?: number;
}

/**
 * Lets the background process of a window that is dead go on until the moment, and then kills it,
 * or leaves it alive.
 */
export async function keepOn(
  { backgroundPid = 0, diedMs }: Lived,
  { home, graceMs }: LifeTerms,
  { moment, isKilled }: { readonly moment: StepDetail; readonly isKilled: boolean },
): Promise<Kept> {
  const endMs = inBootMs({ ...moment, bootMs: moment.bootMs + graceMs });
  let upAtMs: number | undefined;
  for (
    const limitMs = Date.now() + (endMs ?? maxBootMs);
    Date.now() < limitMs && upAtMs === undefined;
  ) {
    upAtMs = await wentOnAt(home, diedMs);
    if (upAtMs === undefined && (await isGone(backgroundPid))) return { wasKilled: false };
    await delay(refreshEveryMs);
  }
  if (endMs === undefined) await delay(afterBootMs(moment));
  const wasKilled = isKilled && !(await isGone(backgroundPid));
  if (wasKilled) endBackground(backgroundPid);
  return { wasKilled, ...(upAtMs !== undefined && { upMs: upAtMs - diedMs - graceMs }) };
}

/** Ends background processes that still wait to see whether their session needs them. */
export async function endAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) if (!(await isGone(pid))) endBackground(pid);
}

/** It and the process that does its work, which are a group. */
const endBackground = (pid: number): boolean => process.kill(-pid, 'SIGKILL');

/** The first time since then, as the log of the background says. */
async function wentOnAt(home: string, sinceMs: number): Promise<number | undefined> {
  const text = await textOf(homeAt(home).backgroundLogFile);
  const times = [...text.matchAll(/^(\S+) \d+ info Resumed session/gm)].map(([, at = '']) =>
    Date.parse(at),
  );
  return times.find((atMs) => atMs >= sinceMs);
}

const isGone = async (pid: number): Promise<boolean> =>
  /^$|\) [ZX] /.test(await textOf(`/proc/${pid}/stat`));

/** Empty where there is no such file. */
export async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return '';
    throw error;
  }
}
