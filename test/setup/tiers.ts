/**
 * Runs every tier, each as its own command, and ends with one line: `N passed, N failed`. The tests of machines mostly
 * wait: short tiers run beside them, and print what they have to say when they are over.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installChromium } from './chromium.ts';
import { installDocker } from './docker.ts';
import { installCodeServer } from './installCodeServer.ts';
import { repositoryRoot } from './paths.ts';
import type { Counts } from './reporter.ts';
import { installSlurm } from './slurm.ts';
import { installShells } from './shells.ts';
import { installSshd } from './sshd.ts';

interface Tier {
  readonly script: string;
  readonly limitMinutes: number;
  readonly isBeside?: true;
}

/** One after the other; within a stage, each row of tiers beside the others. */
const stages: readonly (readonly (readonly Tier[])[])[] = [
  [[{ script: 'test:unit', limitMinutes: 30 }]],
  [
    [{ script: 'test:machines', limitMinutes: 30 }],
    [
      { script: 'test:house', limitMinutes: 10, isBeside: true },
      { script: 'test:host', limitMinutes: 10, isBeside: true },
    ],
  ],
  [[{ script: 'test:e2e', limitMinutes: 25 }]],
];

/** Process groups. */
const running = new Set<number>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const group of running) endGroup(group, 'SIGTERM');
    process.exit(130);
  });
}

const scratch = await mkdtemp(join(tmpdir(), 'test-tiers-'));
try {
  const total = { passed: 0, failed: 0 };
  await prepare(total);
  for (const rows of stages) await Promise.all(rows.map((tiers) => runRow(tiers, total)));
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** What cannot be installed counts as a failure here, once and with its reason; the tiers that need it fail too. */
async function prepare(total: { failed: number }): Promise<void> {
  for (const install of [installCodeServer, installChromium, installSshd, installShells, installSlurm, installDocker]) {
    try {
      console.log(`using ${await install()}`);
    } catch (error) {
      console.error(error);
      total.failed += 1;
    }
  }
}

async function runRow(tiers: readonly Tier[], total: { passed: number; failed: number }): Promise<void> {
  for (const tier of tiers) {
    const { passed, failed } = await runTier(tier);
    total.passed += passed;
    total.failed += failed;
  }
}

/** A tier that ends badly without a failed test, or without a test at all, is a failure of its own. */
async function runTier(tier: Tier): Promise<{ passed: number; failed: number }> {
  if (!tier.isBeside) console.log(`\n── npm run ${tier.script}`);
  const startedMs = performance.now();
  const countsFile = join(scratch, `${tier.script.replace(':', '-')}.json`);
  const problem = await runScript(tier, countsFile);
  const counts = existsSync(countsFile)
    ? (JSON.parse(await readFile(countsFile, 'utf8')) as Counts)
    : { passed: 0, failed: 0, pending: 0 };
  const unexplained = counts.failed === 0 && (problem !== undefined || counts.passed === 0);
  if (unexplained) console.error(`npm run ${tier.script} ${problem ?? 'ran no test'}.`);
  const failed = counts.failed + (unexplained ? 1 : 0);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  console.log(`── ${tier.script}: ${counts.passed} passed, ${failed} failed in ${seconds} s`);
  return { passed: counts.passed, failed };
}

/** Resolves with what went wrong, if anything. */
async function runScript(tier: Tier, countsFile: string): Promise<string | undefined> {
  const path = [join(repositoryRoot, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter);
  const outputFile = `${countsFile}.txt`;
  await using output = tier.isBeside && (await open(outputFile, 'a'));
  const child = spawn('npm', ['run', '--silent', tier.script], {
    cwd: repositoryRoot,
    env: { ...ownEnvironment(), PATH: path, HELIOS_TEST_COUNTS: countsFile },
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
    child.once('exit', (code, signal) => resolve(code === 0 ? undefined : `ended with ${code ?? signal}`));
  });
  clearTimeout(limit);
  endGroup(group, 'SIGKILL');
  running.delete(group);
  if (tier.isBeside) console.log(`\n── npm run ${tier.script}\n${await readFile(outputFile, 'utf8')}`);
  return late ? `did not end within ${tier.limitMinutes} minutes` : problem;
}

/** Tests reach nobody's account: what the environment, or the home folder, knows of one is not for them. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const account = /^(ANTHROPIC|OPENAI|GEMINI|GOOGLE|AWS|CHATGPT|CLAUDE)_/;
  const kept = Object.entries(process.env).filter(([name]) => !account.test(name));
  const none = join(scratch, 'none');
  return { ...Object.fromEntries(kept), AWS_CONFIG_FILE: none, AWS_SHARED_CREDENTIALS_FILE: none };
}

/** Each tier has a process group of its own, so that nothing it started outlives it. */
function endGroup(group: number, signal: NodeJS.Signals): void {
  if (group === 0) return;
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
