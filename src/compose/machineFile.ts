/** Validates entries of `machines.json` before an engine exists. */
export { parseMachineSpec, checkedEntry } from '../machines/machineEntry.ts';
export { lineOfMachine } from '../machines/list/machineFile.ts';
export { expandHome } from '../machines/ssh/configFile.ts';
