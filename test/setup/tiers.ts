/**
 * Runs every tier as its own command. The last line is `N passed, N failed`; the line before it
 * names the tests that passed only in a second run, if any: `N unsteady: NAMES`; `N not run here`
 * counts tests of an emulated Mac, of a computer that has not what they need, or of the long form.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './command.ts';
import { repositoryRoot, whenBuilt } from './paths.ts';
import { installPrograms } from './programs.ts';
import type { Failure } from './reporter.ts';
import { endTiers, runTier, unsteadyLine, type Tier } from './tier.ts';

/**
 * One after the other; within a stage, each row of tiers beside the others. The tests of machines
 * mostly wait: short tiers run beside them. Those of windows run alone, because the time in which a
 * window answers depends on the processor.
 */
const stages: readonly (readonly (readonly Tier[])[])[] = [
  [[{ script: 'test:unit', limitMinutes: 30 }]],
  [
    [{ script: 'test:machines', limitMinutes: 40, settings: 'test/machines/.mocharc.json' }],
    [
      { script: 'test:house', limitMinutes: 10, isBeside: true },
      { script: 'test:old-tools', limitMinutes: 20, isBeside: true },
      { script: 'test:host', limitMinutes: 10, isBeside: true },
      { script: 'test:bench', limitMinutes: 20, isBeside: true },
    ],
  ],
  [[{ script: 'test:e2e', limitMinutes: 30, settings: 'test/e2e/.mocharc.json' }]],
];

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endTiers();
    process.exit(130);
  });
}

const total = { passed: 0, failed: 0 };
const failures: Failure[] = [];
const unsteady: Failure[] = [];
let notRunHere = 0;
const scratch = await mkdtemp(join(tmpdir(), 'test-tiers-'));
try {
  await prepare();
  for (const rows of stages) await Promise.all(rows.map(runRow));
  printFailures();
  if (notRunHere > 0) console.log(`${notRunHere} not run here`);
  if (unsteady.length > 0) console.log(unsteadyLine(unsteady));
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/**
 * Installs the programs while the product is built and packed, once for all tiers. What cannot be
 * installed or built counts as a failure; the tiers that need it fail too.
 */
async function prepare(): Promise<void> {
  const [programs, build] = await Promise.all([
    installPrograms((text) => console.log(text)),
    packed(),
  ]);
  for (const failure of [...programs, ...build]) {
    total.failed += 1;
    failures.push(failure);
  }
}

async function packed(): Promise<readonly Failure[]> {
  try {
    const script = join(repositoryRoot, 'test/setup/package.mjs');
    await run(process.execPath, [script], { cwd: repositoryRoot });
    Object.assign(process.env, whenBuilt);
    return [];
  } catch (error) {
    return [{ test: 'package', why: error instanceof Error ? error.message : String(error) }];
  }
}

async function runRow(tiers: readonly Tier[]): Promise<void> {
  for (const tier of tiers) {
    const result = await runTier(tier, {
      root: repositoryRoot,
      scratch,
      log: (text) => console.log(text),
    });
    total.passed += result.passed;
    total.failed += result.failed;
    notRunHere += result.notRunHere;
    failures.push(...result.failures);
    unsteady.push(...result.unsteady);
  }
}

/** Repeats the failures at the end, where the last lines of a log show them. */
function printFailures(): void {
  if (failures.length === 0) return;
  console.log('\nFailed:');
  for (const { file, test, why } of failures) {
    console.log(`  ${[file, test, why].filter(Boolean).join(' · ')}`);
  }
}
