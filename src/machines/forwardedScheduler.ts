/** A scheduler that stands for another, which is not there yet or may be replaced. */
import type { Scheduler } from './machine.ts';

/** `doing`: something is done there, for which a person may be asked; otherwise it is only looked. */
export type SchedulerCall = <T>(call: (scheduler: Scheduler) => Promise<T>, purpose: 'doing' | 'looking') => Promise<T>;

export const forwardedScheduler = (mayRequeue: () => boolean, through: SchedulerCall): Scheduler => ({
  get mayRequeue() {
    return mayRequeue();
  },
  submit: (request) => through((scheduler) => scheduler.submit(request), 'doing'),
  find: (name) => through((scheduler) => scheduler.find(name), 'looking'),
  state: (jobId, options) => through((scheduler) => scheduler.state(jobId, options), 'looking'),
  onNode: (job, script, timeoutMs) => through((scheduler) => scheduler.onNode(job, script, timeoutMs), 'doing'),
  cancel: (jobId) => through((scheduler) => scheduler.cancel(jobId), 'doing'),
});

/** Of a machine that must have one. */
export function schedulerOf({ id, scheduler }: { readonly id: string; readonly scheduler?: Scheduler | undefined }) {
  if (scheduler) return scheduler;
  throw new Error(`Machine ${id} has no scheduler`);
}
