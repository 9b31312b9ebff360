import * as z from 'zod';
import { counted } from '../../base/text.ts';
import { requireOwnRuns, taskId, taskText, type MeasuredRuns } from './measuredRuns.ts';
import { defineTool, type Tool } from '../tool.ts';

const parameters = z.strictObject({
  task_id: taskId('').optional().describe('Default: all runs.'),
});

export function clearMetrics(runs: MeasuredRuns): Tool {
  return defineTool({
    name: 'clear_metrics',
    description: 'Clear the metric points read so far. Active runs continue to be measured.',
    effect: 'write',
    isOwnData: true,
    changesCode: false,
    parameters,
    aliases: { run: 'task_id', run_id: 'task_id' },
    describe: ({ task_id: task }) =>
      `Cleared the metrics of ${task === undefined ? 'all runs' : taskText(task)}`,
    execute: async ({ task_id: task }) => {
      const chosenRuns = task === undefined ? runs.all() : requireOwnRuns(runs, task);
      const cleared = chosenRuns.map(({ name, metrics }) => {
        const points = metrics.summaries().reduce((sum, { count }) => sum + count, 0);
        metrics.clear();
        return { run: name, points };
      });
      const total = cleared.reduce((sum, { points }) => sum + points, 0);
      return {
        content: { cleared: total, runs: cleared },
        summary: `Cleared ${counted(total, 'point')} of ${task === undefined ? 'all runs' : taskText(task)}`,
      };
    },
  });
}
