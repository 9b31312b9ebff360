/**
 * Renders the briefing that replaces earlier turns: the goal, the ledger and everything else that
 * is recorded, within a budget of tokens. Deterministic: the same session gives the same bytes.
 */
import { oneLine, formatDuration } from '../../base/text.ts';
import { textTokens } from '../../base/textTokens.ts';
import { untrustedLine } from '../../base/untrusted.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { MemoryNode } from '../../memory/memoryNode.ts';
import { renderTree } from '../../memory/renderTree.ts';
import { triggerText } from '../../sleep/trigger.ts';
import type { JournalEvent } from '../journal/events.ts';
import { importedLine } from '../experiments/experimentLabels.ts';
import { ledgerSection } from './ledgerSection.ts';
import { limitsText } from './limitsText.ts';
import { openPoints } from './openPoints.ts';
import {
  fitSections,
  listSection,
  textSection,
  type ListedLine,
  type Section,
} from './sectionBudget.ts';
import type { SessionState } from '../journal/state.ts';
import { isSweepOver, progressOf, activeCounts } from '../runs/sweepProgress.ts';

export interface BriefingFacts {
  readonly state: SessionState;
  readonly ledger: Ledger;
  /** All events from the beginning of the journal to the last event that the briefing replaces. */
  readonly replaced: readonly JournalEvent[];
  /** In tree order, as `MemoryStore.tree` returns them. */
  readonly notes: readonly MemoryNode[];
}

const head =
  'The conversation so far was shortened. This is what is recorded; every number was measured.';
const foot =
  'Read a note with memory_read; show_metrics, compare_runs and task_output know the runs. The latest messages follow, if they were short enough. Continue the work.';
const maxMessageChars = 4_000;
const maxSweeps = 10;

/**
 * Renders the briefing with at most `budgetTokens`, as `textTokens` counts. With at least about 300
 * tokens, it always contains the goal and the champion, truncated if necessary.
 */
export const renderBriefing = (facts: BriefingFacts, budgetTokens: number): string => {
  const fixed = textTokens(head) + textTokens(foot) + 2;
  const sections: readonly Section[] = [
    textSection(0.16, 'The goal:\n', facts.state.goal),
    textSection(0.05, '', limitsText(facts.state)),
    ledgerSection(0.27, facts.ledger),
    listSection(
      0.03,
      importedLines(facts.state),
      titleWithOmitted('Earlier results, imported and not measured here'),
    ),
    listSection(0.06, sweepLines(facts.state), titleWithOmitted('Sweeps (task_output shows each)')),
    textSection(0.05, '', waitingText(facts.state)),
    listSection(0.06, openPoints(facts.replaced), titleWithOmitted('Still open')),
    listSection(0.04, envLines(facts.state), titleWithOmitted('Recorded environments')),
    listSection(
      0.14,
      saidLines(facts.replaced),
      titleWithOmitted('What the user said, oldest first', 'earlier ones'),
    ),
    notesSection(0.14, facts.notes),
  ];
  return [head, fitSections(sections, budgetTokens - fixed), foot]
    .filter((part) => part !== '')
    .join('\n\n');
};

const titleWithOmitted =
  (title: string, what = 'more') =>
  (leftOut: number): string =>
    `${title}${leftOut > 0 ? `, ${leftOut} ${what} left out` : ''}:`;

/** Ranks the newest lines first, so that the oldest lines are omitted first. */
const newestFirst = (lines: readonly string[]): ListedLine[] =>
  lines.map((text, position) => ({ text, position })).reverse();

const sweepLines = (state: SessionState): ListedLine[] =>
  newestFirst(
    [...state.sweeps.values()].slice(-maxSweeps).map((sweep) => {
      const { waiting, going } = progressOf(state, sweep);
      const { id, params, points, machineIds } = sweep.plan;
      const stands = isSweepOver(state, id)
        ? 'over'
        : [...activeCounts(going), `${waiting.length} waiting`].join(', ');
      return `- ${id}: ${points.length} points of ${params.join(' × ')} on ${machineIds.join(', ')}: ${stands}`;
    }),
  );

const maxImported = 60;

/** Lists imported results. Results with status `keep` rank first, then the newest results. */
const importedLines = ({ imported }: SessionState): ListedLine[] =>
  imported
    .map((result, position) => ({ result, position }))
    .toSorted(
      (a, b) =>
        Number(b.result.status === 'keep') - Number(a.result.status === 'keep') ||
        b.position - a.position,
    )
    .slice(0, maxImported)
    .map(({ result, position }) => ({ text: importedLine(result), position }));

function waitingText({ sleep, monitor }: SessionState): string {
  const asleep = sleep && `Asleep until: ${sleep.request.triggers.map(triggerText).join(', ')}.`;
  const checks = monitor && `Monitor every ${formatDuration(monitor.intervalMs)}: ${monitor.goal}`;
  return [asleep, checks].filter((part) => part !== undefined).join('\n');
}

const envLines = ({ envs }: SessionState): ListedLine[] =>
  newestFirst(
    envs.map(
      ({ id, machineId, repo, gist }) =>
        `- ${id} · ${machineId}:${repo} · ${untrustedLine(gist, `environment of ${machineId}`, 160)}`,
    ),
  );

const saidLines = (events: readonly JournalEvent[]): ListedLine[] =>
  newestFirst(
    events.flatMap((event) =>
      event.type === 'message.added' && event.origin === 'person' && event.isUnsaid !== true
        ? [`- ${oneLine(event.text, maxMessageChars)}`]
        : [],
    ),
  );

/**
 * Section with the memory notes. If not all notes fit, top-level notes and the newest notes are
 * kept (see `renderTree`); if none fits, the section only states their number.
 */
const notesSection = (share: number, notes: readonly MemoryNode[]): Section => ({
  share,
  render(maxTokens) {
    if (notes.length === 0) return undefined;
    const title = 'Notes in memory (path: gist):\n';
    const tree = renderTree(notes, maxTokens - textTokens(title));
    const none = `Notes in memory: ${notes.length}; memory_ls lists them.`;
    if (tree !== '') return title + tree;
    return textTokens(none) <= maxTokens ? none : undefined;
  },
});
