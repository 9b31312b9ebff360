/** Writes the demo model's memory notes. The gist of each note states the finding. */
import { counted } from '../../base/text.ts';
import { commandFor, pointText } from './space.ts';
import { bestOf } from './search.ts';
import { isRunning, nameOf } from './trials.ts';
import type { View } from './view.ts';
import * as words from './phrases.ts';

export interface DemoCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface DemoReply {
  readonly text: string;
  readonly calls: readonly DemoCall[];
}

export function firstNotes({ goal, space }: View): DemoCall[] {
  const names = Object.keys(space.base);
  return [
    {
      name: 'memory_write',
      input: {
        path: '/goal',
        gist: goal.text,
        content: `${goal.text}\n\nMeasured: ${words.goalWords(goal)}.`,
      },
    },
    {
      name: 'memory_write',
      input: {
        path: '/hypotheses/1',
        gist: `the default ${space.rate} is far from the best one${names.length > 1 ? `, and ${names.slice(1).join(' and ')} matter less` : ''}`,
        content: `Start from the defaults (${pointText(space.base)}). Find the order of magnitude of ${space.rate} first.`,
      },
    },
  ];
}

export function noteFindings(
  found: readonly words.Finding[],
  { transcript, best, goal }: View,
): DemoCall[] {
  const fresh = found.map(({ trial }) => trial);
  const number = fresh.at(-1)?.number ?? transcript.turn;
  const bestPoint = bestOf(fresh, goal)?.point;
  const telling = found.find(({ trial }) => trial.point === bestPoint) ?? found[0];
  const content = found.map(({ text }) => text).join('\n');
  const note = { path: `/observations/${number}`, gist: telling?.text ?? '', content };
  const calls: DemoCall[] = [...found.flatMap(judging), { name: 'memory_write', input: note }];
  if (best !== undefined && fresh.some((trial) => trial === best)) {
    const gist = `${goal.metric} ${words.shown(best.value)}: ${nameOf(best)}, ${pointText(best.point)}`;
    calls.push({
      name: 'memory_write',
      input: { path: '/best', gist, content: `${gist}\n\n${commandFor(best.point)}` },
    });
  }
  return calls;
}

/**
 * Returns the call that records the decision on a trial. Returns no call for a failed run, because
 * Helios itself records that decision.
 */
const judging = ({ trial, text, decision }: words.Finding): DemoCall[] =>
  trial.experiment === undefined || decision === 'crash'
    ? []
    : [{ name: 'exp_decide', input: { experiment: trial.experiment, decision, why: text } }];

/**
 * Returns the call that saves the table of tried and running points. The demo makes this call
 * before its first sleep after it launched runs or the user wrote.
 */
export function searchNote({ trials }: View): DemoCall {
  const lines = trials.map((trial) =>
    [nameOf(trial), pointText(trial.point), trial.handle, trial.verdict ?? 'running']
      .filter(Boolean)
      .join(' · '),
  );
  const gist = `${counted(trials.length, 'point')} tried, ${trials.filter(isRunning).length} running`;
  return { name: 'memory_write', input: { path: '/search', gist, content: lines.join('\n') } };
}
