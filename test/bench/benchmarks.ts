/** All benchmarks by name, in the order in which they are run. Each is loaded only by the process that runs it. */
import type { Benchmark } from './figure.ts';

export const benchmarks: Readonly<Record<string, Benchmark>> = {
  experiments: async () => (await import('./experiments.ts')).benchExperiments(),
  freshness: async () => (await import('./freshness.ts')).benchFreshness(),
  metrics: async () => (await import('./metricFigures.ts')).benchMetricStore(),
  panel: async () => (await import('./panel.ts')).benchPanel(),
  parser: async () => (await import('./parser.ts')).benchParser(),
  journal: async () => (await import('./journal.ts')).benchJournal(),
  resume: async () => (await import('./resume.ts')).benchResume(),
  activation: async () => (await import('./activation.ts')).benchActivation(),
};
