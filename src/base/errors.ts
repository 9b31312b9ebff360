/** Every error of ours has a `reason` to match on; the message is for reading only. */
export abstract class HeliosError extends Error {
  abstract readonly reason: string;
}

/** For the model: says what happened and what to try next. Its message is the tool's result. */
export class ToolFailure extends HeliosError {
  readonly reason = 'tool';
}

/** For a user: `message` says what is wrong, `action` what to do about it. */
export class UserFacing extends HeliosError {
  readonly reason = 'user';
  readonly action: string | undefined;

  constructor(message: string, action?: string) {
    super(message);
    this.action = action;
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** What is wrong, and what to do about it where that is known. */
export const adviceOf = (error: unknown): string =>
  error instanceof UserFacing && error.action !== undefined
    ? `${error.message} ${error.action}`
    : messageOf(error);

export const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/** `code` of a Node system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
