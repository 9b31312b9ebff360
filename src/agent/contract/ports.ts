/** Ports of the engine: what it requests from its host, a front end. */
import type { SessionId } from '../../base/ids.ts';
import type { Answer } from '../../permissions/gate.ts';
import type { Offer } from '../../permissions/grants/grants.ts';
import type { MachinePrompts } from '../../machines/machinePrompts.ts';
import type { Message } from '../../notify/notification.ts';

export interface ApprovalRequest {
  readonly sessionId: SessionId;
  readonly callId: string;
  readonly title: string;
  readonly effect: string;
  /** Everything that the call does, as lines that can be shown as they are. See `callText`. */
  readonly detail: string;
  /**
   * Approvals beyond this call that the user may give. Omitted if the user must be asked about each
   * such call.
   */
  readonly offer?: Offer;
}

/** Answer to a request for approval. `allow_SCOPE` also allows later calls, as the offer says. */
export type ApprovalAnswer = Answer;

/**
 * Services that the host provides to the engine. If the host omits a method of `MachinePrompts`,
 * the engine treats its prompts as declined.
 */
export interface EnginePorts extends Partial<MachinePrompts> {
  /**
   * Resolves with a provider's secret. `name` is `anthropic`, `openai`, `gemini`, `bedrock`,
   * `compatible`, `endpoint-<id>`, or `chatgpt` (the tokens of a sign-in, as JSON).
   */
  secret(name: string): Promise<string | undefined>;
  /** Stores a secret; `undefined` deletes it. Without this port sign-in is impossible. */
  storeSecret?(name: string, value: string | undefined): Promise<void>;
  /**
   * Asks the user whether a call may be made. The signal aborts when the answer is no longer needed.
   * Omitted if nobody can be asked: in permission mode `ask`, the mandate then applies.
   */
  approve?(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  /**
   * Resolves with the absolute path of the Python interpreter that the user has selected for
   * `workFolder`; `undefined` if none is selected. Commands and runs on this computer find it first.
   */
  interpreter?(workFolder: string): Promise<string | undefined>;
  /**
   * Shows a notification in the window and returns immediately. Omitted when there is no window.
   */
  notify?(message: Message): void;
}
