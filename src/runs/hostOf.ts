import { JobHost } from './jobHost.ts';
import { ProcessHost } from './processHost.ts';
import type { RunHost, RunHostDeps } from './runHost.ts';

/** Returns the host of a run, which depends on whether its machine has a scheduler. */
export const hostOf = (deps: RunHostDeps): RunHost =>
  deps.machine.scheduler
    ? new JobHost({ ...deps, scheduler: deps.machine.scheduler })
    : new ProcessHost(deps);
