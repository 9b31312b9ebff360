/** What a journal event says to a reader of the terminal: the words of the product, one line for most. */
import { verdictWords } from '../../agent/runs/alarms.ts';
import { noticeText } from '../../agent/budget/notices.ts';
import { budgetText, limitsText } from '../../agent/budget/words.ts';
import type { EndReason, JournalEvent } from '../../agent/journal/events.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import { cleanText, formatDuration, formatValue, oneLine } from '../../base/text.ts';
import { summaryFor } from '../../experiments/ledger.ts';
import { targetText } from '../../experiments/target.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import type { Style } from './style.ts';

const maxLine = 400;
type EventOf<Type extends JournalEvent['type']> = Extract<JournalEvent, { type: Type }>;
type Teller<E> = (event: E, state: SessionState) => string[];
const short = (text: string): string => oneLine(cleanText(text), maxLine);

/** Remembers the titles of calls, so that a result can be told with its call. */
export class EventText {
  readonly #style: Style;
  readonly #width: () => number;
  readonly #titles = new Map<string, string>();

  /** `width`: characters that the line of a tool may have. */
  constructor(style: Style, width = (): number => maxLine) {
    this.#style = style;
    this.#width = width;
  }

  /** Whole lines without line breaks at their ends; empty for events that are not shown, also of newer versions. */
  linesOf(event: JournalEvent, state: SessionState): string[] {
    const tell = this.#tellers[event.type] as Teller<JournalEvent> | undefined;
    return tell?.(event, state) ?? [];
  }

  readonly #tellers: { readonly [Type in JournalEvent['type']]?: Teller<EventOf<Type>> } = {
    'session.started': (event, state) => startLines(event, state, this.#style),
    'session.resumed': ({ budget }, state) => [
      this.#style.dim(`Session ${state.id} taken up again${budget ? `, with ${budgetText(budget)}` : ''}`),
    ],
    'session.model_changed': ({ provider, model }) => [this.#style.dim(`Model: ${provider} ${model}`)],
    'session.paused': ({ detail }) => [this.#style.bad(detail === undefined ? 'Paused' : `Paused: ${short(detail)}`)],
    'message.added': ({ origin, text }) => (origin === 'person' ? [`${this.#style.bold('You:')} ${short(text)}`] : []),
    'model.replied': ({ failure }) =>
      failure === undefined ? [] : [this.#style.bad(`Model: ${short(failure.message)}`)],
    'permission.decided': ({ isAllowed, why }) => (isAllowed ? [] : [this.#style.bad(`Not allowed: ${short(why)}`)]),
    'tool.started': ({ callId, title }) => {
      this.#titles.set(callId, title);
      return [];
    },
    'tool.finished': (event) => this.#toolLines(event),
    'run.ended': (event, state) => [this.#runLine(event, state)],
    'run.alarmed': ({ runId, detail, action }, state) => [
      this.#style.bad(`Alarm: run ${state.runs.get(runId)?.spec.number ?? '?'}: ${short(detail)}${alarmEnd[action]}`),
    ],
    'experiment.decided': ({ experimentId, decision, why }, state) => [
      `Experiment ${state.records.get(experimentId)?.plan.number ?? '?'}: ${decision} · ${short(why)}`,
    ],
    'question.asked': ({ questionId, text, fallback }) => [
      this.#style.bold(`Question ${questionId}: ${short(text)} (default: ${short(fallback)})`),
    ],
    'question.answered': ({ questionId, answer, by, why }) => [
      `Question ${questionId}: ${short(answer)}${by === 'default' ? ` (default: ${why ?? 'nobody answered in time'})` : ''}`,
    ],
    'run.not_started': ({ runId, why }, state) => [
      this.#style.bad(`Run ${state.runs.get(runId)?.spec.number ?? '?'} did not start: ${short(why)}`),
    ],
    'sweep.point_skipped': ({ sweepId, index, why }, state) => [
      this.#style.bad(
        `${state.sweeps.get(sweepId)?.plan.points[index]?.label ?? '?'} of sweep ${sweepId} was left out: ${short(why)}`,
      ),
    ],
    'sweep.ended': ({ text }) => [this.#style.bold(short(text.split('\n', 1)[0] ?? ''))],
    // The end of a run has a line of its own.
    'sleep.ended': ({ why, detail }) =>
      why === 'run_ended' || why === 'trigger' ? [] : [this.#style.dim(`Awake: ${short(detail)}`)],
    'budget.noticed': (event) => [this.#style.bold(`Budget: ${short(noticeText(event))}`)],
    'context.checkpointed': () => [this.#style.dim('Conversation shortened; notes and numbers are kept')],
  };

  #toolLines(event: EventOf<'tool.finished'>): string[] {
    const { dim, bad } = this.#style;
    const title = cleanText(this.#titles.get(event.callId) ?? event.name);
    if (event.isError) return [`  ${bad('×')} ${oneLine(title, 160)}: ${short(event.text)}`];
    const shown = oneLine(title, this.#width() - 2);
    const left = this.#width() - shown.length - 5;
    if (event.summary === undefined || left < 8) return [`  ${shown}`];
    return [`  ${shown}${dim(` · ${oneLine(cleanText(event.summary), left)}`)}`];
  }

  #runLine({ runId, verdict, endedMs, metrics }: EventOf<'run.ended'>, state: SessionState): string {
    const { good, bad, dim } = this.#style;
    const run = state.runs.get(runId);
    const colour = verdict.kind === 'ok' ? good : bad;
    const tookMs = run?.process && endedMs - run.process.startedMs;
    const parts = [
      `Run ${run?.spec.number ?? '?'} ${colour(verdictWords(verdict, run?.alarms))}`,
      ...(tookMs === undefined ? [] : [dim(`after ${formatDuration(tookMs)}`)]),
      run?.spec.label ?? '',
      ...shownMetrics(metrics, state.target?.metric).map(({ metric, last }) => `${metric} ${formatValue(last)}`),
    ];
    return parts.filter((part) => part !== '').join(' · ');
  }
}

const alarmEnd = { warn: '', kill: '; it is being stopped', ask: '; you are asked whether it should go on' } as const;

function startLines(event: EventOf<'session.started'>, { target }: SessionState, { bold, dim }: Style): string[] {
  const limits = limitsText(event.budget);
  const who =
    event.provider === 'demo' ? 'offline demo: scripted, no language model' : `${event.provider} ${event.model}`;
  return [
    `${bold('Goal:')} ${short(event.goal)}`,
    dim([who, ...(target ? [`measured: ${targetText(target)}`] : []), ...limits, event.workFolder].join(' · ')),
    '',
  ];
}

/** The goal's metric first; few enough for a line. */
function shownMetrics(metrics: readonly MetricSummary[], wanted: string | undefined): MetricSummary[] {
  const first = wanted === undefined ? undefined : summaryFor(metrics, wanted);
  const others = metrics.filter((summary) => summary !== first && summary.direction !== 'none');
  return [...(first ? [first] : []), ...others].slice(0, 3);
}

export function endText(reason: EndReason): string {
  switch (reason) {
    case 'goal':
      return 'Goal met';
    case 'answered':
      return 'Answered';
    case 'blocked':
      return 'Blocked';
    case 'budget':
      return 'Budget used up';
    case 'no_progress':
      return 'No progress';
    case 'plateau':
      return 'Plateau';
    case 'user':
      return 'Stopped';
    case 'error':
      return 'Error';
  }
}
