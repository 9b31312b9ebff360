/** The entry that VS Code calls inside its extension host: every host test, by mocha. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Mocha from 'mocha';
import { Reporter, reportBreakdown } from '../setup/reporter.ts';

/** Rejects when a test has failed, which is how VS Code learns of it. */
export async function run(): Promise<void> {
  let failed: number;
  try {
    failed = await failures();
  } catch (error) {
    reportBreakdown(error);
    throw error;
  }
  if (failed > 0) throw new Error(`${failed} host tests failed.`);
}

async function failures(): Promise<number> {
  const mocha = new Mocha({
    reporter: Reporter,
    forbidOnly: true,
    forbidPending: true,
    timeout: 60_000,
  });
  for (const name of await readdir(__dirname)) {
    if (name.endsWith('.test.cjs')) mocha.addFile(join(__dirname, name));
  }
  return new Promise((done) => mocha.run(done));
}
