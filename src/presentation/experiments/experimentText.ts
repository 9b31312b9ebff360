/** Texts for the result of an experiment, and for the decision about it. */
export {
  decisionName,
  experimentStatus,
  resultNumber,
  resultValueText,
} from '../../experiments/ledger.ts';
export { decisionText } from '../../agent/experiments/experimentLabels.ts';
