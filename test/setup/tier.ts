/** One tier as a process of its own, and what came of it. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { repositoryRoot } from './paths.ts';
import type { Counts, Failure } from './reporter.ts';

export interface Tier {
  /** Of package.json. */
  readonly script: string;
  readonly limitMinutes: number;
  /** Its output is printed when it is over. */
  readonly isBeside?: true;
  /**
   * The mocha configuration of a tier that drives programs of others, which may be late on a busy
   * machine. A few files whose tests only waited in vain are run once more; what passes then is
   * counted as unsteady.
   */
  readonly settings?: string;
}

export interface TierResult {
  readonly passed: number;
  readonly failed: number;
  readonly notRunHere: number;
  readonly failures: readonly Failure[];
  /** Failures that passed in the second run; counted as passed. */
  readonly unsteady: readonly Failure[];
}

/** Failures in more files have a common cause, which a second run does not remove. */
const maxRetriedFiles = 3;

/** Process groups. */
const running = new Set<number>();

export function endTiers(): void {
  for (const group of running) endGroup(group, 'SIGTERM');
}

export interface Place {
  /** With the package.json that has the script. */
  readonly root: string;
  /** For the files of the run, and for nothing else. */
  readonly scratch: string;
  log(text: string): void;
}

/** Never rejects for what a tier does. */
export async function runTier(tier: Tier, place: Place): Promise<TierResult> {
  if (!tier.isBeside) place.log(`\n── npm run ${tier.script}`);
  const startedMs = performance.now();
  const first = await countsOf(tier, ['npm', 'run', '--silent', tier.script], place);
  const result = await secondTry(tier, first, place);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  place.log(`── ${tier.script}: ${result.passed} passed, ${result.failed} failed in ${seconds} s`);
  return result;
}

async function secondTry(tier: Tier, first: Counts, place: Place): Promise<TierResult> {
  const { passed, failed, notRunHere, failures, passedIn } = first;
  const asItWas: TierResult = { passed, failed, notRunHere, failures, unsteady: [] };
  const files = [...new Set(failures.flatMap(({ file }) => file ?? []))];
  const isLateOnly = failures.every(({ isLate }) => isLate);
  const isFew = files.length > 0 && files.length <= maxRetriedFiles;
  if (tier.settings === undefined || !isLateOnly || !isFew) return asItWas;
  place.log(`\n── again: ${files.join(' ')}`);
  const config = join(place.scratch, `${nameOf(tier)}-again.json`);
  const settings = JSON.parse(await readFile(join(place.root, tier.settings), 'utf8')) as object;
  await writeFile(config, JSON.stringify({ ...settings, spec: files, jobs: 2 }));
  const second = await countsOf(tier, ['mocha', '--config', config], place);
  if (second.failed > 0) return asItWas;
  const before = files.reduce((sum, file) => sum + (passedIn[file] ?? 0), 0);
  return {
    ...asItWas,
    passed: passed - before + second.passed,
    failed: 0,
    failures: [],
    unsteady: failures,
  };
}

/**
 * A tier that ends badly without a failed test, or without a test at all, is a failure of its own.
 */
async function countsOf(tier: Tier, command: readonly string[], place: Place): Promise<Counts> {
  const countsFile = join(place.scratch, `${nameOf(tier)}-${command[0] ?? ''}.json`);
  const problem = await runCommand(tier, command, { ...place, countsFile });
  const counts = existsSync(countsFile)
    ? (JSON.parse(await readFile(countsFile, 'utf8')) as Counts)
    : { passed: 0, failed: 0, pending: 0, notRunHere: 0, failures: [], passedIn: {} };
  if (counts.failed > 0 || (problem === undefined && counts.passed > 0)) return counts;
  const why = problem ?? 'ran no test';
  place.log(`${command.join(' ')} ${why}.`);
  return { ...counts, failed: 1, failures: [{ test: tier.script, why }] };
}

/** Resolves with what went wrong, if anything. */
async function runCommand(
  tier: Tier,
  command: readonly string[],
  { root, scratch, countsFile, log }: Place & { countsFile: string },
): Promise<string | undefined> {
  const path = [join(repositoryRoot, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(
    delimiter,
  );
  const outputFile = `${countsFile}.txt`;
  await using output = tier.isBeside && (await open(outputFile, 'a'));
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: root,
    env: { ...ownEnvironment(join(scratch, 'none')), PATH: path, HELIOS_TEST_COUNTS: countsFile },
    stdio: output ? ['ignore', output.fd, output.fd] : ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const group = child.pid ?? 0;
  running.add(group);
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    endGroup(group, 'SIGKILL');
  }, tier.limitMinutes * 60_000);
  const problem = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(code === 0 ? undefined : `ended with ${code ?? signal}`),
    );
  });
  clearTimeout(limit);
  endGroup(group, 'SIGKILL');
  running.delete(group);
  if (tier.isBeside) log(`\n── npm run ${tier.script}\n${await readFile(outputFile, 'utf8')}`);
  return late ? `did not end within ${tier.limitMinutes} minutes` : problem;
}

/** One line, so that `.ci/run` can find and repeat it. */
export const unsteadyLine = (unsteady: readonly Failure[]): string =>
  `${unsteady.length} unsteady: ${unsteady.map(({ file, test }) => `${file ?? ''} › ${test}`).join('; ')}`;

const nameOf = ({ script }: Tier): string => script.replace(':', '-');

/**
 * Tests reach nobody's account: what the environment, or the home folder, knows of one is not for
 * them.
 */
export function ownEnvironment(none: string): NodeJS.ProcessEnv {
  const account = /^(ANTHROPIC|OPENAI|GEMINI|GOOGLE|AWS|CHATGPT|CLAUDE)_/;
  const kept = Object.entries(process.env).filter(([name]) => !account.test(name));
  return { ...Object.fromEntries(kept), AWS_CONFIG_FILE: none, AWS_SHARED_CREDENTIALS_FILE: none };
}

/** Each tier has a process group of its own, so that nothing it started outlives it. */
export function endGroup(group: number, signal: NodeJS.Signals): void {
  if (group === 0) return;
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
