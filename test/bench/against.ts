/**
 * The same benchmarks of an old commit and of this checkout, in turns, so that what else the
 * machine does burdens both.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compare } from './comparison.ts';
import type { Figure, Size } from './figure.ts';
import { measure, thisCheckout } from './measure.ts';
import { benchFolder } from './scratch.ts';
import { shown } from './table.ts';

export interface AgainstTerms {
  readonly names: readonly string[];
  readonly size: Size;
  readonly rounds: number;
}

/** The fewest that say how much rounds differ by themselves. */
const minRounds = 3;
const nameWidth = 56;

/**
 * Prints a table; exits with 1 only where a benchmark is broken. An old commit from before `--tiny`
 * runs in full.
 */
export async function runAgainst(
  ref: string,
  { names, size, rounds }: AgainstTerms,
): Promise<void> {
  if (!(rounds >= minRounds))
    throw new Error(`At least ${minRounds} rounds are needed, not ${rounds}.`);
  const old = await checkOut(ref);
  const remove = ['worktree', 'remove', '--force', old];
  process.once('SIGINT', () => {
    execFileSync('git', remove, { cwd: thisCheckout });
    process.exit(130);
  });
  try {
    for (const name of names) {
      console.log(`\n${name}, ${rounds} rounds`);
      const sides = { old: new Rounds(), new: new Rounds() };
      const inTurn = [
        { into: sides.old, checkout: old },
        { into: sides.new, checkout: thisCheckout },
      ];
      try {
        for (let round = 0; round < rounds; round += 1)
          for (const { into, checkout } of round % 2 === 0 ? inTurn : inTurn.toReversed())
            into.add(await measure(name, size, checkout));
        for (const line of linesOf(sides)) console.log(line);
      } catch (error) {
        console.log(`  broken: ${String(error)}`);
        process.exitCode = 1;
      }
    }
  } finally {
    await git(...remove);
  }
}

/** The figures of one checkout, each with its values of all rounds. */
class Rounds {
  readonly figures = new Map<string, { readonly figure: Figure; readonly values: number[] }>();

  add(figures: readonly Figure[]): void {
    for (const figure of figures) {
      const before = this.figures.get(figure.name)?.values ?? [];
      this.figures.set(figure.name, { figure, values: [...before, figure.value] });
    }
  }
}

function linesOf(sides: { readonly old: Rounds; readonly new: Rounds }): string[] {
  const lines = [...sides.new.figures.values()].map(({ figure, values }) => {
    const name = `  ${figure.name.padEnd(nameWidth)}  `;
    const before = sides.old.figures.get(figure.name);
    if (before === undefined) return `${name}only in the new one`;
    const { verdict, oldMedian, newMedian, spread } = compare(figure, before.values, values);
    const change = `${shown(oldMedian)} → ${shown(newMedian)} ${figure.unit}`.padEnd(28);
    return `${name}${change}  ${`rounds differ by ${shown(spread)}`.padEnd(24)}  ${verdict}`;
  });
  const oldOnly = [...sides.old.figures.keys()].filter((name) => !sides.new.figures.has(name));
  return [...lines, ...oldOnly.map((name) => `  ${name.padEnd(nameWidth)}  only in the old one`)];
}

/** A worktree beside the results, with the packages that its lock file asks for. */
async function checkOut(ref: string): Promise<string> {
  const commit = await git('rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`);
  await mkdir(benchFolder, { recursive: true });
  const folder = join(benchFolder, `against-${commit.slice(0, 12)}`);
  await rm(folder, { recursive: true, force: true });
  await git('worktree', 'prune');
  await git('worktree', 'add', '--detach', folder, commit);
  const lock = (root: string): Promise<string> => readFile(join(root, 'package-lock.json'), 'utf8');
  if ((await lock(folder)) === (await lock(thisCheckout)))
    await symlink(join(thisCheckout, 'node_modules'), join(folder, 'node_modules'));
  else await install(folder);
  return folder;
}

async function install(folder: string): Promise<void> {
  const [code] = (await once(spawn('npm', ['ci'], { cwd: folder, stdio: 'inherit' }), 'exit')) as [
    number | null,
  ];
  if (code !== 0) throw new Error(`npm ci in ${folder} ended with ${code}.`);
}

const git = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('git', args, { cwd: thisCheckout })).stdout.trim();
