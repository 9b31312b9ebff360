export { canRunCommands, checkCommandsRun } from '../machines/filesOnly.ts';
