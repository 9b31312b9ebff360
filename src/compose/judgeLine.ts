/** Judges a command line without running it, for front ends. */
import type { PermissionMode } from '../permissions/mode.ts';
import type { Machine } from '../machines/machine.ts';
import type { MachineMandate } from '../permissions/mandate/mandate.ts';
import { homeAt } from '../storage/home.ts';
import { mandateReader } from './mandates.ts';
import { machineMandate } from '../tools/parameters/mandateCoverage.ts';
import type { Verdict } from '../permissions/commands/verdicts/verdict.ts';

export { pathRulesFor } from './pathRules.ts';
export { commandVerdict } from '../tools/parameters/commandVerdict.ts';
export type { Verdict } from '../permissions/commands/verdicts/verdict.ts';

export type LineMode = PermissionMode;

/** Resolves with the mandate on a machine, as it applies to a session with the git guard. */
export const mandateOn = (machine: Machine, home: string): Promise<MachineMandate | undefined> => {
  const { mandate } = mandateReader(homeAt(home))(machine.workFolder);
  return machineMandate(machine, { mandate, isGitGuarded: true });
};

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
