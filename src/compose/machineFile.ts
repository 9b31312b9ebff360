/** Checks entries of `machines.json` before there is an engine. */
export { parseMachineSpec, checkedEntry } from '../machines/machineEntry.ts';
export { lineOfMachine } from '../machines/list/machineFile.ts';
export { expandHome } from '../machines/ssh/configFile.ts';
