/**
 * Returns a function that calls `work`, but never while an earlier call of `work` is pending. All
 * requests made in the meantime share one further call, so each caller awaits a call that began
 * after its request. A failed call does not prevent the next one.
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
