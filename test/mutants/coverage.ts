/**
 * Which test files execute which lines of the product, as V8 counts it, also in the processes that
 * tests start.
 */
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  existsSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outFolder } from '../setup/paths.ts';
import { hashOf, linesOf, type Mutant, type Sources } from './mutant.ts';
import type { Tree } from './tree.ts';

export interface Coverage {
  /** Of the text of the test file. */
  readonly hash: string;
  readonly ms: number;
  /** By source file: the hash of its text, and the lines that are executed as `1-4,9`. */
  readonly lines: Readonly<Record<string, readonly [hash: string, lines: string]>>;
}

/** By test file. */
export type CoverageMap = Record<string, Coverage>;

const mapFile = join(outFolder, 'mutants/coverage.json');
const mapLimitMs = 900_000;

/** Tests that look for what nobody has thought of: too long to ask of each mutant. */
const chaos = /\/(?:hostileGit|longSession|crash|sweepCrash)\.test\.ts$/;

export const readMap = (): CoverageMap =>
  existsSync(mapFile) ? (JSON.parse(readFileSync(mapFile, 'utf8')) as CoverageMap) : {};

export function writeMap(map: CoverageMap): void {
  mkdirSync(dirname(mapFile), { recursive: true });
  writeFileSync(mapFile, JSON.stringify(map));
}

/**
 * The unit test files whose coverage is not known or, where `isStrict`, was found with other code.
 */
export function unmapped(
  root: string,
  map: CoverageMap,
  sources: Sources,
  isStrict: boolean,
): readonly string[] {
  const hashes = new Map([...sources].map(([file, text]) => [file, hashOf(text)]));
  return globSync('test/unit/**/*.test.ts', { cwd: root })
    .toSorted()
    .filter((test) => {
      const known = map[test];
      if (known?.hash !== hashOf(readFileSync(join(root, test), 'utf8'))) return true;
      return (
        isStrict && Object.entries(known.lines).some(([file, [hash]]) => hashes.get(file) !== hash)
      );
    });
}

/** Runs a test file and counts what it executes, also where it fails. */
export async function cover(tree: Tree, test: string, sources: Sources): Promise<Coverage> {
  const folder = join(dirname(tree.root), 'coverage');
  rmSync(folder, { recursive: true, force: true });
  // Code from a cache is counted by whole functions only.
  const { ms } = await tree.run(test, mapLimitMs, {
    NODE_V8_COVERAGE: folder,
    NODE_DISABLE_COMPILE_CACHE: '1',
  });
  const executed = new Map<string, Set<number>>();
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    readReport(join(folder, name), tree, sources, executed);
  const lines = [...executed].map(([file, own]) => [
    file,
    [hashOf(sources.get(file) ?? ''), pack(own)],
  ]);
  const hash = hashOf(readFileSync(join(tree.root, test), 'utf8'));
  return { hash, ms, lines: Object.fromEntries(lines) as Coverage['lines'] };
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Report {
  readonly result: readonly { url: string; functions: readonly { ranges: readonly Range[] }[] }[];
}

function readReport(
  file: string,
  tree: Tree,
  sources: Sources,
  executed: Map<string, Set<number>>,
): void {
  for (const { url, functions } of reportOf(file).result) {
    const name = url.startsWith('file:') ? relative(tree.root, fileURLToPath(url)) : '';
    const text = sources.get(name);
    if (text === undefined) continue;
    const lines = executed.get(name) ?? new Set();
    for (const line of executedLines(
      text,
      functions.flatMap(({ ranges }) => ranges),
    ))
      lines.add(line);
    executed.set(name, lines);
  }
}

/** What a process wrote that was ended meanwhile is no report. */
function reportOf(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return { result: [] };
  }
}

/**
 * The lines, the first being 1, of which some character is executed. Ranges lie in one another; the
 * innermost counts.
 */
export function executedLines(text: string, ranges: readonly Range[]): readonly number[] {
  const isExecuted = new Uint8Array(text.length);
  for (const { startOffset, endOffset, count } of ranges.toSorted(
    (one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset,
  ))
    isExecuted.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  let at = 0;
  return text.split('\n').flatMap((line, index) => {
    const start = at;
    at += line.length + 1;
    return [...line].some((sign, column) => sign.trim() !== '' && isExecuted[start + column] === 1)
      ? [index + 1]
      : [];
  });
}

function pack(lines: ReadonlySet<number>): string {
  const starts = [...lines]
    .filter((line) => !lines.has(line - 1))
    .toSorted((one, other) => one - other);
  return starts
    .map((start) => {
      let end = start;
      while (lines.has(end + 1)) end += 1;
      return `${start}-${end}`;
    })
    .join();
}

const spans = (packed: string): readonly (readonly [number, number])[] =>
  packed.split(',').map((span) => span.split('-').map(Number) as [number, number]);

/**
 * The test files that execute a mutant, at most `max`, the nearest by name; up to twice as many
 * where they are of the mutant's own folder. The fastest comes first. Code that has changed since
 * it was counted is taken as a whole.
 */
export function testsFor(
  mutant: Mutant,
  map: CoverageMap,
  sources: Sources,
  max: number,
): readonly string[] {
  const loader = loaderOf(mutant.file, sources);
  const hash = hashOf(sources.get(loader) ?? '');
  const { first, last } =
    loader === mutant.file
      ? linesOf(sources.get(loader) ?? '', mutant)
      : { first: 0, last: Infinity };
  const found = Object.entries(map).flatMap(([test, { lines, ms }]) => {
    const [known, packed = ''] = lines[loader] ?? [];
    const own = spans(packed);
    const isMet =
      known !== undefined &&
      (known !== hash || own.some(([from, to]) => from <= last && to >= first));
    const share = own.reduce((sum, [from, to]) => sum + to - from + 1, 0);
    return isMet
      ? [
          {
            test,
            ms,
            share,
            nearness: nearness(test, mutant.file),
            isOwn: isOwn(test, mutant.file),
          },
        ]
      : [];
  });
  const calm = found.filter(({ test }) => !chaos.test(test));
  return (calm.length > 0 ? calm : found)
    .toSorted(
      (one, other) =>
        Number(other.isOwn) - Number(one.isOwn) ||
        other.nearness - one.nearness ||
        other.share - one.share ||
        one.ms - other.ms,
    )
    .filter((each, index) => index < (each.isOwn ? 2 * max : max))
    .toSorted((one, other) => one.ms - other.ms)
    .map(({ test }) => test);
}

/**
 * The file whose coverage counts: of a shell script the one that loads it, since only JavaScript is
 * counted.
 */
function loaderOf(file: string, sources: Sources): string {
  if (!file.endsWith('.sh')) return file;
  const loads = `shellText('./${basename(file)}'`;
  const loader = [...sources].find(
    ([other, text]) => dirname(other) === dirname(file) && text.includes(loads),
  );
  return loader?.[0] ?? file;
}

/**
 * `runs/kill.test.ts` and `agent/loop.test.ts` are tests of the folders `runs` and `agent/loop`.
 */
function isOwn(test: string, file: string): boolean {
  const folder = dirname(relative('src', file));
  const rest = relative('test/unit', test);
  return rest.startsWith(folder) && /^[/.A-Z]/.test(rest.slice(folder.length));
}

function nearness(test: string, file: string): number {
  const own = relative('src', file).replace(/\.ts$/, '').split('/');
  const folders = dirname(relative('test/unit', test)).split('/');
  const common = own.findIndex((name, index) => name !== folders[index]);
  const name = basename(test, '.test.ts').toLowerCase();
  const isNamed = own.slice(1).some((part) => name.includes(part.toLowerCase()));
  return common + (isNamed ? 1 : 0);
}
