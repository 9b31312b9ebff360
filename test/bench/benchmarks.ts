/** All benchmarks by name, in the order in which they are run. Each is loaded only by the process that runs it. */
import type { Benchmark } from './figure.ts';

export const benchmarks: Readonly<Record<string, Benchmark>> = {
  experiments: async (folder) => (await import('./experiments.ts')).benchExperiments(folder),
  freshness: async (folder) => (await import('./freshness.ts')).benchFreshness(folder),
  metrics: async () => (await import('./metricFigures.ts')).benchMetricStore(),
  panel: async (folder) => (await import('./panel.ts')).benchPanel(folder),
  sessionView: async (folder) => (await import('./sessionView.ts')).benchSessionView(folder),
  parser: async () => (await import('./parser.ts')).benchParser(),
  journal: async (folder) => (await import('./journal.ts')).benchJournal(folder),
  resume: async (folder) => (await import('./resume.ts')).benchResume(folder),
  search: async (folder) => (await import('./search.ts')).benchSearch(folder),
  tokens: async (folder) => (await import('./tokens.ts')).benchTokens(folder),
  overhead: async (folder) => (await import('./overhead.ts')).benchOverhead(folder),
  report: async () => (await import('./report.ts')).benchReport(),
  briefing: async (folder) => (await import('./briefing.ts')).benchBriefing(folder),
  watchdogs: async (folder) => (await import('./watchdogs.ts')).benchWatchdogs(folder),
  links: async (folder) => (await import('./links.ts')).benchLinks(folder),
  transfer: async (folder) => (await import('./transfer.ts')).benchTransfer(folder),
  kills: async (folder) => (await import('./kills.ts')).benchKills(folder),
  night: async (folder) => (await import('./night.ts')).benchNight(folder),
  activation: async (folder) => (await import('./activation.ts')).benchActivation(folder),
};

/** Where a benchmark takes longer than most may, in milliseconds. */
export const limitsMs: Readonly<Record<string, number>> = {
  search: 600_000,
  transfer: 400_000,
  tokens: 600_000,
  night: 400_000,
  kills: 1_200_000,
};
