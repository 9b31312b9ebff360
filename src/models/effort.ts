/** Reasoning efforts, and the nearest one that a model supports. */

/** Efforts of all providers, the lowest first. */
export const effortLevels = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof effortLevels)[number];

/**
 * Returns the supported effort that is nearest to the wanted one, the lower one of two that are
 * equally near. Returns `undefined` if none is supported.
 */
export function nearestEffort<Supported extends Effort>(
  supported: readonly Supported[],
  wanted: Effort,
): Supported | undefined {
  const rank = (effort: Effort): number => effortLevels.indexOf(effort);
  const gap = (effort: Effort): number => Math.abs(rank(effort) - rank(wanted));
  return supported.toSorted((one, other) => gap(one) - gap(other) || rank(one) - rank(other))[0];
}
