#!/usr/bin/env node
/**
 * The command `helios`. Checks the version of Node first and loads everything else afterwards: an
 * old Node would fail on the syntax of the other files, and modules shared with the VS Code
 * extension stay out of the files that a window loads when it opens.
 */
import { nodeProblem } from './nodeVersion.ts';

const problem = nodeProblem(process.versions.node);
if (problem === undefined) void import('./onThisComputer.ts').then(({ run }) => run());
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
