/**
 * Keeps the conversation inside the model's window: older turns are replaced by a briefing built from the journal, the
 * newest stay word for word. Deterministic: no model is asked.
 */
import { capText, formatValue, oneLine } from '../base/text.ts';
import { rowStatus, type Ledger, type LedgerRow } from '../experiments/ledger.ts';
import { contextTokens, type ModelDescription } from '../models/model.ts';
import { triggerText } from '../sleep/trigger.ts';
import type { JournalEvent } from './events.ts';
import { isPointEnd, pointRuns } from './history.ts';
import type { SessionState } from './state.ts';
import { isSweepOver, progressOf } from './sweepProgress.ts';

const charsPerToken = 3.5;
/** Shares of the model's window. */
const fullShare = 0.7;
const keptShare = 0.2;
const trustedShare = 0.8;
const maxLedgerRows = 40;

const defaultWindowTokens = 128_000;

/** Tokens of the next request: measured up to the last reply, estimated for what came after it. */
export function estimatedTokens(events: readonly JournalEvent[]): number {
  const open = told(events);
  const index = open.findLastIndex((event) => event.type === 'model.replied' && contextTokens(event.usage) > 0);
  const last = open[index];
  if (last?.type !== 'model.replied' || wasShortenedAfter(events, last)) return sizeOf(open);
  const measured = contextTokens(last.usage) + last.usage.outputTokens + sizeOf(open.slice(index + 1));
  // Some servers leave out what they had cached: what the conversation weighs is a lower bound.
  return Math.max(measured, sizeOf(open) * trustedShare);
}

function wasShortenedAfter(events: readonly JournalEvent[], reply: JournalEvent): boolean {
  return events.findLastIndex((event) => event.type === 'context.checkpointed') > events.indexOf(reply);
}

/** Tokens of the newest turns that a checkpoint leaves word for word. */
export const keptTokens = (window: ModelDescription | undefined): number => windowTokens(window) * keptShare;

export const needsCheckpoint = (events: readonly JournalEvent[], window: ModelDescription | undefined): boolean =>
  estimatedTokens(events) > windowTokens(window) * fullShare;

const windowTokens = (window: ModelDescription | undefined): number => window?.contextTokens ?? defaultWindowTokens;

/** Id of the last event to be replaced: as many whole turns as fit stay. `undefined` when there is nothing to replace. */
export function replaceUpTo(events: readonly JournalEvent[], keepTokens: number): string | undefined {
  const open = told(events);
  let upTo = open.at(-1)?.id;
  let tokens = 0;
  for (let index = open.length - 1; index > 0; index -= 1) {
    const event = open[index];
    if (event === undefined) break;
    tokens += sizeOf([event]);
    if (tokens > keepTokens) break;
    if (event.type === 'model.requested') upTo = open[index - 1]?.id;
  }
  return upTo;
}

function sinceCheckpoint(events: readonly JournalEvent[]): readonly JournalEvent[] {
  const last = events.findLast((event) => event.type === 'context.checkpointed');
  if (last?.type !== 'context.checkpointed') return events;
  return events.slice(events.findIndex((event) => event.id === last.upTo) + 1).filter((event) => event !== last);
}

/** Without the ends that the model is not told one by one. */
function told(events: readonly JournalEvent[]): readonly JournalEvent[] {
  const points = pointRuns(events);
  return sinceCheckpoint(events).filter((event) => !isPointEnd(event, points));
}

function sizeOf(events: readonly JournalEvent[]): number {
  const chars = events.reduce((sum, event) => {
    switch (event.type) {
      case 'message.added':
      case 'tool.finished':
      case 'sweep.ended':
        return sum + event.text.length;
      case 'model.replied':
        return sum + JSON.stringify(event.content).length;
      case 'run.ended':
        return sum + 300 + (event.outputTail?.length ?? 0);
      default:
        return sum;
    }
  }, 0);
  return Math.ceil(chars / charsPerToken);
}

/**
 * What is new since the last reply, cut to `keepTokens` in all, where the newest turn was too large to stay word for word:
 * a model that never saw its results would ask for them again. `undefined` where the newest turn stays.
 */
export function newestPart(events: readonly JournalEvent[], upTo: string, keepTokens: number): string | undefined {
  if (events.at(-1)?.id !== upTo) return undefined;
  const replied = events.findLastIndex((event) => event.type === 'model.replied' && event.stop !== 'error');
  const fresh = events.slice(replied + 1).flatMap((event): [title: string, text: string][] => {
    if (event.type === 'tool.finished') return [[`Result of ${event.name}`, event.text]];
    return event.type === 'message.added' && event.origin !== 'goal' ? [['Message', event.text]] : [];
  });
  if (replied === -1 || fresh.length === 0) return undefined;
  const maxChars = Math.max(200, Math.floor((keepTokens * charsPerToken) / fresh.length) - 120);
  const texts = fresh.map(([title, text]) => `${title}, as data:\n\`\`\`\n${capText(text, maxChars).text}\n\`\`\``);
  return `What came last was too long to be kept whole; ask for less at a time.\n\n${texts.join('\n\n')}`;
}

/** What the model gets in place of the turns before. */
export function renderBriefing(state: SessionState, ledger: Ledger, events: readonly JournalEvent[]): string {
  const parts = [
    'The conversation so far was shortened. This is what is recorded; every number was measured.',
    `The goal:\n${state.goal}`,
    `Turns made: ${state.turns}. Runs: ${state.runs.size}.`,
    ledgerPart(ledger),
    sweepsPart(state),
    waitingPart(state),
    steeringPart(events),
    'Your notes are listed in the system prompt; read what you need with memory_read. Earlier runs answer to show_metrics, compare_runs and task_output. Go on with the work.',
  ];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

function ledgerPart({ rows, champion, decisive }: Ledger): string | undefined {
  if (rows.length === 0) return undefined;
  const shown = rows.slice(-maxLedgerRows);
  const kept =
    champion !== undefined && !shown.some((row) => row.runId === champion.runId) ? [champion, ...shown] : shown;
  const left = rows.length - kept.length;
  const best = champion && decisive ? `\nBest by ${decisive.metric}: run ${champion.number}.` : '';
  return `Runs${left > 0 ? ` (${left} older ones left out)` : ''}:\n${kept.map(rowText).join('\n')}${best}`;
}

function rowText(row: LedgerRow): string {
  const verdict = rowStatus(row);
  const metrics = row.metrics
    .slice(0, 6)
    .map((one) => `${one.metric} last ${formatValue(one.last)} best ${formatValue(one.best)}`);
  const handle = row.handle === undefined ? '' : ` · ${row.handle}`;
  return `- run ${row.number} · ${row.runId}${handle} · ${row.label} · ${verdict}${metrics.length > 0 ? ` · ${metrics.join(' · ')}` : ''} · ${oneLine(row.command, 160)}`;
}

function sweepsPart(state: SessionState): string | undefined {
  const lines = [...state.sweeps.values()].map((sweep) => {
    const { waiting, going } = progressOf(state, sweep);
    const { id, params, points, machineIds } = sweep.plan;
    const left = isSweepOver(state, id) ? 'over' : `${going.length} running, ${waiting.length} waiting`;
    return `- ${id}: ${points.length} points of ${params.join(' × ')} on ${machineIds.join(', ')}: ${left}`;
  });
  return lines.length === 0 ? undefined : `Sweeps (task_output shows each):\n${lines.slice(-10).join('\n')}`;
}

function waitingPart(state: SessionState): string | undefined {
  const sleep = state.sleep && `Asleep until: ${state.sleep.request.triggers.map(triggerText).join(', ')}.`;
  const monitor =
    state.monitor && `Monitor every ${Math.round(state.monitor.intervalMs / 60_000)} min: ${state.monitor.goal}`;
  return [sleep, monitor].filter((part) => part !== undefined).join('\n') || undefined;
}

/** What the person said stays word for word, newest first within a bound. */
function steeringPart(events: readonly JournalEvent[]): string | undefined {
  const said = events.flatMap((event) =>
    event.type === 'message.added' && event.origin === 'person' ? [event.text] : [],
  );
  if (said.length === 0) return undefined;
  return `What the person said, oldest first:\n${said
    .slice(-10)
    .map((text) => `- ${oneLine(text, 2000)}`)
    .join('\n')}`;
}
