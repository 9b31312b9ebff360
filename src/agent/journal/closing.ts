/**
 * Abort reason used when Helios closes a session. Not a decision about the work: pending work stays
 * open in the journal, and the process that resumes the session continues it.
 */
export class Closing extends Error {
  constructor() {
    super('Helios is closing');
  }
}

export const isClosing = (signal: AbortSignal): boolean => signal.reason instanceof Closing;
