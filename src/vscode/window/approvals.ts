/**
 * Approval questions of sessions. A question is shown in the chat, the Inbox, the status bar and a
 * notification; the first answer is used.
 */
import { randomUUID } from 'node:crypto';
import type { ApprovalAnswer, ApprovalRequest } from '../../agent/contract/ports.ts';
import { Emitter, type Event } from '../../base/emitter.ts';

/** An approval question that waits for an answer. */
export interface Approval extends ApprovalRequest {
  /**
   * Unique id of the question. The id of the call is not used, because the model chooses it: a
   * button must answer only the question with which it was shown. The id begins with the number of
   * offered scopes, from which the manifest decides which buttons the document gets.
   */
  readonly id: string;
}

export class Approvals {
  readonly #pending = new Map<
    string,
    { approval: Approval; settle: (answer: ApprovalAnswer) => void }
  >();
  readonly #asked = new Emitter<Approval>();
  readonly #answered = new Emitter<{ approval: Approval; answer: ApprovalAnswer }>();
  readonly #changed = new Emitter<void>();
  readonly onDidAsk: Event<Approval> = this.#asked.event;
  /** Fires when the user has answered a question. */
  readonly onDidAnswer: Event<{ approval: Approval; answer: ApprovalAnswer }> =
    this.#answered.event;
  /** Fires when a question is added or removed. */
  readonly onDidChange: Event<void> = this.#changed.event;

  /** Returns the open questions, oldest first. */
  pending(): readonly Approval[] {
    return [...this.#pending.values()].map(({ approval }) => approval);
  }

  /**
   * Asks a question and resolves with the answer. When the signal is aborted, withdraws the
   * question and rejects.
   */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const approval: Approval = {
      ...request,
      id: `${request.offer?.scopes.length ?? 0}-${randomUUID()}`,
    };
    return new Promise((resolve, reject) => {
      const withdraw = (): void => {
        this.#forget(approval.id);
        reject(new Error('The question was withdrawn.'));
      };
      if (signal.aborted) return withdraw();
      signal.addEventListener('abort', withdraw, { once: true });
      const settle = (answer: ApprovalAnswer): void => {
        signal.removeEventListener('abort', withdraw);
        this.#forget(approval.id);
        resolve(answer);
      };
      this.#pending.set(approval.id, { approval, settle });
      this.#changed.fire();
      this.#asked.fire(approval);
    });
  }

  /** Answers a question. Returns false if the question was already answered or withdrawn. */
  answer(id: string, answer: ApprovalAnswer): boolean {
    const entry = this.#pending.get(id);
    if (entry === undefined) return false;
    this.#answered.fire({ approval: entry.approval, answer });
    entry.settle(answer);
    return true;
  }

  #forget(id: string): void {
    if (this.#pending.delete(id)) this.#changed.fire();
  }
}
