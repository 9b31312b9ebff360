/**
 * Runs every tier, each as its own command, and ends with one line: `N passed, N failed`. The tests of machines mostly
 * wait: short tiers run beside them, and print what they have to say when they are over.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installChromium } from './chromium.ts';
import { installDocker } from './docker.ts';
import { installCodeServer } from './installCodeServer.ts';
import { repositoryRoot } from './paths.ts';
import type { Failure } from './reporter.ts';
import { installShells } from './shells.ts';
import { installSlurm } from './slurm.ts';
import { installSshd } from './sshd.ts';
import { endTiers, runTier, type Tier } from './tier.ts';

/** One after the other; within a stage, each row of tiers beside the others. */
const stages: readonly (readonly (readonly Tier[])[])[] = [
  [[{ script: 'test:unit', limitMinutes: 30, settings: 'test/unit/.mocharc.json' }]],
  [
    [{ script: 'test:machines', limitMinutes: 30, settings: 'test/machines/.mocharc.json' }],
    [
      { script: 'test:house', limitMinutes: 10, isBeside: true },
      { script: 'test:host', limitMinutes: 10, isBeside: true },
    ],
  ],
  [[{ script: 'test:e2e', limitMinutes: 25, settings: 'test/e2e/.mocharc.json' }]],
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
const scratch = await mkdtemp(join(tmpdir(), 'test-tiers-'));
try {
  await prepare();
  for (const rows of stages) await Promise.all(rows.map(runRow));
  print('Failed', failures);
  print('Failed, and passed when run again', unsteady);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** What cannot be installed counts as a failure here, once and with its reason; the tiers that need it fail too. */
async function prepare(): Promise<void> {
  for (const install of [installCodeServer, installChromium, installSshd, installShells, installSlurm, installDocker]) {
    try {
      console.log(`using ${await install()}`);
    } catch (error) {
      console.error(error);
      total.failed += 1;
      failures.push({ test: install.name, why: error instanceof Error ? error.message : String(error) });
    }
  }
}

async function runRow(tiers: readonly Tier[]): Promise<void> {
  for (const tier of tiers) {
    const result = await runTier(tier, { root: repositoryRoot, scratch, log: (text) => console.log(text) });
    total.passed += result.passed;
    total.failed += result.failed;
    failures.push(...result.failures);
    unsteady.push(...result.unsteady);
  }
}

/** Once more at the end, where whoever has only the last lines of a log finds it. */
function print(title: string, some: readonly Failure[]): void {
  if (some.length === 0) return;
  console.log(`\n${title}:`);
  for (const { file, test, why } of some) console.log(`  ${[file, test, why].filter(Boolean).join(' · ')}`);
}
