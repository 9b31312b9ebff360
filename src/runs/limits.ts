/**
 * Formats the limits and resources of a run for its supervisor, as lines `name=value`. Values that
 * are not set are omitted.
 */
import type { Machine } from '../machines/machine.ts';
import type { RunSpec } from './run.ts';

export type SharedMachine = Pick<Machine, 'share' | 'scheduler'>;

/** Default number of milliseconds between TERM and KILL when a run has reached its time limit. */
const defaultGraceMs = 10_000;

export function limitsFile(spec: RunSpec, { share, scheduler }: SharedMachine): string {
  const { limit, resources } = spec;
  // No GPUs, CPUs and slots with a scheduler: the scheduler assigns resources to its jobs itself.
  const shared = scheduler
    ? {}
    : { gpus: resources?.gpus, cpus: resources?.cpus, slots: share?.slots };
  const terms = {
    run: spec.id,
    number: spec.number,
    session: spec.sessionId,
    limit_ms: limit && Math.ceil(limit.ms),
    limit_from: limit?.from,
    max_ms: limit?.maxMs,
    grace_ms: limit && (limit.graceMs ?? defaultGraceMs),
    ...shared,
    gpu_ids: share?.gpuIds?.join(','),
  };
  return Object.entries(terms)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
