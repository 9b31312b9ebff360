/**
 * Reason with which work is aborted when Helios closes a session. Aborted calls are not recorded as
 * finished: the process that resumes the session continues them.
 */
export class Closing extends Error {
  constructor() {
    super('Helios is closing');
  }
}

export const isClosing = (signal: AbortSignal): boolean => signal.reason instanceof Closing;
