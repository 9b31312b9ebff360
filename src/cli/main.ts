#!/usr/bin/env node
/** The command `helios`. All the rest is late: it is of the engine's file, and no window waits for that. */
void import('./onThisComputer.ts').then(({ run }) => run());
