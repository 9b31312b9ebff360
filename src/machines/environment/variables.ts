/** Decides which environment variables of this computer commands and runs get. */
import type { Environment } from '../../base/childEnvironment.ts';
import { isModelKey } from '../../base/modelKeys.ts';
import { isSecretName } from '../../base/secrets/secretNames.ts';

/** Variables of VS Code and Helios, which programs must not inherit. */
export const isInternal = (name: string): boolean => /^(?:ELECTRON|VSCODE|HELIOS)_/.test(name);

/**
 * Variables that select an AWS account. Other variables, such as `AWS_CA_BUNDLE`, are not withheld.
 */
const awsAccount = new RegExp(
  `^AWS_(?:${[
    'ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|SECURITY_TOKEN|CREDENTIAL_EXPIRATION',
    '(?:DEFAULT_)?(?:PROFILE|REGION)|CONFIG_FILE|SHARED_CREDENTIALS_FILE|ENDPOINT_URL\\w*',
    'ROLE_\\w+|WEB_IDENTITY_TOKEN_FILE|CONTAINER_\\w+',
  ].join('|')})$`,
);

/** Variables through which programs reach an agent that signs with the user's keys. */
const keyAgent = /^(?:SSH_(?:AUTH_SOCK|AGENT_PID)|GPG_AGENT_INFO)$/;

/**
 * Returns whether a variable is withheld from foreground commands: keys, tokens and passwords, the
 * AWS account, key agents, and variables of VS Code and Helios.
 */
export const isWithheld = (name: string): boolean =>
  isInternal(name) || isSecretName(name) || awsAccount.test(name) || keyAgent.test(name);

/** Variables with which training scripts log in to data and tracking services. */
const serviceVariables: readonly RegExp[] = [
  awsAccount,
  /^(?:CLEARML|COMET|MLFLOW|NEPTUNE|WANDB)_/,
  /^(?:HF_TOKEN|HF_HUB_TOKEN|HUGGING_?FACE_(?:HUB_)?TOKEN|HUGGINGFACEHUB_API_TOKEN)$/,
  /^(?:GOOGLE_APPLICATION_CREDENTIALS|KAGGLE_(?:KEY|API_TOKEN))$/,
];

/**
 * Returns whether runs on this computer get a withheld variable even if no setting lists it. Keys
 * of model providers are never passed.
 */
export const isForRuns = (name: string): boolean =>
  serviceVariables.some((pattern) => pattern.test(name));

/** Matches a name or, with an asterisk at its end, the beginning of names. */
export const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;

/** Returns a test for names in `list`, each a name or the beginning of names: `DVC_*`. */
export const nameTest =
  (list: readonly string[]) =>
  (name: string): boolean =>
    list.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each));

/** Returns the variables that are set and pass the test, except keys of model providers. */
export const passedVariables = (
  env: Environment,
  isPassed: (name: string) => boolean,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        Boolean(entry[1]) && isPassed(entry[0]) && !isModelKey(entry[0]) && !isInternal(entry[0]),
    ),
  );

/** Minimum length of a value that is considered random, and therefore a secret. */
const minRandomChars = 16;

/**
 * Returns the values to redact among the variables of runs: values of variables that are secret by
 * their names, ids of AWS keys, and long values of letters and digits. Names of regions, profiles
 * and folders stay readable.
 */
export const secretValues = (variables: Environment): string[] =>
  Object.entries(variables).flatMap(([name, value = '']) =>
    isSecretName(name) || looksRandom(value) ? [value] : [],
  );

const looksRandom = (value: string): boolean =>
  value.length >= minRandomChars && /^(?=.*\d)(?=.*[A-Za-z])[\w+=.-]+$/.test(value);
