/** Selects the environment of commands on this computer. */
import type { Environment } from '../../base/childEnvironment.ts';
import { isWithheld } from '../environment/variables.ts';

/**
 * Returns `processEnv` without withheld variables, plus `PYTHONUNBUFFERED=1` (so that output appears
 * as it is printed) and `commandVariables`, which take precedence.
 */
export function commandEnv(
  processEnv: Environment,
  commandVariables: Environment = {},
): Record<string, string> {
  const inherited = Object.entries(processEnv).filter(([name]) => !isWithheld(name));
  const all = [
    ...inherited,
    ['PYTHONUNBUFFERED', '1'] as const,
    ...Object.entries(commandVariables),
  ];
  return Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
