/**
 * Exit codes of the process that does the work:
 * - `failed`: a restart would fail again in the same way
 * - `fault`: an uncaught error; a restart may succeed
 */
export const exitCodes = { done: 0, failed: 1, fault: 70 } as const;
