/**
 * Selects the environment of commands. API keys for models and the editor's variables are not
 * passed on.
 */

/**
 * Variables that commands do not inherit. A command that needs such a variable gets it through its
 * `env`.
 */
const withheldVariables: readonly RegExp[] = [
  /_(API|ADMIN)_KEY$/i,
  /_(AUTH_|ACCESS_)?TOKEN$/i,
  /_SECRET(_KEY)?$/i,
  /^AWS_BEARER_TOKEN_/i,
  /^AGENTHUB_KEY$/,
  /^ELECTRON_/,
  /^VSCODE_/,
  /^HELIOS_/,
];

/** Exceptions: variables with which training scripts log in to data and tracking services. */
const keptVariables: readonly string[] = ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN', 'WANDB_API_KEY'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns `processEnv` without withheld variables, plus `PYTHONUNBUFFERED=1` (so that output appears
 * as it is printed) and `commandVariables`, which take precedence.
 */
export function commandEnv(
  processEnv: Environment,
  commandVariables: Environment = {},
): Record<string, string> {
  const isShared = (name: string): boolean =>
    keptVariables.includes(name) || !withheldVariables.some((pattern) => pattern.test(name));
  const shared = Object.entries(processEnv).filter(([name]) => isShared(name));
  const all = [...shared, ['PYTHONUNBUFFERED', '1'] as const, ...Object.entries(commandVariables)];
  return Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
