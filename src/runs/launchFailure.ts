import { HeliosError } from '../base/errors.ts';
import { type RunSpec, runTitle } from './run.ts';

/**
 * - `not_started`: nothing runs; the message says why
 * - `unconfirmed`: the run may have started; call `adopt` later to find out
 */
export type LaunchFailureReason = 'not_started' | 'unconfirmed';

export class LaunchFailure extends HeliosError {
  readonly reason: LaunchFailureReason;
  /** True if other runs use the GPUs or slots that the run needs, so a later launch may succeed. */
  readonly isBusy: boolean;

  constructor(
    reason: LaunchFailureReason,
    message: string,
    { isBusy = false, ...options }: ErrorOptions & { readonly isBusy?: boolean } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.isBusy = isBusy;
  }
}

type Named = Pick<RunSpec, 'number'>;

export const notStarted = (
  spec: Named,
  why: string,
  cause?: unknown,
  isBusy = false,
): LaunchFailure =>
  new LaunchFailure('not_started', `${runTitle(spec.number)} was not started: ${why}`, {
    cause,
    isBusy,
  });

export const unconfirmed = (spec: Named, what: string, cause?: unknown): LaunchFailure =>
  new LaunchFailure('unconfirmed', `${runTitle(spec.number)} ${what}`, { cause });
