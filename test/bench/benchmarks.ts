/**
 * All benchmarks by name, in the order in which they are run. Each is loaded only by the process
 * that runs it.
 */
import type { Benchmark } from './figure.ts';

export const benchmarks: Readonly<Record<string, Benchmark>> = {
  experiments: async (...at) => (await import('./experiments.ts')).benchExperiments(...at),
  launch: async (...at) => (await import('./launch.ts')).benchLaunch(...at),
  freshness: async (...at) => (await import('./freshness.ts')).benchFreshness(...at),
  metrics: async (...at) => (await import('./metricFigures.ts')).benchMetricStore(...at),
  panel: async (...at) => (await import('./panel.ts')).benchPanel(...at),
  panelScale: async (...at) => (await import('./panelScale.ts')).benchPanelScale(...at),
  sessionView: async (...at) => (await import('./sessionView.ts')).benchSessionView(...at),
  parser: async (...at) => (await import('./parser.ts')).benchParser(...at),
  journal: async (...at) => (await import('./journal.ts')).benchJournal(...at),
  resume: async (...at) => (await import('./resume.ts')).benchResume(...at),
  search: async (...at) => (await import('./search.ts')).benchSearch(...at),
  tokens: async (...at) => (await import('./tokens.ts')).benchTokens(...at),
  overhead: async (...at) => (await import('./overhead.ts')).benchOverhead(...at),
  report: async (...at) => (await import('./report.ts')).benchReport(...at),
  briefing: async (...at) => (await import('./briefing.ts')).benchBriefing(...at),
  watchdogs: async (...at) => (await import('./watchdogs.ts')).benchWatchdogs(...at),
  links: async (...at) => (await import('./links.ts')).benchLinks(...at),
  refill: async (...at) => (await import('./refill.ts')).benchRefill(...at),
  transfer: async (...at) => (await import('./transfer.ts')).benchTransfer(...at),
  kills: async (...at) => (await import('./kills.ts')).benchKills(...at),
  night: async (...at) => (await import('./night.ts')).benchNight(...at),
  activation: async (...at) => (await import('./activation.ts')).benchActivation(...at),
};

/** Where a benchmark takes longer than most may, in milliseconds. */
export const limitsMs: Readonly<Record<string, number>> = {
  launch: 300_000,
  panelScale: 300_000,
  search: 600_000,
  transfer: 400_000,
  tokens: 600_000,
  night: 400_000,
  kills: 1_200_000,
};

/** Those of whole processes, as they are shipped. */
export const ofProduct: ReadonlySet<string> = new Set(['kills', 'activation']);
