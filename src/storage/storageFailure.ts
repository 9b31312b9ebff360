import { codeOf, HeliosError, messageOf } from '../base/errors.ts';

export type StorageFailureReason = 'no_space' | 'denied' | 'read_only' | 'owned' | 'io';

/** The disk, or another owner, kept us from writing. What was written before is untouched. */
export class StorageFailure extends HeliosError {
  readonly reason: StorageFailureReason;

  constructor(reason: StorageFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const passing: readonly StorageFailureReason[] = ['no_space', 'read_only', 'io'];

/**
 * What may pass by itself, or once somebody makes room, without anything to be done about what was
 * to be written.
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
        `No permission to write ${file}. Look at its owner and its mode.`,
        cause,
      );
    case 'EROFS':
      return new StorageFailure(
        'read_only',
        `${file} is on a read-only file system. Make that writable again, or use another home folder.`,
        cause,
      );
    default:
      return new StorageFailure('io', `Cannot write ${file}: ${messageOf(error)}`, cause);
  }
}
