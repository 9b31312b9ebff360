/** Texts for the result of an experiment, and for the decision about it. */
export { experimentResultText, decisionText } from '../../agent/experiments/experimentLabels.ts';
