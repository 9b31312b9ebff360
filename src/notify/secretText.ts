/**
 * Replaces references to secrets in settings by their values: `${env:SLACK_WEBHOOK}`,
 * `${secret:smtp}`.
 */
import { NotifyFailure } from './channel.ts';

export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Resolves with the stored secret with this name. Names in settings get the prefix `notify-`, so
   * settings cannot read the keys of providers.
   */
  secret(name: string): Promise<string | undefined>;
  /**
   * Called with each value that replaces a reference, so that the value can be redacted from texts.
   */
  onFound(value: string): void;
}

/** Returns the stored name of the secret that settings call `name`. */
export const notifySecret = (name: string): string => `notify-${name}`;

export const secretNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

const reference = /\$\{(env|secret):([^${}]*)\}/g;

/**
 * Resolves with `text`, in which each reference is replaced by its value. Rejects with
 * `NotifyFailure` if a referenced name does not exist.
 */
export async function resolveSecrets(text: string, sources: SecretSources): Promise<string> {
  const found = new Map<string, string>();
  for (const [whole, kind, name = ''] of text.matchAll(reference))
    found.set(
      whole,
      kind === 'env' ? fromEnvironment(name, sources) : await fromSecrets(name, sources),
    );
  for (const value of found.values()) sources.onFound(value);
  return text.replace(reference, (whole) => found.get(whole) ?? whole);
}

function fromEnvironment(name: string, { env }: SecretSources): string {
  const value = env[name];
  if (value) return value;
  throw new NotifyFailure(
    'settings',
    `The variable ${name} is not set in the environment of Helios.`,
  );
}

async function fromSecrets(name: string, { secret }: SecretSources): Promise<string> {
  const value = secretNamePattern.test(name) ? await secret(notifySecret(name)) : undefined;
  if (value) return value;
  throw new NotifyFailure(
    'settings',
    `There is no secret ${name}. Set it with the command “Helios: Set Secret for Notifications”, or with helios notify secret ${name}.`,
  );
}

/**
 * Clause for the error about a project's setting that refers to a secret, which is not allowed
 * because anyone may have written the project.
 */
export const notInProject =
  'is a reference to your secrets, which a project cannot use: declare the channel in your own notification settings';

/** Returns the text of a project's setting. Throws `NotifyFailure` if it refers to a secret. */
export function withoutSecrets(text: string): string {
  const [found] = text.match(reference) ?? [];
  if (found === undefined) return text;
  throw new NotifyFailure('settings', `${found} in helios.json ${notInProject}.`);
}

export const refersToSecret = (text: string): boolean => text.search(reference) !== -1;

/** Returns the stored names of all secrets to which the settings in `value` refer. */
export const secretsNamedIn = (value: unknown): string[] =>
  [...(JSON.stringify(value) ?? '').matchAll(/\$\{secret:([^${}"]+)\}/g)].map(([, name = '']) =>
    notifySecret(name),
  );
