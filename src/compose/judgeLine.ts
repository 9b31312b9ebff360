/** Judges a command line without running it, for front ends. */
import type { PermissionMode } from '../permissions/mode.ts';
import type { Verdict } from '../permissions/commands/verdict.ts';

export { pathRulesFor } from './pathRules.ts';
export { commandVerdict } from '../tools/parameters/commandVerdict.ts';
export type { Verdict } from '../permissions/commands/verdict.ts';

export type LineMode = PermissionMode;

/** Returns what the gate does with a command: runs it, asks the user, or refuses it. */
export function decisionOf(
  { kind, pathNote, outside }: Verdict,
  mode: LineMode,
): 'run' | 'ask' | 'refuse' {
  if (kind === 'deny') return 'refuse';
  if (kind === 'safe') return 'run';
  if (mode === 'mandate') return outside === '' && pathNote === undefined ? 'run' : 'refuse';
  return mode === 'allow' && pathNote === undefined ? 'run' : 'ask';
}
