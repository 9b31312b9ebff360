/** What came of the mutants: kept for the next run, and as a table. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outFolder } from '../setup/paths.ts';
import type { Verdict } from './judge.ts';
import { equivalents } from './survivors.ts';

export interface Result extends Verdict {
  readonly id: string;
  readonly part: string;
  /** `src/a.ts:12` */
  readonly place: string;
  readonly change: string;
  readonly grounds: string;
  readonly ms: number;
}

const resultsFile = join(outFolder, 'mutants/results.json');
const minShare = 0.85;

export const readResults = (): readonly Result[] =>
  existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Result[]) : [];

/** Results of mutants that were not asked for this time stay. */
export function writeResults(results: readonly Result[]): void {
  const all = new Map([...readResults(), ...results].map((result) => [result.id, result]));
  mkdirSync(dirname(resultsFile), { recursive: true });
  writeFileSync(resultsFile, `${JSON.stringify([...all.values()], undefined, 1)}\n`);
}

/**
 * True when tests kill enough of each part. A survivor that is known to change nothing is not
 * counted.
 */
export function printTable(results: readonly Result[], log: (line: string) => void): boolean {
  const isEquivalent = ({ id, outcome }: Result): boolean =>
    outcome === 'survived' && equivalents[id] !== undefined;
  const parts = Map.groupBy(results, ({ part }) => part);
  const rows = [...parts].map(([part, own]) => {
    const counted = own.filter((result) => !isEquivalent(result));
    const killed = counted.filter(({ outcome }) => outcome === 'killed').length;
    const share = counted.length === 0 ? 1 : killed / counted.length;
    return {
      part,
      killed,
      all: counted.length,
      share,
      survivors: own.filter(({ outcome }) => outcome === 'survived'),
    };
  });
  for (const { part, killed, all, share, survivors } of rows) {
    const numbers = `${killed}/${all}`.padStart(7);
    const mark = share < minShare ? `  below ${100 * minShare} %` : '';
    log(`${part.padEnd(18)} ${numbers} ${(100 * share).toFixed(0).padStart(4)} %${mark}`);
    for (const { id, place, change, why } of survivors) {
      log(
        `    ${id}  ${place}  ${change}  (${equivalents[id] ? `changes nothing: ${equivalents[id]}` : why})`,
      );
    }
  }
  const killed = rows.reduce((sum, row) => sum + row.killed, 0);
  const all = rows.reduce((sum, row) => sum + row.all, 0);
  log(`${killed} of ${all} killed`);
  return rows.every(({ share }) => share >= minShare);
}
