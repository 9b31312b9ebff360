/** Texts of runs and sweeps, with the values next to them. */
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
