/** Colours of a page by the quality of an outcome; the words say it too. */
import type { Decision } from '../../experiments/experiment.ts';
import type { ExperimentRow } from '../../experiments/ledger.ts';

const classes: Readonly<Record<Decision, string>> = {
  keep: 'good',
  discard: 'muted',
  reference: 'plain',
  crash: 'bad',
  invalid: 'bad',
  retest: 'warn',
};

/** Returns the class for the decision on an experiment. */
export const decisionClass = ({ decision }: Pick<ExperimentRow, 'decision'>): string =>
  decision === undefined ? 'plain' : classes[decision.decision];
