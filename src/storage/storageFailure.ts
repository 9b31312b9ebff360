import { codeOf, HeliosError, messageOf } from '../base/errors.ts';
import { HeldFile } from '../base/heldFiles.ts';

export type StorageFailureReason = 'no_space' | 'denied' | 'read_only' | 'owned' | 'io';

/**
 * A write failed because of the disk, or because another process holds the lease. The earlier
 * content is unchanged.
 */
export class StorageFailure extends HeliosError {
  readonly reason: StorageFailureReason;

  constructor(reason: StorageFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const passing: readonly StorageFailureReason[] = ['no_space', 'read_only', 'io'];

/**
 * Returns true for failures after which the same write may succeed later, for example after space
 * is freed on the disk.
 */
export const isPassing = (error: unknown): error is StorageFailure =>
  error instanceof StorageFailure && passing.includes(error.reason);

/** Returns the failure to write `file`; a `StorageFailure` as it is. */
export function storageFailure(error: unknown, file: string): StorageFailure {
  if (error instanceof StorageFailure) return error;
  const cause = { cause: error };
  if (error instanceof HeldFile) return new StorageFailure('io', error.message, cause);
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StorageFailure(
        'no_space',
        `No space left to write ${file}. Free some space on the disk. Data that was already written is unchanged.`,
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
