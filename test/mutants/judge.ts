/** Whether tests kill a mutant. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, mutated, type Mutant, type Sources } from './mutant.ts';
import type { TestRun, Tree } from './tree.ts';

export interface Verdict {
  readonly outcome: 'killed' | 'survived';
  /** The test file that killed it and what it said, or how many did not. */
  readonly why: string;
  /** The test files this rests on: the one that killed it, or all that were asked. */
  readonly tests: readonly string[];
}

const graceMs = 20_000;
const firstLimitMs = 600_000;

export class Judge {
  readonly #sources: Sources;
  readonly #unmutated = new Map<string, Promise<TestRun>>();
  /** The test files that fail without a mutant, and why. */
  readonly unsteady = new Map<string, string>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async judge(tree: Tree, mutant: Mutant, tests: readonly string[]): Promise<Verdict> {
    const asked: string[] = [];
    for (const test of tests) {
      const usual = await this.#usual(tree, test);
      if (usual.outcome !== 'passed') continue;
      asked.push(test);
      const why = await this.#killedBy(tree, mutant, { test, limitMs: 4 * usual.ms + graceMs });
      if (why !== undefined) return { outcome: 'killed', why: `${test}: ${why}`, tests: [test] };
    }
    const why = asked.length === 0 ? 'no test executes it' : `${asked.length} test files pass`;
    return { outcome: 'survived', why, tests: asked };
  }

  /** How a test file ends without a mutant, found once for all trees. */
  async #usual(tree: Tree, test: string): Promise<TestRun> {
    const known = this.#unmutated.get(test) ?? tree.run(test, firstLimitMs);
    this.#unmutated.set(test, known);
    const usual = await known;
    if (usual.outcome !== 'passed') this.unsteady.set(test, usual.why);
    return usual;
  }

  async #killedBy(
    tree: Tree,
    mutant: Mutant,
    { test, limitMs }: { test: string; limitMs: number },
  ): Promise<string | undefined> {
    const text = this.#sources.get(mutant.file) ?? '';
    tree.write(mutant.file, mutated(text, mutant));
    try {
      const first = await tree.run(test, limitMs);
      if (first.outcome === 'passed') return undefined;
      if (first.outcome === 'failed') return first.why;
      // On a busy machine something may be late once.
      const second = await tree.run(test, limitMs);
      return second.outcome === 'passed' ? undefined : second.why;
    } finally {
      tree.write(mutant.file, text);
    }
  }
}

/** What a verdict rests on: while it is the same, so is the verdict. */
export function groundsOf(
  root: string,
  text: string,
  mutant: Mutant,
  tests: readonly string[],
): string {
  return hashOf(
    mutated(text, mutant),
    ...tests.map((test) => readFileSync(join(root, test), 'utf8')),
  );
}
