/** Machines of `machines.json` in words, and what front ends tell them by. */
export {
  entryText,
  hasHost,
  localId,
  placeText,
  suggestedId,
} from '../../machines/machineEntry.ts';
export { homeIdOf, labels } from '../../machines/container/containerSpec.ts';
