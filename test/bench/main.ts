/**
 * Runs the benchmarks that are named on the command line, or all; prints a table and writes
 * `bench/results.json`. Exits with 1 when one is broken, or misses an aim that is a matter of
 * correctness.
 *   --tiny             as little of each as shows that it works
 *   --against <ref>    beside an old commit, in turns, so many --rounds; prints what has become worse
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runAgainst } from './against.ts';
import { benchmarks } from './benchmarks.ts';
import { isMet, isWrong, type Size } from './figure.ts';
import { emptyProcessMs, measure } from './measure.ts';
import { benchFolder } from './scratch.ts';
import { figureLine, shown } from './table.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tiny: { type: 'boolean', default: false },
    against: { type: 'string' },
    rounds: { type: 'string', default: '5' },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0)
  throw new Error(
    `There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}.`,
  );
const names = positionals.length > 0 ? positionals : Object.keys(benchmarks);
const size: Size = options.tiny ? 'tiny' : 'full';

if (options.against === undefined) await runAll();
else await runAgainst(options.against, { names, size, rounds: Number(options.rounds) });

async function runAll(): Promise<void> {
  const loadAtStart = loadavg()[0];
  const startedMs = performance.now();
  const results: Record<string, object> = {};
  for (const name of names) results[name] = await run(name);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const file = join(benchFolder, 'results.json');
  const machine = {
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / 2 ** 30),
    /**
     * Of the last minute, before the first benchmark and after the last: above `cores`, others were
     * at work.
     */
    load: [loadAtStart, loadavg()[0]],
  };
  const all = { at: new Date().toISOString(), size, seconds, machine, results };
  await mkdir(benchFolder, { recursive: true });
  await writeFile(file, `${JSON.stringify(all, undefined, 2)}\n`);
  console.log(`\n${seconds} s, written to ${file}`);
}

async function run(name: string): Promise<object> {
  const emptyMs = await emptyProcessMs();
  console.log(`\n${name} (an empty process takes ${shown(emptyMs)} ms now)`);
  const startedMs = performance.now();
  try {
    const figures = await measure(name, size);
    for (const figure of figures) console.log(figureLine(figure));
    if (figures.some(isWrong)) process.exitCode = 1;
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    return {
      seconds,
      emptyMs,
      figures: figures.map((figure) => ({ ...figure, isMet: isMet(figure) })),
    };
  } catch (error) {
    console.log(`  broken: ${String(error)}`);
    process.exitCode = 1;
    return { broken: String(error) };
  }
}
