/**
 * The mocha reporter of every tier: prints like `spec` and leaves the counts for `npm test`. They
 * never look better than the run was: one that breaks off counts as a failure more, whatever the
 * exit code is that it broke off with.
 *   HELIOS_TEST_COUNTS  file for the counts and what failed (`Counts`), written when the tier has ended
 *   HELIOS_TEST_OUTPUT  file for the printed lines, for a process whose console nobody reads
 */
import { appendFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import { isNotRunHere } from './needs.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly pending: number;
  /** Tests whose system is missing here; not in `passed`. */
  readonly notRunHere: number;
  readonly failures: readonly Failure[];
  /** How many passed in each file, relative to the repository. */
  readonly passedIn: Readonly<Record<string, number>>;
}

export interface Failure {
  /**
   * Relative to the repository; none where a run broke off, which no file is known to have done.
   */
  readonly file?: string;
  readonly test: string;
  /** The beginning of the error, on one line: with the values that differ. */
  readonly why: string;
  /** What was waited for did not come in time; nothing was found to be other than it must be. */
  readonly isLate?: true;
}

const maxWhyChars = 400;

const countsFile = process.env['HELIOS_TEST_COUNTS'];
const outputFile = process.env['HELIOS_TEST_OUTPUT'];

export class Reporter extends Mocha.reporters.Spec {
  readonly #failures: Failure[] = [];
  readonly #passedIn: Record<string, number> = {};
  #notRunHere = 0;
  #ended = false;

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    if (outputFile) Mocha.reporters.Base.consoleLog = print;
    runner.prependListener('fail', nameTheFile);
    runner.on('pass', ({ file = '', title }: Mocha.Test) => {
      if (isNotRunHere(title)) {
        this.#notRunHere += 1;
        return;
      }
      const name = relative(process.cwd(), file);
      this.#passedIn[name] = (this.#passedIn[name] ?? 0) + 1;
    });
    runner.on('fail', (runnable: Mocha.Runnable, error: unknown) =>
      this.#failures.push(failureOf(runnable, error)),
    );
    runner.once('end', () => {
      this.#ended = true;
      if (this.#notRunHere > 0) print(`  ${this.#notRunHere} not run here\n`);
      writeCounts(this.#counts());
    });
    process.once('exit', () => {
      if (!this.#ended) this.#breakOff();
    });
  }

  #counts(): Counts {
    const { passes: passed, failures: failed, pending } = this.stats;
    return {
      passed: passed - this.#notRunHere,
      failed,
      pending,
      notRunHere: this.#notRunHere,
      failures: this.#failures,
      passedIn: this.#passedIn,
    };
  }

  /**
   * A worker that died while it had nothing to do lets mocha wait for it until nothing is left to
   * wait for: code 0.
   */
  #breakOff(): void {
    this.stats.duration ??= Date.now() - (this.stats.start?.getTime() ?? Date.now());
    this.epilogue();
    print(
      'The run broke off before its end: a test ended the process, or something was thrown after its test was over.',
    );
    const counts = this.#counts();
    const brokenOff = { test: 'the run as a whole', why: 'broke off before its end' };
    writeCounts({
      ...counts,
      failed: counts.failed + 1,
      failures: [...counts.failures, brokenOff],
    });
    process.exitCode = 1;
  }
}

/**
 * What breaks a whole file (it cannot be loaded, its worker dies) belongs to no test; mocha notes
 * the file at the error.
 */
function nameTheFile(runnable: Mocha.Runnable, error: unknown): void {
  if (
    !runnable.file ||
    !(error instanceof Error && 'file' in error && error.file === runnable.file)
  )
    return;
  runnable.title = `${relative(process.cwd(), runnable.file)} did not run to its end`;
}

/** As mocha, Playwright and our own waiting say it. */
const late =
  /^(?:[\w.]+: )?(?:Timeout (?:of )?\d+ ?ms exceeded|Not (?:seen )?within \d|Never came true)/;

function failureOf(runnable: Mocha.Runnable, error: unknown): Failure {
  const why = beginningOf(messageOf(error));
  return {
    ...(runnable.file !== undefined && { file: relative(process.cwd(), runnable.file) }),
    test: runnable.fullTitle(),
    why,
    ...(late.test(why) && { isLate: true }),
  };
}

function beginningOf(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length > maxWhyChars ? `${line.slice(0, maxWhyChars)} …` : line;
}

/** What comes from a worker is no `Error` any more. */
const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : format(error);

/** For a suite that breaks before its tests could run or after they did. */
export function reportBreakdown(error: unknown): void {
  print(error);
  if (countsFile && !existsSync(countsFile)) {
    const failure = { test: 'the suite as a whole', why: beginningOf(format(error)) };
    writeCounts({
      passed: 0,
      failed: 1,
      pending: 0,
      notRunHere: 0,
      failures: [failure],
      passedIn: {},
    });
  }
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
