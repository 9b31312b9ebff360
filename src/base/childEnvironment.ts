/**
 * The environment of programs that Helios starts for its own work, such as the browser or `ssh`.
 */
import { isSecretName } from './secrets/secretNames.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns `env` without the variables whose names denote secrets, except those that the program
 * needs.
 */
export const withoutSecrets = (
  env: Environment,
  isNeeded: (name: string) => boolean = () => false,
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isSecretName(name) || isNeeded(name)));
