/**
 * Tools for models that cannot call any: they are offered in the system prompt, and calls are read
 * out of the text of the reply. Whoever reads the stream sees what a provider with calls of its own
 * would give.
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
 * `raw` is asked for text only. A call that cannot be read is given with the reason as its
 * `problem`: its refusal, with the next request, is the one reminder of how calls are written.
 * Without tools nothing is taken for a call.
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
  /** Id of the call that is being written, once it was announced. */
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

  /** What the provider told as thinking comes first; its text is what was read here. */
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
   * After a call that cannot be read none is made: they may build on it, or be a part of its text.
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
   * Short, for it is written into the history twice, and not to be guessed, for it closes the
   * result.
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
