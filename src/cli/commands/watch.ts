import type { Engine } from '../../agent/contract/engine.ts';
import type { ObservedSession } from '../../agent/contract/observedSession.ts';
import type { RunPlace } from '../../agent/contract/sessions.ts';
import { applyEvent, foldSession } from '../../compose/foldJournal.ts';
import type { RunState, SessionState } from '../../agent/journal/state.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { SessionId } from '../../base/ids.ts';
import { cleanText, formatDuration, formatValue } from '../../base/text.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { LineReader } from '../../metrics/lines/lineReader.ts';
import { createLineReader, LineSplitter } from '../../compose/metricLines.ts';
import type { RunEnd, RunSpec } from '../../runs/run.ts';
import { runStatus, runTitle } from '../../presentation/runs/runText.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { isRunName, noRun, runNamed } from '../runReference.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';
import { styleFor, type Style } from '../screen/style.ts';
import { singleLine } from '../screen/terminalText.ts';
import type { LiveValues } from '../screen/liveBlock.ts';
import { TerminalView } from '../screen/terminalView.ts';
import { PlainView, type SessionView } from '../screen/views.ts';
import { codeFor, outcomeLines } from '../follow.ts';
import { exitCodes, type CliDeps } from '../cliDeps.ts';

export const declareWatch = (helios: CliCommand): CliCommand =>
  helios
    .command('watch')
    .summary('follow a session or a run until it ends')
    .description(
      'Follows a session (messages and actions) or a run (its output, and its ' +
        'metrics at the end) without changing anything. Also works for sessions of another window, another terminal or the background, on any ' +
        'machine. Ctrl+C ends only this command.',
    )
    .argument(
      '[session|run]',
      `a session: ${sessionWords} (default: the newest); or a run: machine:pid, machine:job, or its id`,
    )
    .addHelpText(
      'after',
      '\nExit code: 0 goal met, best found or run succeeded, 2 ended otherwise, 130 interrupted.',
    )
    .runs((context, reference: string | undefined) =>
      withEngine(context, async (engine) => {
        const abort = new AbortController();
        const interrupt = context.deps.onInterrupt(() => abort.abort());
        try {
          const place =
            reference === undefined ? undefined : await runNamed(engine.sessions, reference);
          if (place !== undefined) return await watchRun(engine, place, context.deps, abort.signal);
          if (reference !== undefined && isRunName(reference)) throw noRun(reference);
          const { id } = await namedSession(engine.sessions, reference);
          return await watchSession(engine, id, context.deps, abort.signal);
        } finally {
          interrupt.dispose();
        }
      }),
    );

async function watchSession(
  engine: Engine,
  id: SessionId,
  deps: CliDeps,
  signal: AbortSignal,
): Promise<number> {
  const style = styleFor(deps.stdout.isTTY === true, deps.env);
  const owned = new DisposableStore();
  const observed = owned.add(engine.sessions.observe(id));
  const view = owned.add(viewOf(observed, deps, style));
  let state: SessionState | undefined;
  let last: readonly string[] = [];
  try {
    for await (const { events, isUpToDate } of engine.sessions.follow(id, signal)) {
      await observed.refresh();
      for (const event of events) {
        state = state === undefined ? foldSession([event]) : applyEvent(state, event);
        if (state !== undefined)
          view.shown.event(event, { state, ledger: observed.ledger() ?? noLedger });
      }
      if (!isUpToDate || state === undefined) continue;
      if (state.end !== undefined) {
        last = outcomeLines(state, state.end.reason, style);
        return codeFor(state.end.reason);
      }
      if ((await engine.sessions.owner(id)) === undefined) view.shown.notice(unownedText(id));
    }
    return exitCodes.interrupted;
  } finally {
    view.shown.end(last);
    owned.dispose();
  }
}

const noLedger: Ledger = { rows: [], experiments: [], imported: [] };

/** Returns a view of a session that another process works on; in a terminal with its live values. */
function viewOf(
  observed: ObservedSession,
  { stdin, stdout, clock }: CliDeps,
  style: Style,
): Disposable & { readonly shown: SessionView } {
  if (stdout.isTTY !== true)
    return { shown: new PlainView(stdout, style), dispose: () => undefined };
  const values: LiveValues = {
    summaries: (run) => observed.ledger()?.rows.find(({ runId }) => runId === run)?.metrics,
    series: () => undefined,
  };
  const output = stdout.raw ?? stdout;
  const shown = new TerminalView({ input: stdin, output, clock, style, values });
  observed.setWatched(true);
  const listening = observed.onDidChange(() => shown.redraw());
  return { shown, dispose: () => listening.dispose() };
}

const unownedText = (id: SessionId): string =>
  `No process runs this session now. Resume it: helios --resume ${id}`;

async function watchRun(
  engine: Engine,
  place: RunPlace,
  deps: CliDeps,
  signal: AbortSignal,
): Promise<number> {
  const { spec } = await runAt(engine, place);
  const style = styleFor(deps.stdout.isTTY === true, deps.env);
  deps.stdout.write(
    `${style.bold(runTitle(spec.number))} ${singleLine(`${spec.label} · ${style.dim(spec.command)}`)}\n`,
  );
  const output = new RunOutput(spec, deps);
  const end = await engine.sessions.watchRun(
    place,
    { onOutput: (bytes) => output.add(bytes), onTrouble: (why) => output.trouble(why) },
    signal,
  );
  await output.end();
  if (end === undefined) return exitCodes.interrupted;
  const run = await runAt(engine, place);
  deps.stdout.write(`${endLine(end, run)}${metricsLine(output.last ?? lastValues(run))}\n`);
  return end.verdict.kind === 'ok' ? exitCodes.goal : exitCodes.ended;
}

async function runAt(engine: Engine, { sessionId, runId }: RunPlace): Promise<RunState> {
  const run = (await engine.sessions.read(sessionId)).state.runs.get(runId);
  if (run === undefined)
    throw new Error(`Run ${runId} is in the index, but not in the journal of its session`);
  return run;
}

function endLine({ verdict, endedMs }: RunEnd, run: RunState): string {
  const { process } = run;
  const took = process === undefined ? '' : ` after ${formatDuration(endedMs - process.startedMs)}`;
  return singleLine(`${runStatus({ ...run, verdict })}${took}`);
}

/** Returns the last value of each metric: ` · loss 0.83 · acc 0.5`. */
const metricsLine = (values: ReadonlyMap<string, number>): string =>
  [...values].map(([metric, value]) => ` · ${metric} ${formatValue(value)}`).join('');

const lastValues = ({ metrics }: RunState): ReadonlyMap<string, number> =>
  new Map(metrics.map(({ metric, last }) => [metric, last]));

/** Prints each line of the output when it is complete, and stores the last value of each metric. */
class RunOutput {
  readonly #deps: CliDeps;
  readonly #splitter = new LineSplitter(0);
  readonly #reader: LineReader;
  readonly #last = new Map<string, number>();
  readonly #isRead: boolean;
  #lastTrouble = '';

  constructor(spec: RunSpec, deps: CliDeps) {
    this.#deps = deps;
    this.#isRead = spec.metrics.from === undefined;
    this.#reader = createLineReader(spec.metrics, {
      onPoints: (points) => {
        for (const { metric, value } of points) this.#last.set(metric, value);
      },
      onReadLate: () => undefined,
      onSwitchedOff: (why) => deps.stderr.write(`${cleanText(`Metrics: ${why}.`)}\n`),
    });
  }

  add(bytes: Uint8Array): void {
    this.#lastTrouble = '';
    this.#splitter.push(bytes, (line, end) => this.#line(line, end));
  }

  /** Reports a problem on stderr. Repeats the same problem only if there was output in between. */
  trouble(why: string): void {
    if (why !== this.#lastTrouble) this.#deps.stderr.write(`${cleanText(why)} Still waiting.\n`);
    this.#lastTrouble = why;
  }

  async end(): Promise<void> {
    this.#splitter.end((line, end) => this.#line(line, end));
    await this.#reader.settled();
    this.#reader.dispose();
  }

  /** The last value of each metric; `undefined` if the metrics of the run are not in its output. */
  get last(): ReadonlyMap<string, number> | undefined {
    return this.#isRead ? this.#last : undefined;
  }

  #line(line: string, end: number): void {
    this.#deps.stdout.write(`${cleanText(line)}\n`);
    if (this.#isRead) this.#reader.read(line, { end, timeMs: 0 });
  }
}
