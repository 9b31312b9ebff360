/** What the events of a session say, as every front end shows them. */
export {
  describeEvent,
  descriptionLine,
  verdictTone,
  decisionTone,
} from '../agent/journal/describeEvent.ts';
export { resultText } from '../agent/journal/resultText.ts';
