import * as z from 'zod';
import { monitorMinutes } from '../../sleep/monitorMinutes.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';

export interface StartMonitorDeps {
  /**
   * Records and starts the monitor, which replaces the current one. Resolves with the time of the
   * start, in milliseconds since the epoch.
   */
  startMonitor(
    plan: { readonly goal: string; readonly intervalMs: number },
    context: ToolContext,
  ): Promise<number>;
}

const { min, max, usual } = monitorMinutes;
const bounds = `interval_minutes must be between ${min} and ${max}: shorter intervals cost more than they are worth; to wait longer, use sleep`;

export const startMonitor = (deps: StartMonitorDeps): Tool =>
  defineTool({
    name: 'start_monitor',
    description:
      'Get a digest of active runs at a fixed interval, also asleep; a reply without a call sleeps on.',
    effect: 'read',
    isOwnData: true,
    isQuiet: true,
    parameters: z.strictObject({
      goal: z.string().min(1).describe('What to watch for.'),
      interval_minutes: z.number().min(min, bounds).max(max, bounds).default(usual),
    }),
    describe: ({ interval_minutes }) => `Check in every ${interval_minutes} min`,
    async execute({ goal, interval_minutes }, context) {
      const startedMs = await deps.startMonitor(
        { goal, intervalMs: interval_minutes * 60_000 },
        context,
      );
      return {
        content: {
          status: 'monitoring',
          interval_minutes,
          goal,
          started_at: new Date(startedMs).toISOString(),
        },
        summary: `every ${interval_minutes} min: ${goal}`,
      };
    },
  });
