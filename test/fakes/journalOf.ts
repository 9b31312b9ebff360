import type { JournalEvent, SessionEvent } from '../../src/agent/journal/events.ts';
import type { SessionId } from '../../src/base/ids.ts';
import type { AssistantBlock, StopReason, Usage } from '../../src/models/model.ts';
import { noUsage } from '../../src/models/model.ts';

/** Events as a journal has them, made one after the other; ids are `e0`, `e1`, … */
export class JournalOf {
  readonly events: JournalEvent[] = [];
  #turns = 0;

  constructor(goal = 'bring loss < 1', model = 'm') {
    const sessionId = 's-1' as SessionId;
    this.add({
      type: 'session.started',
      sessionId,
      goal,
      budget: {},
      provider: 'p',
      model,
      workFolder: '/',
      helios: '0',
    });
    this.add({ type: 'message.added', origin: 'goal', text: `The goal:\n${goal}` });
  }

  add(event: SessionEvent): this {
    this.events.push({
      v: 1,
      id: `e${this.events.length}`,
      at: 1_000 * this.events.length,
      ...event,
    });
    return this;
  }

  say(text: string, origin: 'person' | 'wake' = 'person'): this {
    return this.add({ type: 'message.added', origin, text });
  }

  ask(model = 'm'): this {
    return this.add({ type: 'model.requested', turn: (this.#turns += 1), provider: 'p', model });
  }

  reply(
    content: readonly AssistantBlock[],
    usage: Partial<Usage> = {},
    stop: StopReason = 'tools',
  ): this {
    const base = {
      type: 'model.replied',
      turn: this.#turns,
      provider: 'p',
      model: 'm-as-it-calls-itself',
    } as const;
    const failure = { reason: 'overflow', message: 'too long' } as const;
    return this.add({
      ...base,
      ...{ content, stop, usage: { ...noUsage, ...usage }, cost: { usd: 0 } },
      ...(stop === 'error' && { failure }),
    });
  }

  result(callId: string, text: string): this {
    return this.add({
      type: 'tool.finished',
      callId,
      name: 'read_file',
      text,
      isError: false,
      durationMs: 1,
    });
  }

  /** A whole turn with one call. */
  turn(resultText: string, usage: Partial<Usage> = {}): this {
    const id = `c${this.events.length}`;
    this.ask().reply([{ type: 'tool_call', id, name: 'read_file', input: { path: 'a' } }], usage);
    return this.result(id, resultText);
  }

  get lastId(): string {
    return this.events.at(-1)?.id ?? '';
  }
}
