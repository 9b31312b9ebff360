/**
 * Runs the benchmarks that are named on the command line, or all; prints a table and writes `bench/results.json`. Each
 * has a process of its own, so that none warms up or burdens the next. Exits with 1 only when one is broken.
 */
import { fork } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { benchmarks, limitsMs } from './benchmarks.ts';
import { isMet, type Figure } from './figure.ts';
import { benchFolder, inScratch } from './scratch.ts';
import { figureLine } from './table.ts';

const usualLimitMs = 120_000;

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0)
  throw new Error(`There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}.`);

/** In a process of its own, which is ended when it takes too long. */
function figuresOf(name: string, folder: string): Promise<readonly Figure[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Figure[]>();
  const child = fork(join(import.meta.dirname, 'one.ts'), [name, folder], {
    execArgv: ['--expose-gc'],
    timeout: limitsMs[name] ?? usualLimitMs,
  });
  child.once('message', (figures) => resolve(figures as readonly Figure[]));
  child.once('error', reject);
  child.once('exit', (code, signal) => reject(new Error(`${name} ended with ${signal ?? code} and no figures`)));
  return promise;
}

const machine = (): object => ({
  node: process.version,
  system: `${process.platform} ${process.arch}`,
  processor: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryGB: Math.round(totalmem() / 2 ** 30),
  /** Of the last minute, before the first benchmark and after the last: above `cores`, others were at work. */
  load: [loadAtStart, loadavg()[0]],
});

const loadAtStart = loadavg()[0];
const startedMs = performance.now();
const results: Record<string, readonly object[] | { readonly broken: string }> = {};
for (const name of asked.length > 0 ? asked : Object.keys(benchmarks)) {
  console.log(`\n${name}`);
  try {
    const figures = await inScratch((folder) => figuresOf(name, folder));
    for (const figure of figures) console.log(figureLine(figure));
    results[name] = figures.map((figure) => ({ ...figure, isMet: isMet(figure) }));
  } catch (error) {
    console.log(`  broken: ${String(error)}`);
    results[name] = { broken: String(error) };
    process.exitCode = 1;
  }
}
const seconds = Math.round((performance.now() - startedMs) / 1000);
const file = join(benchFolder, 'results.json');
await mkdir(benchFolder, { recursive: true });
await writeFile(
  file,
  `${JSON.stringify({ at: new Date().toISOString(), seconds, machine: machine(), results }, undefined, 2)}\n`,
);
console.log(`\n${seconds} s, written to ${file}`);
