/** Texts about the load of machines. */
export {
  gpusText,
  hostText,
  resourceLines,
  resourceText,
} from '../../machines/resources/resourceText.ts';
