import { withoutUntrustedMarks } from './untrusted.ts';

/**
 * Base class of all Helios errors. Code distinguishes errors by `reason`; the message is only for
 * people and models.
 */
export abstract class HeliosError extends Error {
  abstract readonly reason: string;
}

/**
 * An error for the model: the message becomes the tool's result, and states what happened and what
 * to try next.
 */
export class ToolFailure extends HeliosError {
  readonly reason = 'tool';
}

/**
 * An error for the user: `message` states what is wrong, `action` what the user can do about it.
 * Front ends offer buttons by `reason`: `no_machine`: no command can run here; `not_trusted`: the
 * workspace is not trusted; `not_api`: the address of a model answers with a web page.
 */
export class UserFacing extends HeliosError {
  readonly reason: 'user' | 'no_machine' | 'not_trusted' | 'not_api';
  readonly action: string | undefined;

  constructor(message: string, action?: string, reason: UserFacing['reason'] = 'user') {
    super(message);
    this.action = action;
    this.reason = reason;
  }
}

/** Returns the error's message, for models and logs. Users read `adviceOf`. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/**
 * Returns the text of the error for users: its message without marks of text of others, followed by
 * the recommended action if there is one.
 */
export const adviceOf = (error: unknown): string =>
  withoutUntrustedMarks(
    error instanceof UserFacing && error.action !== undefined
      ? `${error.message} ${error.action}`
      : messageOf(error),
  );

export const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/** Returns the `code` of a Node system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
