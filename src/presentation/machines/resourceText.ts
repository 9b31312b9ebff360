/** What machines are busy with, in words. */
export {
  gpusText,
  hostText,
  resourceLines,
  resourceText,
} from '../../machines/resources/resourceText.ts';
