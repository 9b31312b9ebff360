/**
 * `npm run mutants`: puts faults into copies of the product, one at a time, and tells which of them
 * no unit test sees.
 *   --only PART|ID,…  those of a part (`agent` has `agent/loop`), or `aimed`, `drawn`, or single ones
 *   --file TEXT       those of files whose path has this text
 *   --each N          how many are drawn for each part (17);  --seed N, HELIOS_MUTANTS_SEED: which
 *   --max N           how many test files are asked at most (12);  --jobs N: how many at a time (2)
 *   --resume          asks only those whose code or tests have changed since they were judged
 *   --map             counts anew which tests execute what, where code or tests have changed, and ends
 *   --list            prints the mutants and ends
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cover, readMap, testsFor, unmapped, writeMap, type CoverageMap } from './coverage.ts';
import { groundsOf, Judge } from './judge.ts';
import {
  changeOf,
  linesOf,
  parseAimed,
  place,
  readSources,
  type Mutant,
  type Sources,
} from './mutant.ts';
import { defaultSeed, draw, drawnParts } from './random.ts';
import { printTable, readResults, writeResults, type Result } from './report.ts';
import { removeForsaken, removeTrees, Tree } from './tree.ts';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    file: { type: 'string', default: '' },
    each: { type: 'string', default: '17' },
    seed: { type: 'string', default: process.env['HELIOS_MUTANTS_SEED'] ?? String(defaultSeed) },
    max: { type: 'string', default: '12' },
    jobs: { type: 'string', default: '2' },
    resume: { type: 'boolean', default: false },
    map: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const log = (line: string): void => console.log(line);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    removeTrees();
    process.exit(130);
  });
}
removeForsaken();
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  removeTrees();
}

async function run(): Promise<boolean> {
  const first = await Tree.copy('0');
  const sources = readSources(first.root);
  const { mutants, stale } = mutantsOf(first.root, sources);
  for (const line of stale) log(`stale: ${line}`);
  if (options.list) for (const mutant of mutants) log(nameOf(mutant, sources));
  if (options.list) return stale.length === 0;
  const others = Array.from({ length: Number(options.jobs) - 1 }, (_, index) =>
    Tree.copy(`${index + 1}`, first.root),
  );
  const trees = [first, ...(await Promise.all(others))];
  const map = await mapped(trees, sources);
  if (options.map) return true;
  const { results, unsteady } = await judged(trees, sources, { mutants, map });
  const isEnough = printTable(results, log);
  for (const [test, why] of unsteady)
    log(`fails without a mutant, and was not asked: ${test}: ${why}`);
  return isEnough && stale.length === 0;
}

function mutantsOf(
  root: string,
  sources: Sources,
): { mutants: readonly Mutant[]; stale: readonly string[] } {
  const aimed = parseAimed(readFileSync(join(root, 'test/mutants/aimed.diff'), 'utf8')).map(
    (each) => ({
      id: each.id,
      placed: place(each, sources),
    }),
  );
  const seed = Number(options.seed);
  const drawn = drawnParts.flatMap((part) => draw(part, sources, seed, Number(options.each)));
  log(`${aimed.length} aimed, ${drawn.length} drawn with the seed ${seed}`);
  const only = options.only.split(',').filter(Boolean);
  const isMeant = (kind: string, { id, part, file }: Mutant): boolean =>
    file.includes(options.file) &&
    (only.length === 0 ||
      only.some((word) => [kind, id, part].includes(word) || part.startsWith(`${word}/`)));
  return {
    mutants: [
      ...aimed.flatMap(({ placed }) =>
        typeof placed !== 'string' && isMeant('aimed', placed) ? [placed] : [],
      ),
      ...drawn.filter((mutant) => isMeant('drawn', mutant)),
    ],
    stale: aimed.flatMap(({ id, placed }) =>
      typeof placed === 'string' ? [`${id}: ${placed}`] : [],
    ),
  };
}

function nameOf(mutant: Mutant, sources: Sources): string {
  const text = sources.get(mutant.file) ?? '';
  return `${mutant.id} ${mutant.file}:${linesOf(text, mutant).first}  ${changeOf(text, mutant)}`;
}

async function mapped(trees: readonly Tree[], sources: Sources): Promise<CoverageMap> {
  const map = readMap();
  const root = trees[0]?.root ?? '';
  const tests = unmapped(root, map, sources, options.map);
  await inTrees(trees, tests, async (tree, test) => {
    map[test] = await cover(tree, test, sources);
    log(`counted ${test} in ${(map[test].ms / 1000).toFixed(1)} s`);
    writeMap(map);
  });
  const known = new Set(unmapped(root, {}, sources, false));
  return Object.fromEntries(Object.entries(map).filter(([test]) => known.has(test)));
}

async function judged(
  trees: readonly Tree[],
  sources: Sources,
  { mutants, map }: { mutants: readonly Mutant[]; map: CoverageMap },
): Promise<{ results: readonly Result[]; unsteady: ReadonlyMap<string, string> }> {
  const judge = new Judge(sources);
  const before = new Map(options.resume ? readResults().map((result) => [result.id, result]) : []);
  const results: Result[] = [];
  await inTrees(trees, mutants, async (tree, mutant) => {
    const text = sources.get(mutant.file) ?? '';
    const tests = testsFor(mutant, map, sources, Number(options.max));
    const known = before.get(mutant.id);
    if (known && isStill(known, tree, { text, mutant, tests })) return void results.push(known);
    const startedMs = performance.now();
    const verdict = await judge.judge(tree, mutant, tests);
    const ms = Math.round(performance.now() - startedMs);
    const { id, part, file } = mutant;
    const where = `${file}:${linesOf(text, mutant).first}`;
    const grounds = groundsOf(tree.root, text, mutant, verdict.tests);
    results.push({
      ...verdict,
      id,
      part,
      place: where,
      change: changeOf(text, mutant),
      grounds,
      ms,
    });
    writeResults(results);
    log(
      `${verdict.outcome} in ${(ms / 1000).toFixed(0)} s: ${nameOf(mutant, sources)}  (${verdict.why})`,
    );
  });
  const order = new Map(mutants.map(({ id }, index) => [id, index]));
  results.sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
  return { results, unsteady: judge.unsteady };
}

/** A survivor is asked again when there are other tests for it. */
function isStill(
  known: Result,
  tree: Tree,
  { text, mutant, tests }: { text: string; mutant: Mutant; tests: readonly string[] },
): boolean {
  const all = new Set(unmapped(tree.root, {}, new Map(), false));
  if (!known.tests.every((test) => all.has(test))) return false;
  if (groundsOf(tree.root, text, mutant, known.tests) !== known.grounds) return false;
  return known.outcome === 'killed' || tests.every((test) => known.tests.includes(test));
}

/** Gives each tree the next item as soon as it has none. */
async function inTrees<T>(
  trees: readonly Tree[],
  items: readonly T[],
  work: (tree: Tree, item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  await Promise.all(
    trees.map(async (tree) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift())
        await work(tree, item);
    }),
  );
}
