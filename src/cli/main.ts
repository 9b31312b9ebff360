#!/usr/bin/env node
/**
 * The command `helios`. Everything else is loaded late: no window waits for what it shares with the
 * command, and an old Node is refused before it meets what it does not know.
 */
import { nodeProblem } from './nodeVersion.ts';

const problem = nodeProblem(process.versions.node);
if (problem === undefined) void import('./onThisComputer.ts').then(({ run }) => run());
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
