/** Texts about runs and sweeps, and the values that belong to them. */
export {
  runName,
  runStatusText,
  verdictLabel,
  killedWhy,
  seriousAlarm,
} from '../../agent/journal/runText.ts';
export { verdictText, handleOf } from '../../runs/run.ts';
export { summaryFor } from '../../experiments/ledger.ts';
export { isSweepOver, progressOf } from '../../agent/runs/sweepProgress.ts';
