/** Judges a command line without running it, for front ends. */
import type { Verdict } from '../permissions/commands/verdict.ts';

export { pathRulesFor } from './pathRules.ts';
export { commandVerdict } from '../tools/parameters/commandVerdict.ts';
export type { Verdict } from '../permissions/commands/verdict.ts';

export type LineMode = 'ask' | 'allow';

/** Returns what the gate does with a command: runs it, asks the user, or refuses it. */
export function decisionOf({ kind, pathNote }: Verdict, mode: LineMode): 'run' | 'ask' | 'refuse' {
  if (kind === 'deny') return 'refuse';
  return kind === 'safe' || (mode === 'allow' && pathNote === undefined) ? 'run' : 'ask';
}
