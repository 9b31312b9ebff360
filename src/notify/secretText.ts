/** Settings in which a secret stands by its name: `${env:SLACK_WEBHOOK}`, `${secret:smtp}`. */
import { NotifyFailure } from './channel.ts';

export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `name` is `notify-<name>` for `${secret:name}`: keys of providers are out of reach. */
  secret(name: string): Promise<string | undefined>;
  /** Told each value that was found, so that it can be taken out of what is shown. */
  onFound(value: string): void;
}

/** As ports and files name the secret that settings call `name`. */
export const notifySecret = (name: string): string => `notify-${name}`;

export const secretNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

/**
 * A project comes from anywhere: it may name what is meant for notifications, and no key that
 * happens to be there.
 */
const projectVariable = /NOTIFY|WEBHOOK|SMTP|MAIL|NTFY|SLACK|DISCORD|TEAMS/;

const reference = /\$\{(env|secret):([^}]*)\}/g;

/**
 * Rejects with `NotifyFailure` for a name that stands for nothing, or that a project may not use.
 */
export async function resolveSecrets(
  text: string,
  sources: SecretSources,
  isProject: boolean,
): Promise<string> {
  const found = new Map<string, string>();
  for (const [whole, kind, name = ''] of text.matchAll(reference))
    found.set(
      whole,
      kind === 'env' ? fromEnvironment(name, sources, isProject) : await fromSecrets(name, sources),
    );
  for (const value of found.values()) sources.onFound(value);
  return text.replace(reference, (whole) => found.get(whole) ?? whole);
}

function fromEnvironment(name: string, { env }: SecretSources, isProject: boolean): string {
  if (isProject && !projectVariable.test(name))
    throw new NotifyFailure(
      'settings',
      `helios.json may not use the variable ${name}: a project reaches variables that are named for it alone, such as HELIOS_NOTIFY_URL or SLACK_WEBHOOK. Use \${secret:name}, or settings of your own.`,
    );
  const value = env[name];
  if (value) return value;
  throw new NotifyFailure('settings', `The variable ${name} is not set where Helios runs.`);
}

async function fromSecrets(name: string, { secret }: SecretSources): Promise<string> {
  const value = secretNamePattern.test(name) ? await secret(notifySecret(name)) : undefined;
  if (value) return value;
  throw new NotifyFailure(
    'settings',
    `There is no secret ${name}. Set it: Helios: Set Secret, or helios notify secret ${name}.`,
  );
}

/** As ports name them, the secrets that stand in settings, or in a project, by their name. */
export const secretsNamedIn = (value: unknown): string[] =>
  [...(JSON.stringify(value) ?? '').matchAll(/\$\{secret:([^}"]+)\}/g)].map(([, name = '']) =>
    notifySecret(name),
  );
