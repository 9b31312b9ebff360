import { codeOf, HeliosError, messageOf } from '../base/errors.ts';

export type StorageFailureReason = 'no_space' | 'denied' | 'read_only' | 'owned' | 'io';

/** Reports a write that the disk or another owner prevented. Earlier content is untouched. */
export class StorageFailure extends HeliosError {
  readonly reason: StorageFailureReason;

  constructor(reason: StorageFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const passing: readonly StorageFailureReason[] = ['no_space', 'read_only', 'io'];

/**
 * Returns true for failures that may pass without a change to the write: by themselves, or after
 * space is freed.
 */
export const isPassing = (error: unknown): error is StorageFailure =>
  error instanceof StorageFailure && passing.includes(error.reason);

export function storageFailure(error: unknown, file: string): StorageFailure {
  const cause = { cause: error };
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StorageFailure(
        'no_space',
        `No space left to write ${file}. Free some space; nothing written is lost.`,
        cause,
      );
    case 'EACCES':
    case 'EPERM':
      return new StorageFailure(
        'denied',
        `No permission to write ${file}. Check its owner and mode.`,
        cause,
      );
    case 'EROFS':
      return new StorageFailure(
        'read_only',
        `${file} is on a read-only file system. Make it writable, or use another home folder.`,
        cause,
      );
    default:
      return new StorageFailure('io', `Cannot write ${file}: ${messageOf(error)}`, cause);
  }
}
