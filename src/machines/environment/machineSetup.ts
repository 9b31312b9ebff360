/**
 * Derives the setup of a machine (variables, prologue, confinement) from its entry and from this
 * computer.
 */
import type { Environment } from '../../base/childEnvironment.ts';
import type { MachineSetup } from '../machine.ts';
import { isForRuns, isInternal, isWithheld, nameTest, passedVariables } from './variables.ts';

/** The fields of an entry in `machines.json` that concern the environment. */
export interface SetupFields {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly prologue?: readonly string[] | undefined;
  /** Names of variables of this computer that runs get, see `nameTest`. */
  readonly passEnvironment?: readonly string[] | undefined;
  readonly confinement?: MachineSetup['confinement'];
}

/**
 * Returns the setup of a machine other than this computer. Its runs get the variables that the
 * entry lists, and no others.
 */
export const remoteSetup = (fields: SetupFields, processEnv: Environment): MachineSetup =>
  setupOf(fields, processEnv, nameTest(fields.passEnvironment ?? []));

/**
 * Returns the setup of this computer. Its commands inherit every variable that is not withheld; its
 * runs also get the variables of data and tracking services, and the variables that the entry
 * lists.
 */
export function localSetup(fields: SetupFields, processEnv: Environment): MachineSetup {
  const isListed = nameTest(fields.passEnvironment ?? []);
  return setupOf(
    fields,
    processEnv,
    (name) => isWithheld(name) && (isForRuns(name) || isListed(name)),
  );
}

function setupOf(
  { env = {}, prologue = [], confinement }: SetupFields,
  processEnv: Environment,
  isPassed: (name: string) => boolean,
): MachineSetup {
  const runEnv = passedVariables(processEnv, isPassed);
  const secrets = Object.keys(processEnv).filter(
    (name) => processEnv[name] && isWithheld(name) && !isInternal(name),
  );
  return {
    env,
    prologue,
    runEnv,
    withheld: secrets.filter((name) => !Object.hasOwn(env, name)),
    ...(confinement && { confinement }),
  };
}
