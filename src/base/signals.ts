import { constants } from 'node:os';

const names = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name.slice(3)]),
);

/** `KILL` for 9; `undefined` when there is no such signal. */
export const signalName = (number: number): string | undefined => names.get(number);
