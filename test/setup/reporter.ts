/**
 * The mocha reporter of every tier: prints like `spec` and leaves the counts for `npm test`.
 *   HELIOS_TEST_COUNTS  file for `{ passed, failed, pending }`, written when the tier has ended
 *   HELIOS_TEST_OUTPUT  file for the printed lines, for a process whose console nobody reads
 */
import { appendFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { format } from 'node:util';
import Mocha from 'mocha';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly pending: number;
}

const countsFile = process.env['HELIOS_TEST_COUNTS'];
const outputFile = process.env['HELIOS_TEST_OUTPUT'];

export class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    if (outputFile) Mocha.reporters.Base.consoleLog = print;
    runner.once('end', () => {
      const { passes: passed, failures: failed, pending } = this.stats;
      writeCounts({ passed, failed, pending });
    });
  }
}

/** For a suite that breaks before its tests could run or after they did. */
export function reportBreakdown(error: unknown): void {
  print(error);
  if (countsFile && !existsSync(countsFile)) writeCounts({ passed: 0, failed: 1, pending: 0 });
}

function print(...line: unknown[]): void {
  if (outputFile) appendFileSync(outputFile, `${format(...line)}\n`);
  else console.log(...line);
}

/** Whoever waits for the file must never read half of it. */
function writeCounts(counts: Counts): void {
  if (!countsFile) return;
  writeFileSync(`${countsFile}.part`, JSON.stringify(counts));
  renameSync(`${countsFile}.part`, countsFile);
}
