/** Collects the secrets that the engine redacts in all output. */
import type { EnginePorts } from '../agent/contract/ports.ts';
import { Redactor } from '../base/secrets/redactor.ts';
import type { Home } from '../storage/home.ts';
import { labelKey } from '../storage/labelKey.ts';

/** Resolves with the secrets that are known when the engine starts. */
export async function secretsOf({ labelKeyFile }: Home): Promise<Redactor> {
  const secrets = new Redactor(await labelKey(labelKeyFile));
  secrets.addEnvironment(process.env);
  return secrets;
}

/**
 * Returns ports that remember each secret they return, so that the engine redacts the secret in all
 * output.
 */
export const rememberSecrets = (ports: EnginePorts, known: Redactor): EnginePorts => ({
  ...ports,
  secret: async (name) => known.add(await ports.secret(name), name),
  askSecret: async (question, signal) => known.add(await ports.askSecret?.(question, signal)),
  keptSecret: async (question) => known.add(await ports.keptSecret?.(question)),
});
