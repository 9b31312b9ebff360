import { constants } from 'node:os';

const names = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name.slice(3)]),
);

/**
 * Returns the name of a signal without `SIG`, for example `KILL` for 9; `undefined` for an unknown
 * number.
 */
export const signalName = (number: number): string | undefined => names.get(number);
