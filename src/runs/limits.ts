/**
 * What a run is given and allowed on its machine, as its supervisor reads it: lines `name=value`,
 * what is absent is not said.
 */
import type { Machine } from '../machines/machine.ts';
import type { RunSpec } from './run.ts';

export type SharedMachine = Pick<Machine, 'share' | 'scheduler'>;

/** Between TERM and KILL, at the end of the time. */
const defaultGraceMs = 10_000;

export function limitsFile(spec: RunSpec, { share, scheduler }: SharedMachine): string {
  const { limit, resources } = spec;
  // What a scheduler gave is for it to keep apart.
  const shared = scheduler
    ? {}
    : { gpus: resources?.gpus, cpus: resources?.cpus, slots: share?.slots };
  const terms = {
    run: spec.id,
    number: spec.number,
    session: spec.sessionId,
    limit_ms: limit && Math.ceil(limit.ms),
    limit_from: limit?.from,
    grace_ms: limit && (limit.graceMs ?? defaultGraceMs),
    ...shared,
    gpu_ids: share?.gpuIds?.join(','),
  };
  return Object.entries(terms)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
