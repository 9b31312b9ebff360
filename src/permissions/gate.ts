/**
 * Decides on every tool call before it has any effect. Fails closed: without an approval, the call
 * is refused.
 */
import { delay, type Clock } from '../base/clock.ts';
import type { Access } from './access.ts';

export interface GateCall {
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly effect: 'read' | 'write' | 'execute' | 'network';
  readonly accesses: readonly Access[];
  /** True when the call changes only data that Helios keeps for the agent. */
  readonly isOwnData: boolean;
  /** Tool whose approval for the session also covers this call. Default: `tool`. */
  readonly approvedAs?: string;
  /** The exact command, or the path and the content, shown to the user. */
  readonly detail: string;
  /** Repairs of the text of the call, which may differ from what the model meant. */
  readonly repairs?: readonly string[];
}

export interface Decision {
  readonly isAllowed: boolean;
  readonly by: 'mode' | 'person' | 'rule';
  readonly why: string;
  /** Tool that the user allowed for the rest of the session with this answer. */
  readonly allowedTool?: string;
}

export type Answer = 'allow' | 'allow_session' | 'deny';

/**
 * Asks the user. Rejects when there is no user to ask. The answer is ignored after the signal is
 * aborted.
 */
export type Ask = (call: GateCall, signal: AbortSignal) => Promise<Answer>;

/** `read`: allows only reading, and never asks. */
export type GateMode = 'ask' | 'allow' | 'read';

export interface GateOptions {
  mode(): GateMode;
  readonly ask: Ask;
  readonly clock: Clock;
  /** Tools that were allowed for the session before a restart. */
  readonly allowedTools?: readonly string[];
}

export interface Gate {
  decide(call: GateCall, signal: AbortSignal): Promise<Decision>;
}

/**
 * Time limit of a question. Without an answer, the call is refused and the agent tries something
 * else, so the work does not stop overnight.
 */
const answerWithinMs = 10 * 60_000;
/** Shorter for a repaired call, which the model can write again in less time. */
const mendedWithinMs = 60_000;

/**
 * Creates the gate. Reading and the agent's own notes are always allowed.
 * - `allow`: allows all calls.
 * - `ask`: asks for other calls, once per call, or once per tool for the rest of the session.
 * - `read`: refuses other calls.
 * - Except in mode `read`, each repaired call needs an approval.
 */
export function createGate({ mode, ask, clock, allowedTools: before = [] }: GateOptions): Gate {
  const allowedTools = new Set(before);
  return {
    async decide(call, signal) {
      if (onlyReads(call)) return { isAllowed: true, by: 'rule', why: 'only reads' };
      if (call.isOwnData)
        return { isAllowed: true, by: 'rule', why: "changes only the agent's own notes" };
      if (mode() === 'read') return decisions.readsOnly;
      if ((call.repairs ?? []).length > 0)
        return decisions[await answerInTime({ ask, clock, call }, signal)];
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

/** Returns true for a reading tool, unless it would run a command or reach a host. */
const onlyReads = ({ effect, accesses }: GateCall): boolean =>
  effect === 'read' && accesses.every(({ kind }) => kind === 'read');

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
  // An aborted call stops waiting for an answer, even if a dialog stays open.
  const withinMs = (call.repairs ?? []).length > 0 ? mendedWithinMs : answerWithinMs;
  const nobody = delay(clock, withinMs, AbortSignal.any([signal, answered.signal])).then(
    () => 'nobody' as const,
    () => 'nobody' as const,
  );
  try {
    const asked = ask(call, AbortSignal.any([signal, late.signal])).catch(() => 'nobody' as const);
    const answer = await Promise.race([asked, nobody]);
    return answer === 'nobody' && signal.aborted ? 'withdrawn' : answer;
  } finally {
    answered.abort();
    late.abort();
  }
}
