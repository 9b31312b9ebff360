/** Texts and identities of the machines in `machines.json`. */
export {
  entryText,
  hasHost,
  localId,
  placeText,
  suggestedId,
} from '../../machines/machineEntry.ts';
export { homeIdOf, labels } from '../../machines/container/containerSpec.ts';
