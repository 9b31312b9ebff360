/**
 * - `failed`: it would fail again in the same way · `fault`: nobody caught it, and the next one may
 *   go on
 */
export const exitCodes = { done: 0, failed: 1, fault: 70 } as const;
