/** Texts of an experiment's result and decision. */
export { experimentResultText, decisionText } from '../../agent/experiments/experimentLabels.ts';
