/** Descriptions of a session's events, the same in every front end. */
export { describeEvent, startTexts, descriptionLine } from '../agent/journal/describeEvent.ts';
export { decisionTone, verdictTone } from '../agent/journal/tones.ts';
export { isWordOfUser } from '../agent/journal/factText.ts';
export { resultText } from '../agent/journal/resultText.ts';
