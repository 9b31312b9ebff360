/** Texts for the result of an experiment, and for the decision about it. */
export { experimentStatus } from '../../experiments/ledger.ts';
export { experimentResultText, decisionText } from '../../agent/experiments/experimentLabels.ts';
