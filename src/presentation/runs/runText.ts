/** Texts and figures about runs and sweeps. */
export { runStatus, runEndText } from '../../agent/journal/runText.ts';
export { confinementText } from '../../machines/confinement/policy.ts';
export { runName, runNames, runTitle, livenessText } from '../../runs/run.ts';
export {
  countedValue,
  rowStatus,
  summaryFor,
  valueNumber,
  valueText,
} from '../../experiments/ledger.ts';
export { tagChange } from '../../experiments/runAnnotation.ts';
export { activeCounts, isSweepOver, progressOf } from '../../agent/runs/sweepProgress.ts';
