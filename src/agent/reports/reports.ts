/**
 * Creates reports of the sessions of a home from their journals, and writes them into the sessions'
 * work folders. Writes the brief automatically when a session ends.
 */
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { adviceOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';
import { readSavedMetrics } from '../../metrics/savedMetrics.ts';
import type { Machines } from '../../machines/machine.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import { buildBrief, buildRuns, buildWriteup, type ReportChart } from '../../reports/brief.ts';
import { drawCharts, type ReadSeries } from '../../reports/chartSet.ts';
import { homeShortener, mapTexts } from '../../reports/page/cleanFacts.ts';
import { buildPage } from '../../reports/page/sharedPage.ts';
import { unmeasuredNumbers } from '../../reports/claims.ts';
import { knownNumbers } from '../../reports/knownNumbers.ts';
import type { BriefFacts } from '../../reports/facts.ts';
import { runsName } from '../../reports/mentions.ts';
import { ReportFolder, type ReportsPlace } from '../../reports/reportFolder.ts';
import { settingsTable, type TableFormat } from '../../reports/settingsTable.ts';
import { runFolder } from '../../runs/supervisor.ts';
import type { Runs } from '../../runs/runs.ts';
import type { Home } from '../../storage/home.ts';
import type { Reports, WrittenReport, WrittenWriteup } from '../contract/reports.ts';
import type { Session, Sessions } from '../contract/sessions.ts';
import type { EventOf } from '../journal/describeEvent.ts';
import type { JournalEvent } from '../journal/events.ts';
import { championChange } from './championChange.ts';
import { openWork } from './openWork.ts';
import { pageSteps } from './pageSteps.ts';
import { briefFacts, type AboutRun, type ReportSource } from './reportFacts.ts';
import type { RunState, SessionState } from '../journal/state.ts';
import { runName } from '../../runs/run.ts';

export interface SessionReportsDeps {
  readonly home: Home;
  readonly runs: Runs;
  readonly resources: Pick<MachineResources, 'gpuTime'>;
  readonly logger: Logger;
  /**
   * Returns the sessions. This is a function because sessions and reports depend on each other: the
   * tools of sessions write reports.
   */
  sessions(): Sessions;
  /** Resolves with the folder for reports of sessions with this work folder. */
  placeFor(workFolder: string): Promise<ReportsPlace>;
  /** Removes secrets from a text. */
  redact(text: string): string;
  readonly clock: Clock;
  /** Home folder of the user, which a page for others does not name. */
  readonly userFolder: string;
  /** Returns the machines of sessions with this work folder. */
  machinesIn(workFolder: string): Machines;
  /** Returns whether a brief is written when a session ends. */
  isWrittenAtEnd(): boolean;
}

const briefName = 'brief.md';
const writeupName = 'writeup.md';

export class SessionReports implements Reports {
  readonly #deps: SessionReportsDeps;
  readonly #owned = new DisposableStore();
  readonly #watched = new Map<SessionId, Disposable>();
  /**
   * Queue of report writes per session: each write waits for the previous one, so that the last
   * written report shows the newest state.
   */
  readonly #writing = new Map<SessionId, Promise<unknown>>();
  /** Result of the automatic brief for each session that ended in this process. */
  readonly #atEnd = new Map<SessionId, Promise<WrittenReport | undefined>>();

  constructor(deps: SessionReportsDeps) {
    this.#deps = deps;
  }

  /** Starts to write a brief whenever a session ends. */
  watch(): void {
    this.#owned.add(this.#deps.sessions().onDidChange(() => this.#watchAll()));
    this.#watchAll();
  }

  async brief(id: SessionId): Promise<string> {
    const facts = await this.#briefFacts(await this.#source(id));
    return this.#deps.redact(withShareLine(buildBrief(facts), facts));
  }

  async table(id: SessionId, format: TableFormat): Promise<string> {
    const { ledger, state } = await this.#source(id);
    return this.#deps.redact(settingsTable(ledger, format, { target: state.target }));
  }

  async page(id: SessionId): Promise<string> {
    const { clock, redact, userFolder } = this.#deps;
    const source = await this.#source(id);
    const shorten = homeShortener(userFolder);
    const facts = {
      brief: await this.#briefFacts(source),
      steps: pageSteps(source.events, source.state),
      nowMs: clock.now(),
    };
    const clean = mapTexts(facts, (text) => shorten(redact(text)));
    return buildPage(clean, this.#seriesOf(source.state));
  }

  write(id: SessionId): Promise<WrittenReport> {
    return this.#inTurn(id, () => this.#writeBrief(id));
  }

  writeup(id: SessionId, notes?: string): Promise<WrittenWriteup> {
    return this.#inTurn(id, () => this.#writeWriteup(id, notes));
  }

  async #writeWriteup(id: SessionId, notes?: string): Promise<WrittenWriteup> {
    const { file: brief } = await this.#writeBrief(id);
    const source = await this.#source(id);
    const facts = this.#factsOf(source);
    const prose = notes ?? lastNotes(source.events);
    const folder = await this.#folder(source.state, facts);
    const charts = await this.#writeCharts(folder, facts, source);
    const name = await folder.write(
      writeupName,
      this.#deps.redact(buildWriteup(facts, prose, charts)),
    );
    const unmeasured = unmeasuredNumbers(prose, knownNumbers(facts)).map(({ text }) => text);
    return { brief, file: `${folder.folder}/${name}`, unmeasured: [...new Set(unmeasured)] };
  }

  async find(id: SessionId): Promise<string | undefined> {
    const source = await this.#source(id);
    return (await this.#folder(source.state, this.#factsOf(source))).find(briefName);
  }

  async afterEnd(id: SessionId): Promise<WrittenReport | undefined> {
    return this.#atEnd.get(id);
  }

  /** Stops writing reports. Resolves when pending writes have finished. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing.values());
    for (const watch of this.#watched.values()) watch.dispose();
    this.#owned.dispose();
  }

  async #writeBrief(id: SessionId): Promise<WrittenReport> {
    const source = await this.#source(id);
    const facts = await this.#briefFacts(source);
    const folder = await this.#folder(source.state, facts);
    const charts = await this.#writeCharts(folder, facts, source);
    const writeup = lastNotes(source.events) === '' ? undefined : writeupName;
    const brief = withShareLine(buildBrief(facts, charts, writeup), facts);
    const text = this.#deps.redact(brief);
    const name = await folder.write(briefName, text);
    if (facts.runs.length > 0) await folder.write(runsName, this.#deps.redact(buildRuns(facts)));
    return { file: `${folder.folder}/${name}` };
  }

  async #writeCharts(
    folder: ReportFolder,
    facts: BriefFacts,
    source: ReportSource,
  ): Promise<ReportChart[]> {
    const written: ReportChart[] = [];
    for (const { name, text, svg } of await drawCharts(facts, this.#seriesOf(source.state)))
      written.push({
        text,
        path: await folder.write(`charts/${name}.svg`, this.#deps.redact(svg)),
      });
    return written;
  }

  async #folder({ workFolder }: SessionState, { session }: BriefFacts): Promise<ReportFolder> {
    return new ReportFolder({
      workFolder,
      reports: await this.#deps.placeFor(workFolder),
      session,
    });
  }

  /**
   * Resolves with the current state of a session that is open in this process; otherwise reads the
   * session's journal.
   */
  async #source(id: SessionId): Promise<ReportSource> {
    const open = this.#deps
      .sessions()
      .open()
      .find((session) => session.id === id);
    return open === undefined ? this.#deps.sessions().read(id) : sourceOf(open);
  }

  async #briefFacts(source: ReportSource): Promise<BriefFacts> {
    const { clock, machinesIn } = this.#deps;
    const machines = machinesIn(source.state.workFolder);
    const [work, change] = await Promise.all([
      openWork(source.state, { machines, clock }),
      championChange(source.ledger, { machines, clock }),
    ]);
    return {
      ...this.#factsOf(source),
      openWork: work,
      ...(change !== undefined && { championChange: change }),
    };
  }

  #factsOf(source: ReportSource): BriefFacts {
    const { runs, resources, home } = this.#deps;
    const about: AboutRun = {
      outputPath: ({ spec }) =>
        runs.get(spec.id)?.outputPath ??
        (spec.machineId === 'local' ? runFolder(home.runsFolder, spec.id).output : undefined),
      gpu: (runId) => resources.gpuTime(runId),
    };
    return briefFacts(source, about);
  }

  /**
   * Returns a function that reads the values of a metric of a run. For an active run of another
   * process, the function returns `undefined`, because that process is still writing the values.
   */
  #seriesOf({ runs }: SessionState): ReadSeries {
    const read = new Map<string, Promise<{ series(metric: string): SeriesColumns } | undefined>>();
    return async ({ runId, verdict }, metric) => {
      const live = this.#deps.runs.get(runId)?.metrics;
      if (live !== undefined) return live.series(metric);
      if (verdict === undefined) return undefined;
      const saved = read.get(runId) ?? this.#saved(runs.get(runId));
      read.set(runId, saved);
      return (await saved)?.series(metric);
    };
  }

  async #saved(run: RunState | undefined) {
    if (run === undefined) return undefined;
    try {
      return await readSavedMetrics(this.#deps.home.runFolder(run.spec.id), run.spec.metrics);
    } catch (error) {
      this.#deps.logger.warn(
        `The points of ${runName(run.spec.number)} could not be read: ${adviceOf(error)}`,
      );
      return undefined;
    }
  }

  #watchAll(): void {
    const open = new Map(
      this.#deps
        .sessions()
        .open()
        .map((session) => [session.id, session]),
    );
    for (const [id, session] of open) {
      if (this.#watched.has(id)) continue;
      this.#watched.set(
        id,
        session.onDidRecord((event) => this.#heard(session, event)),
      );
    }
    for (const [id, watch] of this.#watched) {
      if (open.has(id)) continue;
      watch.dispose();
      this.#watched.delete(id);
    }
  }

  /**
   * Writes the brief when a session ends. After the end of the session, writes the brief again when
   * a run ends, an experiment is decided or a question is answered.
   */
  #heard(session: Session, { type }: JournalEvent): void {
    const { id, state } = session;
    const isNews = [
      'session.ended',
      'run.ended',
      'experiment.decided',
      'question.answered',
    ].includes(type);
    if (state.end === undefined || !isNews || state.runs.size === 0 || !this.#deps.isWrittenAtEnd())
      return;
    // The account was written while the session was active, and says so.
    const hasAccount = lastNotes(session.events()) !== '';
    const written = this.#inTurn(id, async () =>
      hasAccount ? { file: (await this.#writeWriteup(id)).brief } : this.#writeBrief(id),
    );
    this.#atEnd.set(
      id,
      written.catch((error: unknown) => {
        this.#deps.logger.error(`The brief of ${id} was not written: ${adviceOf(error)}`);
        return undefined;
      }),
    );
  }

  #inTurn<T>(id: SessionId, work: () => Promise<T>): Promise<T> {
    const written = (this.#writing.get(id) ?? Promise.resolve()).then(work);
    const settled = written.catch(() => undefined);
    this.#writing.set(id, settled);
    void settled.then(() => {
      if (this.#writing.get(id) === settled) this.#writing.delete(id);
    });
    return written;
  }
}

/** Adds how to pass the session on, if it has results. */
const withShareLine = (brief: string, { session, runs }: BriefFacts): string =>
  runs.length === 0
    ? brief
    : `${brief}\nTo pass this session on as one file: \`helios share ${session.id}\`, or “Helios: Share Session…”.\n`;

const sourceOf = (session: Session): ReportSource => ({
  state: session.state,
  ledger: session.ledger,
  events: session.events(),
});

/** Returns the last account of the model: of a write-up tool call, or written on request. */
function lastNotes(events: readonly JournalEvent[]): string {
  const accounts = events.flatMap((event) => {
    if (event.type === 'account.written') return [event.text];
    return event.type === 'model.replied' ? event.content.flatMap(notesIn) : [];
  });
  return accounts.at(-1) ?? '';
}

function notesIn(block: EventOf<'model.replied'>['content'][number]): string[] {
  if (block.type !== 'tool_call' || block.name !== 'writeup') return [];
  const { notes } = (block.input ?? {}) as { readonly notes?: unknown };
  return typeof notes === 'string' ? [notes] : [];
}
