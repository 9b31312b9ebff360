import { isModelKey } from '../../base/modelKeys.ts';
import type { Machine, MachineSetup } from '../machine.ts';

/**
 * Returns a note about variables that the output of a failed command or run names and that are set
 * on this computer, but were withheld; `undefined` if there are none.
 */
export function withheldNote(
  { id, kind }: Pick<Machine, 'id' | 'kind'>,
  { withheld, runEnv }: MachineSetup,
  failure: { readonly output: string; readonly isRun: boolean },
): string | undefined {
  const named = withheld.filter(
    (name) =>
      !(failure.isRun && Object.hasOwn(runEnv, name)) &&
      new RegExp(`(?<!\\w)${name}(?!\\w)`).test(failure.output),
  );
  const notes = named.map((name) => `${name} is set here, but ${whyNot(name)}`);
  return notes.length === 0 ? undefined : notes.join(' ');

  function whyNot(name: string): string {
    if (isModelKey(name)) return 'keys of models are never passed to commands or runs.';
    if (Object.hasOwn(runEnv, name)) return 'withheld from commands; runs get it.';
    return kind === 'local'
      ? 'withheld from commands and runs. The user can allow it for runs with the setting helios.run.passEnvironment.'
      : `not passed to ${id}. The user can allow it for runs there with passEnvironment of ${id} in machines.json.`;
  }
}
