/**
 * A function that runs `work` one call at a time. Who asks while it runs shares the next run, so
 * its promise always stands for a run that began after it asked. A run that failed does not keep
 * the next from beginning.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      return work();
    });
    last = next.catch(() => undefined);
    return next;
  };
}
