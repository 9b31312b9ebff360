import * as z from 'zod';
import { defineTool, type Tool } from '../tool.ts';

export interface StopMonitorDeps {
  /** Stops the monitor. Resolves with whether one was running. */
  stopMonitor(): Promise<boolean>;
}

export const stopMonitor = (deps: StopMonitorDeps): Tool =>
  defineTool({
    name: 'stop_monitor',
    description: 'Stop the running monitor.',
    effect: 'read',
    isOwnData: true,
    isQuiet: true,
    parameters: z.strictObject({}),
    describe: () => 'Stop checking in',
    async execute() {
      const wasActive = await deps.stopMonitor();
      return { content: { status: wasActive ? 'stopped' : 'no_active_monitor' } };
    },
  });
