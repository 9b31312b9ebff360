/**
 * Approval questions of sessions. A question is shown in the chat, the Inbox, the status bar and a
 * notification; the first answer is used.
 */
import { randomUUID } from 'node:crypto';
import type { ApprovalAnswer, ApprovalRequest } from '../../agent/contract/ports.ts';
import { Emitter, type Event } from '../../base/emitter.ts';

/** An open question. */
export interface Approval extends ApprovalRequest {
  /**
   * Unique among all questions, unlike the id of the call, which the model chooses: a button answers
   * only the question with which it was shown. Begins with the number of scopes that are offered,
   * by which the manifest shows the buttons of the document.
   */
  readonly id: string;
}

export class Approvals {
  readonly #pending = new Map<
    string,
    { approval: Approval; settle: (answer: ApprovalAnswer) => void }
  >();
  readonly #asked = new Emitter<Approval>();
  readonly #changed = new Emitter<void>();
  readonly onDidAsk: Event<Approval> = this.#asked.event;
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
    entry?.settle(answer);
    return entry !== undefined;
  }

  #forget(id: string): void {
    if (this.#pending.delete(id)) this.#changed.fire();
  }
}
