/** Tones of events, by the ends of runs and by decisions. */
import type { Decision } from '../../experiments/experiment.ts';
import type { Verdict } from '../../runs/run.ts';

/**
 * Tone of an event. `busy`: work is in progress. `muted`: a choice of the user or the agent,
 * neither good nor bad, such as a pause, a killed run or a discarded experiment.
 */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'muted' | 'plain';

const decisionTones: Readonly<Record<Decision, Tone>> = {
  keep: 'good',
  discard: 'muted',
  reference: 'muted',
  crash: 'bad',
  invalid: 'warn',
  retest: 'warn',
};

const verdictTones: Readonly<Record<Verdict['kind'], Tone>> = {
  ok: 'good',
  killed: 'muted',
  time_limit: 'warn',
  preempted: 'warn',
  lost: 'warn',
  failed: 'bad',
  signalled: 'bad',
  out_of_memory: 'bad',
};
export const verdictTone = (verdict: Verdict | undefined): Tone =>
  verdict === undefined ? 'busy' : verdictTones[verdict.kind];
export const decisionTone = (decision: Decision): Tone => decisionTones[decision];
