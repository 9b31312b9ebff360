/**
 * Tools for models without native tool calls: the system prompt offers them, and calls are read
 * from the text of the reply. The stream has the same events as that of a provider with native
 * calls.
 */
import { randomBytes } from 'node:crypto';
import { assertNever } from '../../base/errors.ts';
import type { RawStream } from '../guarded.ts';
import type {
  AssistantBlock,
  ModelEvent,
  ModelReply,
  ModelRequest,
  ToolCallBlock,
  ToolSpec,
} from '../model.ts';
import { afterUnreadableText, unreadableText, writtenReply } from './protocol.ts';
import { readCalls, type CallText, type WrittenCall } from './readCalls.ts';
import { asText } from './renderRequest.ts';
import { ReplyScanner, type Piece } from './replyScanner.ts';

/**
 * Wraps a text-only stream. A call that cannot be read has a `problem`, which states the reason and
 * the correct format. If the request has no tools, no text is treated as a call.
 */
export function withTextTools(raw: RawStream, provider: string): RawStream {
  return async function* (request, signal, attempt) {
    const reply = new TextReply(request, provider);
    for await (const event of raw(asText(request), signal, attempt)) {
      if (event.type === 'text.delta') yield* reply.push(event.text);
      else if (event.type !== 'finished') yield event;
      else {
        yield* reply.end();
        yield { type: 'finished', reply: reply.finished(event.reply) };
      }
    }
  };
}

class TextReply {
  readonly #tools: readonly ToolSpec[];
  readonly #provider: string;
  readonly #takenIds: Set<string>;
  readonly #scanner: ReplyScanner;
  #blocks: AssistantBlock[] = [];
  /** Id of the call that is streaming, once the call has been announced. */
  #announced: string | undefined;
  #isUnreadable = false;

  constructor({ tools, messages }: ModelRequest, provider: string) {
    this.#tools = tools;
    this.#provider = provider;
    this.#scanner = new ReplyScanner(tools.length > 0);
    this.#takenIds = new Set(
      messages.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])),
      ),
    );
  }

  *push(text: string): Generator<ModelEvent, void> {
    for (const piece of this.#scanner.push(text)) yield* this.#add(piece);
  }

  *end(): Generator<ModelEvent, void> {
    for (const piece of this.#scanner.end()) yield* this.#add(piece);
  }

  /**
   * Returns the final reply: first the thinking that the provider reported, then the blocks read
   * from the text.
   */
  finished(reply: ModelReply): ModelReply {
    return {
      ...reply,
      content: [...reply.content.filter(({ type }) => type !== 'text'), ...this.#blocks],
    };
  }

  *#add(piece: Piece): Generator<ModelEvent, void> {
    switch (piece.type) {
      case 'text':
        this.#append({ type: 'text', text: piece.text });
        yield { type: 'text.delta', text: piece.text };
        return;
      case 'thinking':
        this.#append({ type: 'thinking', text: piece.text, provider: this.#provider });
        yield { type: 'thinking.delta', text: piece.text };
        return;
      case 'call.named':
        yield this.#announce(piece.name);
        return;
      case 'call':
        return yield* this.#addCalls(piece);
      case 'was_thinking':
        return this.#rethink();
      default:
        return assertNever(piece);
    }
  }

  #append(block: Exclude<AssistantBlock, ToolCallBlock>): void {
    const last = this.#blocks.at(-1);
    if (last?.type === block.type)
      this.#blocks[this.#blocks.length - 1] = { ...last, text: last.text + block.text };
    else this.#blocks.push(block);
  }

  #rethink(): void {
    const text = writtenReply(
      this.#blocks.map((block) => (block.type === 'thinking' ? { ...block, type: 'text' } : block)),
    );
    this.#blocks = text === '' ? [] : [{ type: 'thinking', text, provider: this.#provider }];
  }

  #announce(name: string): ModelEvent {
    this.#announced = this.#freeId();
    return { type: 'tool_call.started', id: this.#announced, name };
  }

  *#addCalls(text: CallText): Generator<ModelEvent, void> {
    for (const call of readCalls(text, this.#tools)) {
      const announced = this.#announced;
      const id = announced ?? this.#freeId();
      this.#announced = undefined;
      if (announced === undefined) yield { type: 'tool_call.started', id, name: call.name };
      this.#blocks.push(this.#block(id, call));
    }
  }

  /**
   * Builds the block of a call. Refuses all calls after an unreadable call, since they may depend
   * on that call or be part of its text.
   */
  #block(id: string, { name, input, repairs, problem }: WrittenCall): ToolCallBlock {
    const refusal = this.#isUnreadable
      ? afterUnreadableText
      : problem === undefined
        ? undefined
        : unreadableText(problem);
    this.#isUnreadable ||= problem !== undefined;
    return {
      type: 'tool_call',
      id,
      name,
      input,
      ...(repairs.length > 0 && { repairs }),
      ...(refusal !== undefined && { problem: refusal }),
    };
  }

  /**
   * Returns a new id for a call: short, because the history repeats it, and random, because the
   * closing tag of the result contains it.
   */
  #freeId(): string {
    for (;;) {
      const id = `call_${randomBytes(5).toString('hex')}`;
      if (this.#takenIds.has(id)) continue;
      this.#takenIds.add(id);
      return id;
    }
  }
}
