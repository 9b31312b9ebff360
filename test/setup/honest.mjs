/** Runs the redactor over every source file in node_modules, and says which lines it changes. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const mocha = path.resolve('node_modules/mocha/bin/mocha.js');
const file = path.resolve('test/unit/base/secrets', 'honestLines.test.ts');
const { status } = spawnSync(process.execPath, [mocha, file], {
  stdio: 'inherit',
  env: { ...process.env, HELIOS_HONEST: 'all' },
});
process.exitCode = status ?? 1;
