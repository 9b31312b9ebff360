/**
 * Gate that allows or refuses every tool call before the call has any effect. Fails closed: a call
 * that needs an approval and gets none is refused.
 */
import { delay, type Clock } from '../base/clock.ts';
import { linkNote, type Access } from './access.ts';

export interface GateCall {
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly effect: 'read' | 'write' | 'execute' | 'network';
  readonly accesses: readonly Access[];
  /** True if the call changes only data that Helios stores for the agent. */
  readonly isOwnData: boolean;
  /** Name of the tool whose approval for the session also allows this call. Default: `tool`. */
  readonly approvedAs?: string;
  /** Everything that the call does, as text for the user. */
  readonly detail: string;
  /**
   * Descriptions of the repairs that Helios made to a malformed call. A repaired call may differ
   * from what the model meant.
   */
  readonly repairs?: readonly string[];
}

export interface Decision {
  readonly isAllowed: boolean;
  readonly by: 'mode' | 'person' | 'rule';
  readonly why: string;
  /** Name of the tool that the user allowed with this answer for the rest of the session. */
  readonly allowedTool?: string;
}

export type Answer = 'allow' | 'allow_session' | 'deny';

/**
 * Asks the user to approve a call. Rejects if no user can be asked. Once the signal is aborted, the
 * answer is ignored.
 */
export type Ask = (call: GateCall, signal: AbortSignal) => Promise<Answer>;

/**
 * Mode of the gate: `ask` asks the user, `allow` allows all, `read` allows only reading and never
 * asks.
 */
export type GateMode = 'ask' | 'allow' | 'read';

export interface GateOptions {
  mode(): GateMode;
  readonly ask: Ask;
  readonly clock: Clock;
  /** Names of the tools that the user allowed for this session before a restart. */
  readonly allowedTools?: readonly string[];
}

export interface Gate {
  decide(call: GateCall, signal: AbortSignal): Promise<Decision>;
}

/**
 * Time for which the gate waits for the user's answer. After that, the call is refused and the
 * agent tries something else, so the work does not stop overnight.
 */
const answerWithinMs = 10 * 60_000;
/**
 * Time for which the gate waits for the user's answer about an unclear call. Shorter, because the
 * model can send the call again in clear words.
 */
const unclearAnswerWithinMs = 60_000;

/**
 * Creates the gate. Reading and the agent's own notes are always allowed.
 * - `allow`: allows all calls.
 * - `ask`: asks about all other calls. The user allows one call, or the tool for the rest of the
 *   session.
 * - `read`: refuses all other calls.
 * - Except in mode `read`, each repaired call, and each call that writes through a link out of the
 *   working folder, needs an approval.
 */
export function createGate({ mode, ask, clock, allowedTools: before = [] }: GateOptions): Gate {
  const allowedTools = new Set(before);
  return {
    async decide(call, signal) {
      if (onlyReads(call)) return { isAllowed: true, by: 'rule', why: 'only reads' };
      if (call.isOwnData)
        return { isAllowed: true, by: 'rule', why: "changes only the agent's own notes" };
      if (mode() === 'read') return decisions.readsOnly;
      if (isUnclear(call)) return decisions[await answerInTime({ ask, clock, call }, signal)];
      if (mode() === 'allow')
        return { isAllowed: true, by: 'mode', why: 'permission mode is allow' };
      const { approvedAs: tool = call.tool } = call;
      if (allowedTools.has(tool))
        return { isAllowed: true, by: 'person', why: `${tool} was allowed for this session` };
      const answer = await answerInTime({ ask, clock, call }, signal);
      if (answer !== 'allow_session') return decisions[answer];
      allowedTools.add(tool);
      return { ...decisions[answer], allowedTool: tool };
    },
  };
}

/**
 * Returns true for a call that only reads, without running a command or contacting a host.
 */
const onlyReads = ({ effect, accesses }: GateCall): boolean =>
  effect === 'read' && accesses.every(({ kind }) => kind === 'read');

/**
 * Returns true for a call that may do other than it says: the model can send it again in clear
 * words, and that call may need no approval.
 */
const isUnclear = ({ repairs = [], accesses }: GateCall): boolean =>
  repairs.length > 0 || linkNote(accesses) !== '';

const decisions: Readonly<Record<Answer | 'nobody' | 'withdrawn' | 'readsOnly', Decision>> = {
  readsOnly: { isAllowed: false, by: 'rule', why: 'this session is read-only' },
  allow: { isAllowed: true, by: 'person', why: 'the user allowed it' },
  allow_session: { isAllowed: true, by: 'person', why: 'the user allowed it' },
  deny: { isAllowed: false, by: 'person', why: 'the user did not allow it' },
  nobody: { isAllowed: false, by: 'rule', why: 'no user was there to allow it' },
  withdrawn: {
    isAllowed: false,
    by: 'rule',
    why: 'the call was interrupted before the user answered',
  },
};

async function answerInTime(
  { ask, clock, call }: { ask: Ask; clock: Clock; call: GateCall },
  signal: AbortSignal,
): Promise<Answer | 'nobody' | 'withdrawn'> {
  const answered = new AbortController();
  const late = new AbortController();
  // Stop waiting when the call is aborted, even if the dialog stays open.
  const withinMs = isUnclear(call) ? unclearAnswerWithinMs : answerWithinMs;
  const nobody = delay(clock, withinMs, AbortSignal.any([signal, answered.signal])).then(
    () => 'nobody' as const,
    () => 'nobody' as const,
  );
  try {
    const answerPromise = ask(call, AbortSignal.any([signal, late.signal])).catch(
      () => 'nobody' as const,
    );
    const answer = await Promise.race([answerPromise, nobody]);
    return answer === 'nobody' && signal.aborted ? 'withdrawn' : answer;
  } finally {
    answered.abort();
    late.abort();
  }
}
