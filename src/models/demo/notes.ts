/** What the demo model writes down. The gist of a note is the finding itself. */
import { commandFor, pointText } from './space.ts';
import { bestOf } from './search.ts';
import { isRunning, nameOf, type Trial } from './trials.ts';
import type { View } from './view.ts';
import * as words from './words.ts';

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
      input: { path: '/goal', gist: goal.text, content: `${goal.text}\n\nMeasured: ${words.goalWords(goal)}.` },
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
  found: readonly string[],
  fresh: readonly Trial[],
  { transcript, best, goal }: View,
): DemoCall[] {
  const number = fresh.at(-1)?.number ?? transcript.turn;
  const finding =
    found[
      Math.max(
        0,
        fresh.findIndex((trial) => trial.point === bestOf(fresh, goal)?.point),
      )
    ] ?? '';
  const note = { path: `/observations/${number}`, gist: finding, content: found.join('\n') };
  const calls: DemoCall[] = [{ name: 'memory_write', input: note }];
  if (best !== undefined && fresh.some((trial) => trial === best)) {
    const gist = `${goal.metric} ${words.shown(best.value)}: ${nameOf(best)}, ${pointText(best.point)}`;
    calls.push({
      name: 'memory_write',
      input: { path: '/best', gist, content: `${gist}\n\n${commandFor(best.point)}` },
    });
  }
  return calls;
}

/** The table of what was tried and what runs, written before each wait. */
export function searchNote({ trials }: View): DemoCall {
  const lines = trials.map((trial) =>
    [nameOf(trial), pointText(trial.point), trial.handle, trial.verdict ?? 'running'].filter(Boolean).join(' · '),
  );
  const gist = `${trials.length} points tried, ${trials.filter(isRunning).length} running`;
  return { name: 'memory_write', input: { path: '/search', gist, content: lines.join('\n') } };
}
