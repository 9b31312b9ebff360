/**
 * The session's inbox: questions of the agent and of watchdogs. No question blocks the work. If a
 * question is not answered in time, its default becomes the answer.
 */
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { UserFacing } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { runName } from '../../runs/run.ts';
import { alarmAt } from '../../sleep/alarm.ts';
import type { AskedQuestion, UserQuestion } from '../../tools/session/askUser.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { Question, SessionState } from '../journal/state.ts';
import { runStatus } from '../journal/runText.ts';

export interface QuestionsDeps {
  readonly log: SessionLog;
  readonly clock: Clock;
  /** Called when a default answer cannot be recorded. */
  onFailed(error: unknown): void;
}

export class Questions implements Disposable {
  readonly #deps: QuestionsDeps;
  readonly #owned = new DisposableStore();
  /**
   * Queue of pending writes: each question gets one answer, even if the user answers at the
   * deadline.
   */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(deps: QuestionsDeps) {
    this.#deps = deps;
    this.#owned.add(
      deps.log.onDidRecord((event) => {
        if (event.type === 'run.ended' || event.type === 'run.not_started')
          this.#close(event.runId);
      }),
    );
  }

  /**
   * Starts the timers for the deadlines of open questions. Questions past their deadline, and
   * questions about an ended run, get their default now.
   */
  open(): void {
    for (const question of openQuestions(this.#state)) this.#arm(question);
  }

  /**
   * Asks a question. If the same tool call asked before (the call is repeated after a crash),
   * resolves with the existing question.
   */
  ask(
    {
      text,
      options,
      fallback,
      withinMs,
      ...about
    }: UserQuestion & Pick<Question, 'runId' | 'refused'>,
    callId?: string,
  ): Promise<AskedQuestion> {
    return this.#inTurn(async () => {
      const { log, clock } = this.#deps;
      const before = callId === undefined ? undefined : this.#askedFor(callId);
      if (before !== undefined) return before;
      const questionId = `q${log.state.questions.size + 1}`;
      const deadlineMs = clock.now() + withinMs;
      const call = callId === undefined ? {} : { callId };
      const asked = { text, options, fallback, deadlineMs, ...about, ...call };
      await log.record({ type: 'question.asked', questionId, ...asked });
      const question = log.state.questions.get(questionId);
      if (question !== undefined) this.#arm(question);
      return { id: questionId, fallback, deadlineMs };
    });
  }

  /**
   * Records an answer of the user. Rejects with `UserFacing` when the question is not open, or the
   * answer is empty.
   */
  answer(questionId: string, answer: string): Promise<void> {
    return this.#inTurn(async () => {
      const question = this.#state.questions.get(questionId);
      const open = openQuestions(this.#state).map(({ id }) => id);
      if (question === undefined)
        throw new UserFacing(
          `There is no question ${questionId}.`,
          `Open questions: ${open.join(', ') || 'none'}.`,
        );
      if (question.answer !== undefined)
        throw new UserFacing(
          `Question ${questionId} is already answered: ${question.answer.text}`,
          'Send a message to the session instead; it is read on the next turn.',
        );
      const text = answer.trim();
      if (text === '')
        throw new UserFacing(
          'The answer is empty.',
          `Type an answer. The default is: ${question.fallback}`,
        );
      await this.#deps.log.recordNow({
        type: 'question.answered',
        questionId,
        answer: text,
        by: 'person',
      });
    });
  }

  dispose(): void {
    this.#owned.dispose();
  }

  get #state(): SessionState {
    return this.#deps.log.state;
  }

  #askedFor(callId: string): AskedQuestion | undefined {
    const event = this.#deps.log.events.find(
      (one) => one.type === 'question.asked' && one.callId === callId,
    );
    if (event?.type !== 'question.asked') return undefined;
    const { questionId: id, fallback, deadlineMs } = event;
    return { id, fallback, deadlineMs };
  }

  #arm(question: Question): void {
    this.#owned.add(
      alarmAt(this.#deps.clock, question.deadlineMs, () => this.#takeDefault(question)),
    );
    if (question.runId !== undefined) this.#close(question.runId);
  }

  /** Gives open questions about a run their default answer if the run has ended. */
  #close(runId: RunId): void {
    const run = this.#state.runs.get(runId);
    if (run === undefined || (run.verdict === undefined && run.notStarted === undefined)) return;
    for (const question of openQuestions(this.#state))
      if (question.runId === runId)
        this.#takeDefault(question, `${runName(run.spec.number)} is over: ${runStatus(run)}`);
  }

  #takeDefault({ id, fallback }: Question, why?: string): void {
    const recording = this.#inTurn(async () => {
      if (this.#state.questions.get(id)?.answer !== undefined) return;
      const answered = {
        type: 'question.answered',
        questionId: id,
        answer: fallback,
        by: 'default',
      } as const;
      await this.#deps.log.record({ ...answered, ...(why !== undefined && { why }) });
    });
    recording.catch((error: unknown) => this.#deps.onFailed(error));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const written = this.#writing.then(work);
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

/** Returns the open questions, oldest first. */
export const openQuestions = ({ questions }: Pick<SessionState, 'questions'>): Question[] =>
  [...questions.values()].filter(({ answer }) => answer === undefined);
