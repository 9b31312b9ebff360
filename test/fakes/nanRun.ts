/** A training with children that computes NaN, and when it was gone: what a watchdog has to end. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { procFolder } from '../setup/proc.ts';

/**
 * Prints twenty losses, then NaN, and would go on for ever. Writes its processes into `pids`, and
 * into `nan` when it wrote the first byte of NaN. With `isStubborn` one of its children does not
 * heed TERM.
 */
export const nanCommand = (folder: string, isStubborn: boolean): string =>
  [
    'sleep 600 & echo $! $$ >pids.new',
    ...(isStubborn ? [`(trap '' TERM; while :; do sleep 0.2; done) & echo $! >>pids.new`] : []),
    'mv pids.new pids',
    'for step in $(seq 20); do echo "step=$step loss=1.$step"; sleep 0.01; done',
    'date +%s%N >nan',
    'echo step=21 loss=nan',
    'while :; do sleep 0.2; done',
  ].reduce((script, line) => `${script}\n${line}`, `mkdir -p ${folder} && cd ${folder}`);

/**
 * Milliseconds from the first byte of NaN to the moment at which no process of it lives; rejects
 * after 60 s.
 */
export async function killedAfter(folder: string): Promise<number> {
  const endMs = performance.now() + 60_000;
  const wait = async <T>(
    what: string,
    refresh: () => Promise<T | undefined> | T | undefined,
  ): Promise<T> => {
    for (;;) {
      const found = await refresh();
      if (found !== undefined) return found;
      if (performance.now() > endMs) throw new Error(`Not within 60 s: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  };
  const fileOf = (name: string) => (): Promise<string | undefined> =>
    readFile(path.join(folder, name), 'utf8').then(
      (text) => text.trim() || undefined,
      () => undefined,
    );
  const pids = (await wait('it begins', fileOf('pids'))).split(/\s+/);
  const nan = await wait('it computes NaN', fileOf('nan'));
  await wait('it is gone', () => (pids.some(isAlive) ? undefined : true));
  return Date.now() - Number(nan) / 1e6;
}

/** One that ended and was not waited for is dead. */
function isAlive(pid: string): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`${procFolder}/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
