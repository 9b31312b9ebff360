/**
 * A session that this process owns: runs the loop, puts the session to sleep, and carries out the
 * user's requests.
 */
import { isDeepStrictEqual } from 'node:util';
import { mkdir } from 'node:fs/promises';
import { Emitter } from '../../base/emitter.ts';
import { messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import type { Effort } from '../../models/effort.ts';
import type { Lease } from '../../storage/lease.ts';
import type { StorageFailure } from '../../storage/storageFailure.ts';
import { Closing } from '../journal/closing.ts';
import type { Attachment } from '../contract/attachment.ts';
import type { Session } from '../contract/sessions.ts';
import type {
  Budget,
  EndReason,
  EndEvidence,
  JournalEvent,
  StreamEvent,
} from '../journal/events.ts';
import { pendingCalls } from '../journal/pendingCalls.ts';
import { faultText, runLoop } from '../loop/loop.ts';
import { settleCalls } from '../loop/settleCalls.ts';
import { goOnText } from '../context/prompt.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { lastSeen, type Circumstances } from './circumstances.ts';
import { LoopWork } from './loopWork.ts';
import type { SessionHooks } from './sessionDeps.ts';
import {
  changeTarget,
  importResults,
  pinNote,
  recordLabel,
  recordMessage,
  recordTargetMessage,
  recordTarget,
  unpinNote,
} from './userFacts.ts';
import { keepAttachments, type Introduction } from './messageAttachments.ts';
import type { SessionParts } from './sessionParts.ts';
import type { SessionState } from '../journal/state.ts';

export interface SessionOptions {
  readonly folder: string;
  readonly lease: Lease;
  readonly log: SessionLog;
  /** Returns what is recorded at each start: permissions, and ignored parts of `helios.json`. */
  circumstances(): Circumstances;
  /** Resolves with the program that confines commands on this computer, if any. */
  confined(): Promise<{ readonly confined?: string }>;
  /** Creates the session's parts. Called once. */
  parts(hooks: SessionHooks): SessionParts;
  /** Called when events can no longer be recorded. The session must then be closed. */
  onBroken(): void;
}

export class LiveSession implements Session, SessionHooks {
  readonly id: SessionId;
  readonly folder: string;
  readonly #log: SessionLog;
  readonly #lease: Lease;
  readonly #options: Pick<SessionOptions, 'circumstances' | 'confined' | 'onBroken'>;
  readonly #parts: SessionParts;
  readonly #streamed = new Emitter<StreamEvent>();
  readonly #work = new LoopWork();
  #isClosed = false;
  /** Last request in the queue of the user, whose requests are carried out in order. */
  #asked: Promise<unknown> = Promise.resolve();
  #ended = Promise.withResolvers<EndReason>();
  /** True once the promise `ended` is resolved. */
  #hasEnded = false;

  constructor(options: SessionOptions) {
    const { folder, lease, log, parts } = options;
    this.#options = options;
    this.id = log.state.id;
    this.folder = folder;
    this.#lease = lease;
    this.#log = log;
    this.#parts = parts(this);
    if (log.state.end === undefined) return;
    this.#hasEnded = true;
    this.#ended.resolve(log.state.end.reason);
  }

  get state(): SessionState {
    return this.#log.state;
  }

  get memory(): MemoryStore {
    return this.#parts.memory;
  }

  get ledger(): Ledger {
    return this.#parts.sessionRuns.ledger();
  }

  get ended(): Promise<EndReason> {
    return this.#ended.promise;
  }

  readonly onDidRecord = (listener: (event: JournalEvent) => void): { dispose(): void } =>
    this.#log.onDidRecord(listener);
  readonly onDidStream = this.#streamed.event;
  readonly permissions = () => this.#options.circumstances().permissions;

  events(): readonly JournalEvent[] {
    return this.#log.events;
  }

  show(event: StreamEvent): void {
    this.#streamed.fire(event);
  }

  /** Records the first message of a new session and starts the work. */
  async introduce(text: string, { target, attachments = [] }: Introduction = {}): Promise<void> {
    if (target !== undefined) await recordTarget(this.#log, target);
    const message = { text, ...(await keepAttachments(this.folder, attachments)) };
    await this.#log.record({ type: 'message.added', origin: 'goal', ...message });
    await this.#begin();
  }

  /**
   * Records that this session started a child session, whose cost counts towards this session's
   * budget.
   */
  started(child: SessionId): Promise<void> {
    return this.#log.record({ type: 'child.started', sessionId: child });
  }

  /** Resumes the session after another process stopped working on it. */
  async takeUp(by: string, text: string, budget: Budget | undefined): Promise<void> {
    if (budget !== undefined) this.#parts.checkModel(this.state.provider, this.state.model, budget);
    const wasAtWork = ['ready', 'thinking', 'acting'].includes(this.state.phase);
    await this.#log.record({
      type: 'session.resumed',
      by,
      ...lastSeen(this.#lease, this.state),
      ...this.#otherLimits(budget),
      ...this.#options.circumstances(),
      ...(await this.#options.confined()),
    });
    const hasAsked = this.#log.events.some((event) => event.type === 'model.replied');
    if (wasAtWork && hasAsked)
      await this.#log.record({ type: 'message.added', origin: 'resume', text });
    if (!this.#log.events.some((event) => event.type === 'message.added'))
      return this.introduce(this.state.goal);
    await this.#begin();
  }

  /**
   * Sets new limits. If the session ended because of its limits, the next message continues it
   * under the new limits.
   */
  async allow(by: string, budget: Budget): Promise<void> {
    this.#parts.checkModel(this.state.provider, this.state.model, budget);
    await this.#log.recordNow({ type: 'session.resumed', by, ...this.#otherLimits(budget) });
  }

  /** Returns the limits as a field, unless they are those of the session. */
  #otherLimits(budget: Budget | undefined): { readonly budget?: Budget } {
    return budget === undefined || isDeepStrictEqual(budget, this.state.budget) ? {} : { budget };
  }

  /**
   * Continues the session from its journal: adopts its runs, completes interrupted calls, then goes
   * back to sleep or starts the loop.
   */
  async #begin(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const pending = pendingCalls(this.#log.events);
    await this.#parts.sessionRuns.adoptAll(new Set(pending.map((call) => call.id)));
    this.#parts.sweeps.open();
    this.#parts.questions.open();
    await this.#parts.experiments.open();
    this.#parts.watches.open();
    await settleCalls(this.#log);
    this.goOn();
  }

  say(text: string, attachments: readonly Attachment[] = [], isUnsaid = false): Promise<void> {
    return this.#hear(async () => {
      const kept = await keepAttachments(this.folder, attachments);
      await recordMessage(this.#log, { text, ...(isUnsaid && { isUnsaid }), ...kept });
      return text;
    });
  }

  /** Records a message of the user, and continues the session. */
  #hear(record: () => Promise<string>): Promise<void> {
    return this.#inTurn(async () => {
      const text = await record();
      if (this.#hasEnded) this.#ended = Promise.withResolvers<EndReason>();
      this.#hasEnded = false;
      await this.#parts.waiting.end(text);
      this.goOn();
    });
  }

  interrupt(): Promise<void> {
    this.#log.giveUp();
    return this.#inTurn(async () => {
      await this.#halt(new Error('interrupted by the user'));
      if (this.state.phase === 'ended' || this.state.phase === 'paused') return;
      await this.#parts.waiting.end('interrupted', true);
      await this.#log.recordNow({ type: 'session.paused', by: 'user' });
    });
  }

  async unpause(): Promise<void> {
    if (this.state.phase === 'paused') await this.say(goOnText, [], true);
  }

  answer(questionId: string, answer: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#parts.questions.answer(questionId, answer);
      if (this.state.phase !== 'sleeping') return;
      await this.#parts.waiting.end(`answer to ${questionId}`);
      this.goOn();
    });
  }

  readonly importResults: Session['importResults'] = (...of) =>
    this.#inTurn(() => importResults(this.#log, ...of));

  readonly undoEdits: SessionParts['undoEdits'] = (paths) =>
    this.#inTurn(() => this.#parts.undoEdits(paths));

  readonly reproduce: Session['reproduce'] = (request) => this.#parts.reproduce(request);
  readonly importFiles: Session['importFiles'] = (...of) => this.#parts.imports.forUser(...of);
  readonly writeAccount: Session['writeAccount'] = (signal) => this.#parts.writeAccount(signal);

  stop(options: { readonly killRuns?: boolean } = {}): Promise<void> {
    this.#log.giveUp();
    return this.#inTurn(async () => {
      await this.#halt(new Error('stopped by the user'));
      await this.#parts.sweeps.stopAll();
      if (options.killRuns === true) {
        await Promise.all(this.#parts.sessionRuns.live().map((run) => this.#parts.kill(run)));
        // Record the ends of the killed runs before the end of the session, so that listeners get
        // the events in this order.
        await this.#parts.sessionRuns.settle();
      }
      if (this.state.phase !== 'ended') await this.end('user', 'Stopped by the user.');
    });
  }

  async setTarget(text: string): Promise<string> {
    const { words, isNew } = await changeTarget(text, { log: this.#log, ...this.#parts });
    if (isNew) await this.#hear(() => recordTargetMessage(this.#log, words));
    return words;
  }

  async useModel(provider: string, model: string): Promise<void> {
    this.#parts.checkModel(provider, model, this.state.budget);
    if (provider === this.state.provider && model === this.state.model) return;
    await this.#log.recordNow({ type: 'session.model_changed', provider, model });
    // While a model call is in progress, the previous model still answers that call, so do not
    // release its conversation yet.
    if (this.state.phase !== 'thinking') await this.#parts.release();
  }

  async useEffort(effort: Effort | undefined): Promise<void> {
    if (effort !== this.state.effort)
      await this.#log.recordNow({ type: 'session.effort_changed', ...(effort && { effort }) });
  }

  readonly label: Session['label'] = (label) => this.#inTurn(() => recordLabel(this.#log, label));
  readonly pin: Session['pin'] = (text) => this.#inTurn(() => pinNote(this.#log, text));
  readonly unpin: Session['unpin'] = (number) => this.#inTurn(() => unpinNote(this.#log, number));

  /**
   * Records the end of the session. Runs continue; their ends are recorded as long as the session
   * is open in this process.
   */
  async end(reason: EndReason, summary: string, ended?: EndEvidence): Promise<void> {
    this.#parts.waiting.disarm();
    const facts = ended ?? { evidence: [] };
    await this.#log.record({ type: 'session.ended', reason, summary, ...facts });
    this.#hasEnded = true;
    this.#ended.resolve(reason);
    await this.#parts.release();
  }

  /**
   * Closes the session in this process without changing its state. Another process can resume the
   * session.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#log.giveUp();
    try {
      await this.#halt(new Closing());
      this.#parts.dispose();
      await Promise.all([
        this.#parts.sessionRuns.settle(),
        this.#parts.sweeps.settle(),
        this.#parts.release(),
      ]);
    } finally {
      this.#streamed.dispose();
      await this.#log.close().finally(() => this.#lease.release());
    }
  }

  /** Closes the session without writing to its journal, which another process owns now. */
  lose(): Promise<void> {
    this.#log.seal();
    return this.close();
  }

  /** Starts the loop, or puts the session back to sleep. Does nothing while the loop runs. */
  goOn(): void {
    if (this.#isClosed || this.#work.isGoing) return;
    this.#log.persist((failure) => this.#stalled(failure));
    const { phase } = this.state;
    if (phase === 'sleeping') return this.#parts.waiting.arm();
    if (phase === 'ended' || phase === 'paused') return;
    this.#work.start(
      (signal) => runLoop(this.#parts.loop, signal).catch((error: unknown) => this.#fail(error)),
      () => this.goOn(),
    );
  }

  /**
   * Shows the user that the journal cannot be written (`failure` is set) or can be written again.
   * Until the journal can be written, the session waits without model calls, then continues
   * automatically.
   */
  #stalled(failure: StorageFailure | undefined): void {
    const { logger, notices } = this.#parts;
    const why =
      failure === undefined
        ? 'The journal can be written again: the session continues.'
        : `${failure.message} The session waits, and continues as soon as the journal can be written.`;
    if (failure !== undefined) notices.stalled(why);
    logger.info(why);
    this.show({ type: 'notice', text: why });
  }

  fail(error: unknown): void {
    this.#work.abort(error);
    void this.#work.idle.then(() => this.#fail(error));
  }

  /**
   * Ends the session after a bug or after a failed write to the journal. Records the reason if
   * writing still works.
   */
  async #fail(error: unknown): Promise<void> {
    if (this.#isClosed) return;
    this.#parts.logger.error('The session cannot continue', error);
    const text = faultText(error);
    try {
      if (this.state.phase !== 'ended') await this.end('error', text);
    } catch (second) {
      this.#parts.logger.error(`The end could not be recorded: ${messageOf(second)}`);
      this.show({ type: 'notice', text });
      this.#hasEnded = true;
      this.#ended.resolve('error');
      this.#options.onBroken();
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#asked.then(work);
    this.#asked = result.catch(() => undefined);
    return result;
  }

  async #halt(why: Error): Promise<void> {
    // Wait for a wake that is being recorded: it starts the loop, which the next statement aborts.
    await this.#parts.waiting.halt();
    this.#work.abort(why);
    await this.#work.idle;
    this.#parts.waiting.disarm();
  }
}
