/** Checks for machines that need no engine: entries of `machines.json`, a container program. */
export { parseMachineSpec, checkedEntry } from '../machines/machineEntry.ts';
export { hasContainerEngine } from '../machines/container/engine.ts';
export { findEngine } from '../machines/container/findEngine.ts';
export { lineOfMachine } from '../machines/list/machineFile.ts';
export { expandHome } from '../machines/ssh/configPaths.ts';
