/**
 * What a skin (the extension, the terminal, a test) sees of the engine. A skin starts and follows sessions, reads state,
 * and answers the ports; it never touches a journal or a process itself.
 */
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import type { RunId, SessionId } from '../base/ids.ts';
import type { Ledger } from '../experiments/ledger.ts';
import type { MachinePrompts } from '../machines/machinePrompts.ts';
import type { MachineRegistry } from '../machines/list/machineRegistry.ts';
import type { MachineResources } from '../machines/resources/machineResources.ts';
import type { MemoryStore } from '../memory/memoryStore.ts';
import type { ProviderSettings } from '../models/createProviders.ts';
import type { Effort, ModelProvider } from '../models/model.ts';
import type { ModelCatalogue } from '../models/modelCatalogue.ts';
import type { PriceTable } from '../models/prices.ts';
import type { RunSink } from '../runs/elsewhere.ts';
import type { Liveness, RunEnd } from '../runs/run.ts';
import type { Message } from '../notify/notification.ts';
import type { Notifier } from '../notify/notifier.ts';
import type { Runs } from '../runs/runs.ts';
import type { LeaseOwner } from '../storage/leaseOwner.ts';
import type { PlateauSettings } from '../watchdogs/plateauSettings.ts';
import type { DaySpent } from './budget/measures.ts';
import type { Budget, EndReason, JournalEvent, Limits, StreamEvent } from './journal/events.ts';
import type { FollowedEvents } from './journal/followJournal.ts';
import type { SearchHit, SearchOptions } from './archive/search.ts';
import type { ReproduceRequest, Reproduction } from './experiments/reproduction.ts';
import type { Phase, RunState, SessionState } from './journal/state.ts';

export interface GoalRequest {
  readonly goal: string;
  /** What the person named. */
  readonly budget: Budget;
  /** Of the settings: counts where `budget` says nothing. Of it and of the project's limits the tighter counts. */
  readonly defaultBudget?: Budget;
  /** Where relative paths and commands start: the workspace folder, or the terminal's folder. Absolute. */
  readonly workFolder: string;
  /** Absent: the configured provider and its default model. */
  readonly provider?: string;
  readonly model?: string;
}

/** One line of the list of sessions, read from the index. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly goal: string;
  readonly startedMs: number;
  readonly lastEventMs: number;
  /** As its journal says; whether somebody works on it is told by `owner`. */
  readonly phase: Phase;
  /** Absent while the session is not ended. */
  readonly endReason?: EndReason;
  readonly runs: number;
  /** Runs that have started and not ended. */
  readonly going: number;
  readonly turns: number;
  readonly usd: number;
  /** True when a call was made whose price is not known: `usd` is then a lower bound. */
  readonly hasUnknownCost: boolean;
  /** `loss 0.83` of the champion, where there is one. */
  readonly best?: string;
}

/**
 * A goal being worked on, owned by this process. Every change of `state` comes with a journal event, which was on disk
 * before it is heard here.
 */
export interface Session {
  readonly id: SessionId;
  readonly folder: string;
  readonly state: SessionState;
  readonly memory: MemoryStore;
  readonly ledger: Ledger;
  readonly onDidRecord: Event<JournalEvent>;
  readonly onDidStream: Event<StreamEvent>;
  /** All events so far, oldest first. */
  events(): readonly JournalEvent[];
  /** A message of the person's: steering while the session works, a wake while it sleeps or is paused. */
  say(text: string): Promise<void>;
  /** Stops thinking and any tool at work within a second. The session is then paused until something is said; runs go on. */
  interrupt(): Promise<void>;
  /** Goes on after a pause, with nothing new said; does nothing in any other phase. */
  unpause(): Promise<void>;
  /** Answers an open question of the session's; a sleeping session wakes. Throws `UserFacing` where it is not open. */
  answer(questionId: string, answer: string): Promise<void>;
  /** Makes results of before known (`results.tsv`), and resolves with their number. Throws `UserFacing` where they do not fit. */
  importResults(text: string, source: string): Promise<number>;
  /** Runs an experiment again and compares; resolves when that run is over. Throws `UserFacing` where it cannot be made. */
  reproduce(request: ReproduceRequest): Promise<Reproduction>;
  /** Ends the session with reason `user`. Runs go on unless `killRuns`. */
  stop(options?: { readonly killRuns?: boolean }): Promise<void>;
  /** Takes effect with the next call; history and memory stay. */
  useModel(provider: string, model: string): Promise<void>;
  /** Takes effect with the next call; `undefined`: as the settings say. */
  useEffort(effort: Effort | undefined): Promise<void>;
  /** Pins a note that the model always sees; resolves with its number, which is never given again. Throws `UserFacing` beyond 20. */
  pin(text: string): Promise<number>;
  /** Resolves with false when there is no note of that number. */
  unpin(number: number): Promise<boolean>;
  /** Resolves when the session is ended; never rejects. */
  readonly ended: Promise<EndReason>;
}

export interface ResumeOptions {
  /** What it may spend from now on. */
  readonly budget?: Budget;
  /** A person wants it in this window: another window hands it over. */
  readonly takesOver?: boolean;
}

export interface Sessions {
  start(request: GoalRequest): Promise<Session>;
  /**
   * Takes an unfinished session up where it stands; an ended one goes on when something is said. One that goes on in the
   * background is taken back from there. Throws `UserFacing` when another window or terminal owns it.
   */
  resume(id: SessionId, options?: ResumeOptions): Promise<Session>;
  /** Sessions that are open in this process, oldest first. */
  open(): readonly Session[];
  /** Newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /** Unfinished sessions of this home whose owner is dead, or in the background, newest first: what a reload goes on with. */
  interrupted(): Promise<readonly SessionId[]>;
  /** Events and ledger of any session, read-only, without owning it. */
  read(id: SessionId): Promise<SessionReading>;
  /** Full-text search over the journals of all sessions. Rejects with the reason of the signal. */
  search(query: string, options?: SearchOptions): Promise<readonly SearchHit[]>;
  /** The process that works on a session now; `undefined` where none does. */
  owner(id: SessionId): Promise<SessionOwner | undefined>;
  /** The session of a run, by run id, `machine:pid` or `machine:job`; of several, the newest. */
  findRun(reference: string): Promise<RunPlace | undefined>;
  /** All events of a session and then those that are added, whoever works on it, until the signal is aborted. */
  follow(id: SessionId, signal: AbortSignal): AsyncIterable<FollowedEvents>;
  /**
   * The output of a run as it grows, read on its machine, whoever follows it. Resolves with its end, or with `undefined`
   * when the signal is aborted. Rejects with `UserFacing` where there is no such run.
   */
  watchRun(place: RunPlace, sink: RunSink, signal: AbortSignal): Promise<RunEnd | undefined>;
  /** Ends a run, whoever follows it. Its end is recorded by the owner of its session, or here where there is none. */
  killRun(place: RunPlace): Promise<KilledRun>;
  readonly onDidChange: Event<void>;
}

export interface KilledRun {
  readonly run: RunState;
  /** Absent where its owner records it. */
  readonly liveness?: Liveness;
  /** Processes that are still there. */
  readonly left: readonly number[];
  /** Who works on its session, and records the end. */
  readonly owner?: SessionOwner;
  /** KILL was needed. */
  readonly isEscalated: boolean;
}

export interface RunPlace {
  readonly sessionId: SessionId;
  readonly runId: RunId;
}

/** Absent `kind`: of a version that did not tell. */
export type SessionOwner = Pick<LeaseOwner, 'pid' | 'host' | 'kind'>;

/** A report in the work folder of its session. */
export interface WrittenReport {
  readonly sessionId: SessionId;
  /** Absolute. */
  readonly file: string;
  /** The session has ended a moment ago. */
  readonly isAtEnd: boolean;
}

export interface WrittenWriteup {
  readonly sessionId: SessionId;
  /** Absolute. */
  readonly file: string;
  /** Of the brief that was written with it. */
  readonly brief: string;
  /** Numbers of the account that no run has measured, as they were written. */
  readonly unmeasured: readonly string[];
}

/**
 * Reports of the sessions of the home, of those that other processes own, too: a report changes nothing of its session.
 * What a person has changed in one stays; the new one then goes beside it. Writing rejects with `UserFacing` where the
 * work folder is gone, and with `StorageFailure`.
 */
export interface Reports {
  /** The brief as Markdown; nothing is written. */
  brief(id: SessionId): Promise<string>;
  /** Writes the brief and its charts. */
  write(id: SessionId): Promise<WrittenReport>;
  /** Writes the brief, and the write-up beside it, with the account that the model gave last. */
  writeup(id: SessionId): Promise<WrittenWriteup>;
  /** The newest brief that was written, absolute; `undefined` where there is none. */
  find(id: SessionId): Promise<string | undefined>;
  /** What was written by itself when the session ended here; `undefined` where nothing was. */
  afterEnd(id: SessionId): Promise<WrittenReport | undefined>;
  readonly onDidWrite: Event<WrittenReport>;
}

export interface RetentionLimits {
  /** Sessions whose last event is older go. */
  readonly maxAgeMs?: number;
  /** Of all sessions with their runs on this computer; the oldest go until the rest fits. */
  readonly maxBytes?: number;
}

export interface RetentionPlan {
  /** Oldest first. */
  readonly goes: readonly OldSession[];
  /** Beyond a limit, and why they stay all the same. Oldest first. */
  readonly stays: readonly (OldSession & { readonly why: string })[];
  /** Of all sessions, before anything goes. */
  readonly totalBytes: number;
}

export interface OldSession {
  readonly summary: SessionSummary;
  /** On this computer. */
  readonly bytes: number;
}

export interface CleanReport {
  readonly removed: readonly OldSession[];
  /** What could not be removed, in words; the rest of its session is gone. */
  readonly problems: readonly string[];
}

/** Never takes away a session that is not ended, that is open, that has a run which goes on, or that is kept. */
export interface Retention {
  /** Looks only. */
  plan(limits: RetentionLimits): Promise<RetentionPlan>;
  /** Removes what was planned and may still go: sessions, their runs on every machine, their work trees. */
  carryOut(plan: RetentionPlan): Promise<CleanReport>;
  /** A session that is kept stays whatever its age. */
  keep(id: SessionId, isKept: boolean): Promise<void>;
}

export interface SessionReading {
  readonly state: SessionState;
  readonly events: readonly JournalEvent[];
  readonly ledger: Ledger;
  /** What was wrong with the journal, in words; empty when nothing was. */
  readonly damage: readonly string[];
}

export interface ApprovalRequest {
  readonly sessionId: SessionId;
  readonly callId: string;
  readonly title: string;
  readonly effect: string;
  /** The exact command, or the path and the content. */
  readonly detail: string;
}

export type ApprovalAnswer = 'allow' | 'allow_session' | 'deny';

/** What the engine needs from its host. Without the prompts of machines nobody can be asked, and the answer is no. */
export interface EnginePorts extends Partial<MachinePrompts> {
  /**
   * A provider's secret, or undefined. `name` is `anthropic`, `openai`, `gemini`, `bedrock`, `compatible`, `endpoint-<id>`, or
   * `chatgpt` (the tokens of a sign-in, as JSON).
   */
  secret(name: string): Promise<string | undefined>;
  /** Keeps a secret; `undefined` forgets it. Without this port nothing can be signed in to. */
  storeSecret?(name: string, value: string | undefined): Promise<void>;
  /** Asked only in permission mode `ask`. The signal is aborted when the answer is no longer wanted. */
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** Shows a notification in the window, and returns at once. Absent: there is no window. */
  notify?(message: Message): void;
}

export interface Engine extends Disposable {
  readonly home: string;
  readonly sessions: Sessions;
  readonly retention: Retention;
  readonly machines: MachineRegistry;
  /** All runs known to this process, of all its sessions. */
  readonly runs: Runs;
  /** What the machines are busy with; sampled while somebody watches or runs are going on. */
  readonly resources: MachineResources;
  readonly globalMemoryFolder: string;
  readonly reports: Reports;
  providers(): readonly ModelProvider[];
  readonly models: ModelCatalogue;
  /** What calls cost: by our list, by what providers tell, and before both by the setting. Throws `UserFacing` where that is wrong. */
  prices(): PriceTable;
  /** Tells people what happens. */
  readonly notifier: Pick<Notifier, 'try'>;
  /** Takes out of a text what this process knows to be a secret, and what has the form of one. */
  redact(text: string): string;
  /** What all sessions of the home have spent since midnight, those of other processes too. */
  spentToday(): Promise<DaySpent>;
  /** Ends what this process does with the sessions (leases are let go, runs go on) and writes out the index. */
  close(): Promise<void>;
}

export type PermissionMode = 'ask' | 'allow';

export interface WebSettings {
  /** The base URL of a SearxNG instance; it then searches in place of the provider. */
  readonly searxngUrl?: string;
  /** Lets `web_fetch` reach addresses of private networks and of this computer. */
  readonly allowsPrivateAddresses?: boolean;
}

/** An endpoint of the person's own that speaks Chat Completions. Its key is the secret `endpoint-<id>`. */
export interface EndpointSettings {
  /** Lower case letters, digits and hyphens; the id of its provider. */
  readonly id: string;
  readonly label?: string;
  readonly baseUrl: string;
  readonly defaultModel?: string;
  /** Of models that the endpoint does not describe itself. */
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Default: native, until the endpoint refuses tools. */
  readonly toolCalls?: 'native' | 'text';
  readonly acceptsImages?: boolean;
  /** Sends `reasoning_effort`. */
  readonly sendsEffort?: boolean;
  /** Sent with every request; never a place for keys. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What may be configured; read anew for each session. */
export interface EngineSettings extends ProviderSettings {
  readonly permissionMode: PermissionMode;
  /** As the person wrote it: `NotificationSettings`, checked where it is used. */
  readonly notifications?: unknown;
  /** Lets commands of a `helios.json` be run when something happens. */
  readonly allowsProjectCommands?: boolean;
  /** Commands and runs cannot change the person's repositories with git. Default: true. */
  readonly protectsGit?: boolean;
  /** Files that are larger are not kept with the code of experiments. Default: 10 MB. */
  readonly maxKeptFileBytes?: number;
  readonly endpoints?: readonly EndpointSettings[];
  /** Hosts that are reached without the proxy, as in `NO_PROXY`. */
  readonly noProxy?: string;
  /** Of all sessions of a day together. */
  readonly dayLimits?: Pick<Limits, 'usd' | 'tokens'>;
  /** Whom `consult` asks; otherwise another provider that is ready. */
  readonly consult?: { readonly provider: string; readonly model?: string };
  readonly web?: WebSettings;
  /** provider/model → USD per million tokens `{ input, output, cacheRead?, cacheWrite? }`; extends the built-in table. */
  readonly prices?: Readonly<Record<string, unknown>>;
  readonly effort?: 'none' | 'low' | 'medium' | 'high' | 'max';
  /** The computer does not go to sleep by itself while a session works or waits. */
  readonly keepAwake?: boolean;
  /** Whether a brief is written when a session ends that made at least one run. Default: always. */
  readonly report?: 'always' | 'never';
  /** Turns in a row without a new run, file change or memory write after which a session ends with `no_progress`. */
  readonly idleTurns: number;
  /** As `watchdogSettingsSchema` has it; what a project says goes before it. */
  readonly watchdogs?: Readonly<Record<string, unknown>>;
  /** What a project says goes before it. */
  readonly plateau?: PlateauSettings;
}
