/** Descriptions of a session's events, the same in every front end. */
export {
  describeEvent,
  startTexts,
  descriptionLine,
  verdictTone,
  decisionTone,
} from '../agent/journal/describeEvent.ts';
export { isWordOfUser } from '../agent/journal/factText.ts';
export { resultText } from '../agent/journal/resultText.ts';
