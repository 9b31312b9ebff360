/** Every tool call passes here before it does anything. Fails closed: an approval that cannot be had is a refusal. */

export interface GateCall {
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly effect: 'read' | 'write' | 'execute' | 'network';
  /** The exact command, or the path and the content, for the person to judge. */
  readonly detail: string;
}

export interface Decision {
  readonly isAllowed: boolean;
  readonly by: 'mode' | 'person' | 'rule';
  readonly why: string;
}

/** Asks the person. Rejects when there is nobody to ask; the signal is aborted when the answer is no longer wanted. */
export type Ask = (call: GateCall, signal: AbortSignal) => Promise<'allow' | 'allow_session' | 'deny'>;

export interface Gate {
  decide(call: GateCall, signal: AbortSignal): Promise<Decision>;
}

/**
 * - mode `allow`: everything that tools offer is allowed.
 * - mode `ask`: reading is allowed; anything else is asked for, once, or once for the rest of the session per tool.
 */
export function createGate(mode: () => 'ask' | 'allow', ask: Ask): Gate {
  const allowedTools = new Set<string>();
  return {
    async decide(call, signal) {
      if (call.effect === 'read') return { isAllowed: true, by: 'rule', why: 'only reads' };
      if (mode() === 'allow') return { isAllowed: true, by: 'mode', why: 'permission mode is allow' };
      if (allowedTools.has(call.tool))
        return { isAllowed: true, by: 'person', why: `${call.tool} was allowed for this session` };
      const answer = await ask(call, signal).catch(() => 'deny' as const);
      if (answer === 'allow_session') allowedTools.add(call.tool);
      return answer === 'deny'
        ? { isAllowed: false, by: 'person', why: 'the person did not allow it' }
        : { isAllowed: true, by: 'person', why: 'the person allowed it' };
    },
  };
}
