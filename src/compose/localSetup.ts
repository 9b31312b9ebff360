/** Collects the user's settings of commands and runs on this computer: variables, Python, prologue. */
import type { EnginePorts } from '../agent/contract/ports.ts';
import type { EngineSettings } from '../agent/contract/settings.ts';
import type { Redactor } from '../base/secrets/redactor.ts';
import { localSetup, remoteSetup, type SetupFields } from '../machines/environment/machineSetup.ts';
import { secretValues } from '../machines/environment/variables.ts';
import { interpreterEnv } from '../machines/local/interpreterEnv.ts';

export interface LocalSetupDeps {
  readonly ports: Pick<EnginePorts, 'interpreter'>;
  readonly secrets: Redactor;
  settings(): Pick<EngineSettings, 'passEnvironment'>;
  /** Returns the settings of this computer in `machines.json`. */
  entry(): SetupFields | undefined;
}

/**
 * Returns a function that resolves with the settings for `workFolder`. The interpreter comes from
 * the front end; the entry in `machines.json` takes precedence. Never rejects.
 */
export const localSetupFields =
  ({ ports, secrets, settings, entry }: LocalSetupDeps, workFolder: string) =>
  async (): Promise<SetupFields> => {
    const python = await ports.interpreter?.(workFolder).catch(() => undefined);
    const { env, prologue, confinement } = entry() ?? {};
    const fields = {
      env: { ...interpreterEnv(python, process.env), ...env },
      prologue,
      confinement,
      passEnvironment: settings().passEnvironment,
    };
    const { runEnv } = localSetup(fields, process.env);
    for (const value of secretValues({ ...runEnv, ...env })) secrets.add(value);
    return fields;
  };

/** Remembers the secrets that runs on a machine get, so that they are redacted. */
export function rememberPassed(secrets: Redactor, fields: SetupFields): void {
  const { runEnv, env } = remoteSetup(fields, process.env);
  for (const value of secretValues({ ...runEnv, ...env })) secrets.add(value);
}
