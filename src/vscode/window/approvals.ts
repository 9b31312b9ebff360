/**
 * Approval questions of sessions. A question is shown in the chat, the Inbox, the status bar and a
 * notification; the first answer is used.
 */
import type { ApprovalAnswer, ApprovalRequest } from '../../agent/contract/ports.ts';
import { Emitter, type Event } from '../../base/emitter.ts';

export class Approvals {
  readonly #pending = new Map<
    string,
    { request: ApprovalRequest; settle: (answer: ApprovalAnswer) => void }
  >();
  readonly #asked = new Emitter<ApprovalRequest>();
  readonly #changed = new Emitter<void>();
  readonly onDidAsk: Event<ApprovalRequest> = this.#asked.event;
  /** Fires when a question is added or removed. */
  readonly onDidChange: Event<void> = this.#changed.event;

  /** Returns the open questions, oldest first. */
  pending(): readonly ApprovalRequest[] {
    return [...this.#pending.values()].map(({ request }) => request);
  }

  /**
   * Asks a question and resolves with the answer. When the signal is aborted, withdraws the
   * question and rejects.
   */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve, reject) => {
      const withdraw = (): void => {
        this.#forget(request.callId);
        reject(new Error('The question was withdrawn.'));
      };
      if (signal.aborted) return withdraw();
      signal.addEventListener('abort', withdraw, { once: true });
      const settle = (answer: ApprovalAnswer): void => {
        signal.removeEventListener('abort', withdraw);
        this.#forget(request.callId);
        resolve(answer);
      };
      this.#pending.set(request.callId, { request, settle });
      this.#changed.fire();
      this.#asked.fire(request);
    });
  }

  /** Answers a question. Returns false if the question was already answered or withdrawn. */
  answer(callId: string, answer: ApprovalAnswer): boolean {
    const entry = this.#pending.get(callId);
    entry?.settle(answer);
    return entry !== undefined;
  }

  #forget(callId: string): void {
    if (this.#pending.delete(callId)) this.#changed.fire();
  }
}
