/** Lists failures, alarms, answered questions and interruptions. */
import { exactTime } from '../base/localTime.ts';
import { code, plain } from '../base/markdown.ts';
import { formatDuration } from '../base/text.ts';
import type { BriefFacts, RunFacts } from './facts.ts';
import { bounded, type Mentions } from './mentions.ts';

const maxFailures = 15;
const maxAlarms = 20;
const maxHappenings = 30;
const maxQuestions = 20;

/** Lists the failed runs, grouped by status and last line of output. */
export function failuresPart({ runs }: BriefFacts, mentions: Mentions): string {
  const groups = failuresOf(runs);
  if (groups.length === 0) return '';
  const lines = bounded(groups, maxFailures, 'kinds of failure', (group) =>
    failureLine(group, mentions),
  );
  return `## Failures (${groups.flat().length})\n\n${lines.join('\n')}`;
}

function failuresOf(runs: readonly RunFacts[]): readonly (readonly RunFacts[])[] {
  const failed = runs.filter(({ outcome }) => outcome === 'bad');
  return [...Map.groupBy(failed, ({ status, lastLine = '' }) => `${status}\n${lastLine}`).values()];
}

/**
 * Returns the alarm that stopped a run, if the run is the only one in its group. The line of the
 * run then contains the alarm.
 */
const stoppedBy = ([first, ...others]: readonly RunFacts[]):
  RunFacts['alarms'][number] | undefined =>
  others.length === 0 ? first?.alarms.findLast(({ action }) => action === 'kill') : undefined;

function failureLine(group: readonly RunFacts[], mentions: Mentions): string {
  const [first] = group;
  if (first === undefined) return '';
  const took =
    first.tookMs === undefined || group.length > 1 ? '' : ` after ${formatDuration(first.tookMs)}`;
  const alarm = stoppedBy(group);
  const after = alarm === undefined ? '' : ` after the alarm: ${plain(alarm.detail, 200)}`;
  const line = first.lastLine === undefined ? '' : `: ${code(first.lastLine, 200)}`;
  const numbers = group.map(({ number }) => number);
  return `- ${mentions.runs(numbers, 5)}: ${plain(first.status, 200)}${took} on ${plain(first.machineId)}${after}${line}`;
}

const actions = {
  warn: 'the agent was notified',
  kill: 'the run was stopped',
  ask: 'you were asked',
} as const;

/** Lists the alarms, except those that the part about failures contains. */
export function alarmsPart({ runs }: BriefFacts, mentions: Mentions): string {
  const told = new Set(failuresOf(runs).slice(0, maxFailures).map(stoppedBy));
  const alarms = runs.flatMap(({ number, alarms }) =>
    alarms.filter((alarm) => !told.has(alarm)).map((alarm) => ({ number, ...alarm })),
  );
  if (alarms.length === 0) return '';
  const newest = alarms.toSorted((a, b) => b.atMs - a.atMs);
  const lines = bounded(newest, maxAlarms, 'alarms', ({ number, detail, action, atMs }) => {
    return `- ${exactTime(atMs)} ${mentions.run(number)}: ${plain(detail, 200)} · ${actions[action]}`;
  });
  return `## Alarms (${alarms.length})\n\n${lines.join('\n')}`;
}

export function questionsPart({ questions }: BriefFacts): string {
  const answered = questions.flatMap(({ id, text, answer }) =>
    answer === undefined ? [] : [{ id, text, answer }],
  );
  if (answered.length === 0) return '';
  const lines = bounded(
    answered.toReversed(),
    maxQuestions,
    'answered questions',
    ({ id, text, answer }) => {
      const by = answer.by === 'person' ? 'you' : 'no answer in time, so the default';
      return `- ${plain(id)}: “${plain(text, 300)}” · ${by}: ${plain(answer.text, 200)}`;
    },
  );
  return `## Questions answered\n\n${lines.join('\n')}`;
}

export function happenedPart({ happenings, sleeps }: BriefFacts): string {
  const [total, longest] = [sleeps.totalMs, sleeps.longestMs].map(formatDuration);
  const spans =
    sleeps.count === 1
      ? `once, for ${total}`
      : `${sleeps.count} times, ${total} in total, ${longest} at most`;
  const slept = sleeps.count === 0 ? [] : [`- The session slept ${spans}, without model calls.`];
  const lines = bounded(happenings.toReversed(), maxHappenings, 'events', ({ atMs, text }) => {
    return `- ${exactTime(atMs)} ${plain(text, 300)}`;
  });
  if (slept.length + lines.length === 0) return '';
  return `## What happened meanwhile\n\n${[...slept, ...lines].join('\n')}`;
}
