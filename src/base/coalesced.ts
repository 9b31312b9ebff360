/**
 * Returns a function that runs `work` one call at a time. Calls during a run share the next run, so
 * the returned promise always belongs to a run that began after the call. A failed run does not
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
