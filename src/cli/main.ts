#!/usr/bin/env node
/**
 * The command `helios`. Checks the version of Node and the folder, then imports everything else dynamically. With
 * static imports, an old Node would fail on the syntax of the other files before the check, and the
 * bundler would put modules that are shared with the VS Code extension into files that each window
 * loads when it opens.
 */
import { folderProblem, nodeProblem } from './nodeVersion.ts';

const problem = nodeProblem(process.versions.node) ?? folderProblem(() => process.cwd());
if (problem === undefined) void import('./onThisComputer.ts').then(({ run }) => run());
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
