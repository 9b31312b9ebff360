/**
 * Why work is broken off when Helios lets go of a session: nobody has decided anything about it.
 * What was under way stays open in the journal, and is gone on with by whoever takes the session
 * up.
 */
export class Closing extends Error {
  constructor() {
    super('Helios is closing');
  }
}

export const isClosing = (signal: AbortSignal): boolean => signal.reason instanceof Closing;
