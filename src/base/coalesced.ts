/**
 * Returns a function that runs `work`, one run at a time. All calls during a run share one further
 * run, so the promise of a call belongs to a run that began after the call. A failed run does not
 * prevent the next one.
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
