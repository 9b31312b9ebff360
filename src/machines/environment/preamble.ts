/** Shell text that runs before the user's command, in the same shell. */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import type { Machine } from '../machine.ts';

const prologueStart = shellText('./prologue.sh', import.meta.url);
const condaHook = shellText('./condaHook.sh', import.meta.url);
const moduleHook = shellText('./moduleHook.sh', import.meta.url);

/**
 * Returns the shell functions that the text needs and that only interactive or login shells have;
 * empty if it needs none.
 */
function hooksFor(text: string): string {
  const needsConda = /\b(?:conda|mamba|micromamba)\b/.test(text);
  const needsModules = /(?:^|[;&|({]|\bthen|\bdo)\s*(?:module|ml)\s/m.test(text);
  return `${needsConda ? condaHook : ''}${needsModules ? moduleHook : ''}`;
}

/**
 * Returns shell text that runs the lines of a prologue. Their output goes to stderr. When a line
 * fails, the shell exits and says which.
 */
function prologueText(machineId: string, prologue: readonly string[]): string {
  if (prologue.length === 0) return '';
  const steps = prologue.map(
    (line) => `helios_step=${shellQuote(line)}\neval "$helios_step" </dev/null >&2 || exit`,
  );
  return `helios_machine=${shellQuote(machineId)}\n${prologueStart}${steps.join('\n')}\ntrap - EXIT\n`;
}

/**
 * Returns the text that must run before `command` on a machine with this prologue; empty if there
 * is nothing to run.
 */
export const preambleOf = (
  { id }: Pick<Machine, 'id'>,
  prologue: readonly string[],
  command: string,
): string => hooksFor([...prologue, command].join('\n')) + prologueText(id, prologue);
