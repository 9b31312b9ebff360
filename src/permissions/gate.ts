/**
 * Every tool call passes here before it does anything. Fails closed: an approval that cannot be had
 * is a refusal.
 */
import { delay, type Clock } from '../base/clock.ts';
import type { Access } from './access.ts';

export interface GateCall {
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly effect: 'read' | 'write' | 'execute' | 'network';
  readonly accesses: readonly Access[];
  /** Changes only what Helios keeps for the agent. */
  readonly isOwnData: boolean;
  /** The tool whose approval for the session counts for this call, too. Default: `tool`. */
  readonly approvedAs?: string;
  /** The exact command, or the path and the content, for the user to judge. */
  readonly detail: string;
  /** What was mended in the text of the call: it may not be what was meant. */
  readonly repairs?: readonly string[];
}

export interface Decision {
  readonly isAllowed: boolean;
  readonly by: 'mode' | 'person' | 'rule';
  readonly why: string;
  /** The tool that the user allowed for the rest of the session with this answer. */
  readonly allowedTool?: string;
}

export type Answer = 'allow' | 'allow_session' | 'deny';

/**
 * Asks the user. Rejects when there is nobody to ask; once the signal is aborted, its answer is not
 * waited for.
 */
export type Ask = (call: GateCall, signal: AbortSignal) => Promise<Answer>;

/** `read`: nothing but reading, and nobody is asked. */
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
 * A question does not hold up the night: without an answer it is a no, and the agent finds another
 * way.
 */
const answerWithinMs = 10 * 60_000;
/** The model can write a mended call anew in less time. */
const mendedWithinMs = 60_000;

/**
 * - mode `allow`: everything that tools offer is allowed.
 * - mode `ask`: reading, and the agent's own notes, are allowed; anything else is asked for, once,
 *   or once per tool for the rest of the session.
 * - mode `read`: reading, and the agent's own notes, are allowed; anything else is refused.
 * - in the others: a call that had to be mended is asked for each time, unless it only reads or
 *   changes the agent's own notes.
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

/** A reading tool that would run a command or reach a host does more than read. */
const onlyReads = ({ effect, accesses }: GateCall): boolean =>
  effect === 'read' && accesses.every(({ kind }) => kind === 'read');

const decisions: Readonly<Record<Answer | 'nobody' | 'withdrawn' | 'readsOnly', Decision>> = {
  readsOnly: { isAllowed: false, by: 'rule', why: 'this session only reads' },
  allow: { isAllowed: true, by: 'person', why: 'the user allowed it' },
  allow_session: { isAllowed: true, by: 'person', why: 'the user allowed it' },
  deny: { isAllowed: false, by: 'person', why: 'the user did not allow it' },
  nobody: { isAllowed: false, by: 'rule', why: 'nobody was there to allow it' },
  withdrawn: { isAllowed: false, by: 'rule', why: 'it was interrupted before it was answered' },
};

async function answerInTime(
  { ask, clock, call }: { ask: Ask; clock: Clock; call: GateCall },
  signal: AbortSignal,
): Promise<Answer | 'nobody' | 'withdrawn'> {
  const answered = new AbortController();
  const late = new AbortController();
  // An aborted call waits for no answer: a dialog that stays open holds nothing up.
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
