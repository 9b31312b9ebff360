/** Experiments in words: results and decisions. */
export { experimentResultText, decisionText } from '../../agent/experiments/experimentLabels.ts';
