/**
 * Sessions as flat records for spreadsheets and scripts. Records are yielded one by one, so that
 * any number of them fits in memory.
 */
import path from 'node:path';
import type { SessionId } from '../../base/ids.ts';
import { seedOf } from '../../experiments/seeds.ts';
import type { LedgerRow } from '../../experiments/ledger.ts';
import { rowStatus, summaryFor } from '../../experiments/ledger.ts';
import { RunMetrics } from '../../metrics/runMetrics.ts';
import { homeAt } from '../../storage/home.ts';
import type { SessionReading, Sessions, SessionSummary } from '../../agent/contract/sessions.ts';
import type { JournalEvent } from '../../agent/journal/events.ts';

export const exportKinds = ['sessions', 'messages', 'metrics', 'ledger', 'events'] as const;
export type ExportKind = (typeof exportKinds)[number];

/**
 * Value of a cell. An object becomes JSON text in formats other than JSON. Numbers may be NaN or
 * infinite.
 */
export type Cell = string | number | boolean | undefined | object;
export type ExportRecord = Readonly<Record<string, Cell>>;

/** Names of the columns per kind of export, in order. A record has no other columns. */
export const exportColumns: Readonly<Record<ExportKind, readonly string[]>> = {
  sessions: [
    ...[
      'session_id',
      'goal',
      'phase',
      'end_reason',
      'started_at',
      'last_event_at',
      'turns',
      'runs',
      'runs_going',
    ],
    ...['usd', 'has_unknown_cost', 'best', 'title'],
  ],
  messages: ['session_id', 'event_id', 'at', 'turn', 'role', 'name', 'text'],
  metrics: ['session_id', 'run_id', 'run', 'label', 'metric', 'step', 'time', 'value'],
  ledger: [
    ...[
      'session_id',
      'experiment_id',
      'hypothesis',
      'run',
      'run_id',
      'handle',
      'machine',
      'label',
      'command',
    ],
    ...[
      'code_tree',
      'code_head',
      'code_is_dirty',
      'seed',
      'status',
      'started_at',
      'ended_at',
      'is_champion',
    ],
    ...[
      'decision',
      'why',
      'decided_by',
      'metric',
      'last',
      'best',
      'usd',
      'tokens',
      'has_unknown_cost',
      'metrics',
      'tags',
      'note',
    ],
  ],
  events: ['session_id', 'event_id', 'at', 'type', 'event'],
};

export interface ExportSource {
  readonly sessions: Pick<Sessions, 'list' | 'read'>;
  /** Path of the home folder. */
  readonly home: string;
}

/**
 * Yields the records of session `id`, or of all sessions, newest session first. Only one session is
 * in memory at a time.
 */
export async function* exportRecords(
  source: ExportSource,
  kind: ExportKind,
  id?: SessionId,
): AsyncGenerator<ExportRecord, void, void> {
  const listed = (await source.sessions.list()).filter(
    (summary) => id === undefined || summary.id === id,
  );
  for (const summary of listed) {
    if (kind === 'sessions') yield sessionRecord(summary);
    else yield* recordsOf(source, kind, await source.sessions.read(summary.id));
  }
}

const isoTime = (atMs: number | undefined): string | undefined =>
  atMs === undefined ? undefined : new Date(atMs).toISOString();

const sessionRecord = (summary: SessionSummary): ExportRecord => ({
  session_id: summary.id,
  goal: summary.goal,
  phase: summary.phase,
  end_reason: summary.endReason,
  started_at: isoTime(summary.startedMs),
  last_event_at: isoTime(summary.lastEventMs),
  turns: summary.turns,
  runs: summary.runs,
  runs_going: summary.going,
  usd: summary.usd,
  has_unknown_cost: summary.hasUnknownCost,
  best: summary.best,
  title: summary.title,
});

async function* recordsOf(
  source: ExportSource,
  kind: Exclude<ExportKind, 'sessions'>,
  reading: SessionReading,
): AsyncGenerator<ExportRecord, void, void> {
  switch (kind) {
    case 'messages':
      return yield* messageRecords(reading);
    case 'metrics':
      return yield* metricRecords(source, reading);
    case 'ledger':
      return yield* ledgerRecords(reading);
    case 'events':
      for (const event of reading.events)
        yield {
          session_id: reading.state.id,
          event_id: event.id,
          at: isoTime(event.at),
          type: event.type,
          event,
        };
  }
}

function* messageRecords({ state, events }: SessionReading): Generator<ExportRecord, void, void> {
  let turn = 0;
  for (const event of events) {
    if (event.type === 'model.requested') turn = event.turn;
    for (const message of messagesOf(event))
      yield { session_id: state.id, event_id: event.id, at: isoTime(event.at), turn, ...message };
  }
}

interface Message {
  readonly role: string;
  readonly name?: string;
  readonly text: string;
}

/**
 * Returns the messages in an event. The role of a message is `assistant`, `tool_call`,
 * `tool_result`, or a `MessageOrigin` such as `goal` or `person`.
 */
function messagesOf(event: JournalEvent): Message[] {
  switch (event.type) {
    case 'message.added':
      return [{ role: event.isUnsaid === true ? 'resume' : event.origin, text: event.text }];
    case 'model.replied':
      return event.content.flatMap((block): Message[] => {
        if (block.type === 'text') return [{ role: 'assistant', text: block.text }];
        if (block.type !== 'tool_call') return [];
        return [{ role: 'tool_call', name: block.name, text: JSON.stringify(block.input) }];
      });
    case 'tool.finished':
      return [{ role: 'tool_result', name: event.name, text: event.text }];
    default:
      return [];
  }
}

async function* metricRecords(
  { home }: ExportSource,
  { state }: SessionReading,
): AsyncGenerator<ExportRecord, void, void> {
  const { runsFolder } = homeAt(home);
  for (const { spec } of state.runs.values()) {
    const metrics = await RunMetrics.open(path.join(runsFolder, spec.id), spec.metrics);
    try {
      const run = { session_id: state.id, run_id: spec.id, run: spec.number, label: spec.label };
      for (const metric of metrics.names()) {
        for await (const { steps, timesMs, values } of metrics.points(metric))
          for (const [index, value] of values.entries()) {
            const step = steps[index] ?? NaN;
            const time = isoTime(timesMs[index]);
            yield { ...run, metric, step: Number.isNaN(step) ? undefined : step, time, value };
          }
      }
    } finally {
      metrics.dispose();
    }
  }
}

function* ledgerRecords({ state, ledger }: SessionReading): Generator<ExportRecord, void, void> {
  for (const row of ledger.rows) {
    const record =
      row.experimentId === undefined ? undefined : state.experiments.get(row.experimentId);
    const decided = row.decision;
    const code = record?.plan.code.kind === 'git' ? record.plan.code : undefined;
    yield {
      session_id: state.id,
      experiment_id: row.experimentId,
      hypothesis: record?.plan.hypothesis,
      ...runCells(row),
      code_tree: code?.tree,
      code_head: code?.head,
      code_is_dirty: code?.isDirty,
      seed: seedOf(row),
      decision: decided?.decision,
      why: decided?.why,
      decided_by: decided?.by,
      ...decisiveCells(row, ledger.decisive?.metric),
    };
  }
}

const runCells = (row: LedgerRow): ExportRecord => ({
  run: row.number,
  run_id: row.runId,
  handle: row.handle,
  machine: row.machineId,
  label: row.label,
  command: row.command,
  status: rowStatus({ ...row, alarm: undefined }),
  started_at: isoTime(row.startedMs),
  ended_at: isoTime(row.endedMs),
  is_champion: row.isChampion,
  usd: row.cost?.usd,
  tokens: row.cost?.tokens,
  has_unknown_cost: row.cost?.hasUnknownCost,
  metrics: Object.fromEntries(
    row.metrics.map(({ metric, last, best, count }) => [metric, { last, best, count }]),
  ),
  tags: row.annotation?.tags.join(' '),
  note: row.annotation?.note,
});

function decisiveCells({ metrics }: LedgerRow, decisive: string | undefined): ExportRecord {
  const summary = decisive === undefined ? undefined : summaryFor(metrics, decisive);
  return { metric: summary?.metric, last: summary?.last, best: summary?.best };
}
