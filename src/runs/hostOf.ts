import { JobHost } from './jobHost.ts';
import { ProcessHost } from './processHost.ts';
import type { RunHost, RunHostParts } from './runHost.ts';

/** By what the machine has. */
export const hostOf = (parts: RunHostParts): RunHost =>
  parts.machine.scheduler ? new JobHost({ ...parts, scheduler: parts.machine.scheduler }) : new ProcessHost(parts);
