/** Parses and validates entries of `machines.json`, for use before an engine exists. */
export { parseMachineSpec, checkedEntry } from '../machines/machineEntry.ts';
export { lineOfMachine } from '../machines/list/machineFile.ts';
export { expandHome } from '../machines/ssh/configFile.ts';
