import { JobHost } from './jobHost.ts';
import { ProcessHost } from './processHost.ts';
import type { RunHost, RunHostDeps } from './runHost.ts';

/** By what the machine has. */
export const hostOf = (deps: RunHostDeps): RunHost =>
  deps.machine.scheduler
    ? new JobHost({ ...deps, scheduler: deps.machine.scheduler })
    : new ProcessHost(deps);
