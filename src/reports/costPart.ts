/** Reports the cost: model calls, machine time, idle GPUs. */
import { plain } from '../base/markdown.ts';
import { counted, formatDuration } from '../base/text.ts';
import type { BriefFacts, RunFacts } from './facts.ts';

const maxMachines = 20;

export function costPart({ cost, runs, session }: BriefFacts): string {
  const lines = [
    `- Model calls: ${plain(cost.total, 300)}`,
    ...cost.lines.map((line) => `  - ${plain(line, 300)}`),
    `- Time: ${formatDuration(session.workedMs)}, ${counted(session.turns, 'turn')}`,
    ...machineLines(runs),
    ...gpuLines(runs),
  ];
  return `## Cost and time\n\n${lines.join('\n')}`;
}

function machineLines(runs: readonly RunFacts[]): string[] {
  const started = runs.filter(({ tookMs }) => tookMs !== undefined);
  const machines = [...Map.groupBy(started, ({ machineId }) => machineId)].map(
    ([machine, own]) => ({
      machine,
      count: own.length,
      ms: own.reduce((sum, { tookMs = 0 }) => sum + tookMs, 0),
    }),
  );
  const busiest = machines.toSorted((a, b) => b.ms - a.ms);
  const shown = busiest
    .slice(0, maxMachines)
    .map(
      ({ machine, count, ms }) =>
        `- ${plain(machine)}: ${formatDuration(ms)} in ${counted(count, 'run')}`,
    );
  return busiest.length > maxMachines
    ? [...shown, `- … and ${busiest.length - maxMachines} more machines`]
    : shown;
}

/**
 * Returns the line on idle GPUs; no line if no GPU was watched, because the idle time is then
 * unknown, not zero.
 */
function gpuLines(runs: readonly RunFacts[]): string[] {
  const watched = runs.flatMap(({ gpu }) => gpu ?? []);
  const total = watched.reduce((sum, { watchedSeconds }) => sum + watchedSeconds, 0);
  if (total <= 0) return [];
  const idle = watched.reduce((sum, { idleSeconds }) => sum + idleSeconds, 0);
  const share = Math.round((100 * idle) / total);
  return [
    `- GPU idle time of the runs: ${formatDuration(idle * 1000)} of ${formatDuration(total * 1000)} watched (${share} %)`,
  ];
}
