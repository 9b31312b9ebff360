#!/usr/bin/env node
/**
 * The command `helios`. All the rest is late: no window waits for what it shares with the command.
 */
void import('./onThisComputer.ts').then(({ run }) => run());
