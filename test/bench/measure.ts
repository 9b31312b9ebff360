/**
 * One benchmark in a process of its own, so that none warms up, fills the heap of, or delays the
 * next.
 */
import { execFile, fork } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { limitsMs, ofProduct } from './benchmarks.ts';
import { figureAt, median, timed, type Figure, type Size } from './figure.ts';
import { whenBuilt } from '../setup/paths.ts';
import { buildProduct } from './product.ts';
import { inScratch } from './scratch.ts';

const usualLimitMs = 120_000;
const emptyRounds = 5;

export const thisCheckout = resolve(import.meta.dirname, '../..');

/** The product of this checkout is built once, for all benchmarks that this process starts. */
let built: Promise<string> | undefined;

/** Runs the code of a checkout; ends the process when it takes too long. */
export function measure(
  name: string,
  size: Size,
  checkout = thisCheckout,
): Promise<readonly Figure[]> {
  return inScratch(async (folder) => {
    const isBuilt = checkout === thisCheckout && ofProduct.has(name);
    if (isBuilt) await (built ??= buildProduct());
    const figures = await figuresOf(join(checkout, 'test/bench/one.ts'), [name, folder, size], {
      limitMs: limitsMs[name] ?? usualLimitMs,
      env: isBuilt ? whenBuilt : {},
    });
    return figures.map((figure) => figureAt(size, figure));
  });
}

function figuresOf(
  file: string,
  args: readonly string[],
  { limitMs, env }: { readonly limitMs: number; readonly env: Readonly<Record<string, string>> },
): Promise<readonly Figure[]> {
  const { promise, resolve: give, reject } = Promise.withResolvers<readonly Figure[]>();
  const child = fork(file, args, {
    execArgv: ['--expose-gc'],
    timeout: limitMs,
    env: { ...process.env, ...env },
  });
  child.once('message', (message) => {
    const news = message as readonly Figure[] | { readonly broken: string };
    if ('broken' in news) reject(new Error(news.broken));
    else give(news);
  });
  child.once('error', reject);
  child.once('exit', (code, signal) =>
    reject(new Error(`${args[0]} ended with ${signal ?? code} and no figures`)),
  );
  return promise;
}

/**
 * The speed of this machine at this moment: what a process of Node takes that does nothing, p50.
 */
export async function emptyProcessMs(): Promise<number> {
  const empty = (): Promise<unknown> => promisify(execFile)(process.execPath, ['-e', '0']);
  const timesMs: number[] = [];
  for (let round = 0; round < emptyRounds; round += 1) timesMs.push(await timed(empty));
  return median(timesMs);
}
