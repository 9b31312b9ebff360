/** The details of one step: its facts, texts and run, and the session's state after the step. */
import type { JournalEvent } from '../../agent/journal/events.ts';
import { UserFacing } from '../../base/errors.ts';
import { cleanText } from '../../base/text.ts';
import { isRunId } from '../../base/ids.ts';
import {
  maxWholeChars,
  type StepDetail,
  type RunAt,
  type TextSection,
} from '../../protocol/sessionView.ts';
import { stepContent, type WholeSection } from './stepContent.ts';
import { metricNames, stateAt } from './stateAt.ts';
import { runAt } from './runAt.ts';
import type { SessionStates } from './states.ts';
import type { Step, Timeline } from './timeline.ts';
import type { SessionViewSource } from './viewSource.ts';

/** Maximum number of characters per text. The whole text is sent by a separate request. */
const sectionChars = 6_000;

export interface StepDetailDeps {
  readonly source: SessionViewSource;
  readonly states: SessionStates;
  readonly timeline: Timeline;
  /**
   * Current time; set for a running session. The newest step then shows the session's current state
   * instead of the state after the step.
   */
  readonly nowMs?: number;
}

/** Resolves with the details of the step at `index`. Rejects with `UserFacing` if there is none. */
export async function stepDetailOf(deps: StepDetailDeps, index: number): Promise<StepDetail> {
  const { source, states } = deps;
  const step = stepOf(deps, index);
  const isNow = deps.nowMs !== undefined && index === deps.timeline.steps.length - 1;
  const shownAt = isNow ? states.events.length - 1 : step.shownAt;
  const state = states.at(shownAt);
  const event = states.events[shownAt];
  if (state === undefined || event === undefined) throw noSuchRow(index);
  const atMs = isNow ? Math.max(deps.nowMs ?? 0, event.at) : event.at;
  const ledger = source.ledger();
  const { facts, sections } = contentOf(deps, step);
  const run = await runOf(deps, step, isNow ? atMs : 0);
  return {
    index,
    row: step.row,
    facts,
    texts: sections.map(bounded),
    ...(run && { run }),
    state: await stateAt(source, { state, atMs, ledger }),
  };
}

/**
 * Resolves with the whole text of a section, up to `maxWholeChars` characters. Reads the text from
 * its file if the journal contains only a part of it.
 */
export async function wholeText(
  deps: StepDetailDeps,
  index: number,
  section: string,
): Promise<string> {
  const found = contentOf(deps, stepOf(deps, index)).sections.find(({ id }) => id === section);
  if (found === undefined)
    throw new UserFacing('This text no longer exists.', 'Select the step again.');
  const text =
    found.file === undefined ? found.text : await deps.source.readFile(found.file, maxWholeChars);
  return cleanText(text).slice(0, maxWholeChars);
}

function contentOf({ states }: StepDetailDeps, step: Step) {
  const state = states.at(step.endedBy ?? step.shownAt);
  if (state === undefined)
    throw new UserFacing('The journal of this session is damaged: its first event is missing.');
  return stepContent(states.events, step, state);
}

/** Resolves with the step's run as of the end of the step, or as of `laterMs` if that is later. */
async function runOf(
  { source, states }: StepDetailDeps,
  step: Step,
  laterMs: number,
): Promise<RunAt | undefined> {
  const { runId } = step.row;
  if (runId === undefined || !isRunId(runId)) return undefined;
  const index = step.row.kind === 'tool' ? (step.endedBy ?? step.shownAt) : step.shownAt;
  const run = states.at(index)?.runs.get(runId);
  const event: JournalEvent | undefined = states.events[index];
  if (run === undefined || event === undefined) return undefined;
  return runAt(source, {
    run,
    atMs: Math.max(event.at, laterMs),
    metrics: metricNames(run, source.ledger()),
  });
}

function stepOf({ timeline }: StepDetailDeps, index: number): Step {
  const step = timeline.steps[index];
  if (step === undefined) throw noSuchRow(index);
  return step;
}

const noSuchRow = (index: number): UserFacing =>
  new UserFacing(`The session has no step ${index + 1}.`, 'Select a step of the timeline.');

function bounded({ id, title, format, text, isFolded, fileChars }: WholeSection): TextSection {
  const clean = cleanText(text);
  const omittedChars = Math.max(0, clean.length - sectionChars, fileChars ?? 0);
  return {
    id,
    title,
    format,
    text: clean.slice(0, sectionChars),
    omittedChars,
    ...(isFolded && { isFolded }),
  };
}
