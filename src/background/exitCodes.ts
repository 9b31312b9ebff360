/**
 * Exit codes of the child process that continues the sessions:
 * - `done`: no session is left to continue
 * - `failed`: a restart would fail again in the same way
 * - `fault`: an uncaught error; a restart may succeed
 */
export const exitCodes = { done: 0, failed: 1, fault: 70 } as const;
