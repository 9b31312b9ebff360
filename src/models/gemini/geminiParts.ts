/**
 * Collects the parts of a reply as they arrive. Joins consecutive pieces of a text or thought, but
 * never joins a text that has a signature with another part.
 */
import { randomUUID } from 'node:crypto';
import type { FunctionCall, Part } from '@google/genai/web';
import type { AssistantBlock, ModelEvent } from '../model.ts';
import { markBlock, thoughtsIn, type GeminiMark } from './geminiMark.ts';

interface Written {
  readonly kind: 'thought' | 'text';
  text: string;
  readonly signature?: string;
  /** Signature from an empty text that followed this text. */
  after?: string;
}

interface Called {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly signature?: string;
}

interface ReplyContext {
  readonly provider: string;
  readonly model: string;
  /** Whether the reply was truncated. Its calls and their signatures are then dropped. */
  readonly isCut: boolean;
}

export class GeminiParts {
  readonly #parts: (Written | Called)[] = [];

  *add({ text = '', thought, functionCall, thoughtSignature }: Part): Generator<ModelEvent> {
    const signature = thoughtSignature === undefined ? {} : { signature: thoughtSignature };
    if (functionCall !== undefined) yield* this.#call(functionCall, signature);
    else if (text !== '' || thoughtSignature !== undefined) {
      const kind = thought === true ? 'thought' : 'text';
      if (text !== '') yield { type: kind === 'thought' ? 'thinking.delta' : 'text.delta', text };
      this.#write({ kind, text, ...signature });
    }
  }

  *#call(
    { id, name = '', args }: FunctionCall,
    signature: Pick<Called, 'signature'>,
  ): Generator<ModelEvent> {
    const called: Called = {
      kind: 'call',
      id: id || `call_${randomUUID()}`,
      name,
      input: args ?? {},
      ...signature,
    };
    this.#parts.push(called);
    yield { type: 'tool_call.started', id: called.id, name };
  }

  #write(part: Written): void {
    const last = this.#parts.at(-1);
    const isOpen =
      last?.kind === part.kind && last.signature === undefined && last.after === undefined;
    if (!isOpen || (part.signature !== undefined && part.text !== '')) this.#parts.push(part);
    else if (part.signature !== undefined) last.after = part.signature;
    else last.text += part.text;
  }

  blocks({ provider, model, isCut }: ReplyContext): AssistantBlock[] {
    const blocks: AssistantBlock[] = [];
    let before: Part[] = [];
    for (const part of this.#parts) {
      if (part.kind === 'call' && isCut) continue;
      if (part.kind === 'thought' || (part.kind === 'text' && part.text === ''))
        before.push(...partsOf(part));
      else {
        const mark = markBlock(markOf(part, before), provider, model);
        blocks.push(...(mark === undefined ? [] : [mark]), blockOf(part));
        before = [];
      }
    }
    const text = thoughtsIn(before);
    return text === '' ? blocks : [...blocks, { type: 'thinking', text, provider }];
  }
}

function partsOf({ kind, text, signature, after }: Written): Part[] {
  const thought = kind === 'thought' ? { thought: true } : {};
  return [
    { text, ...thought, ...(signature !== undefined && { thoughtSignature: signature }) },
    ...(after === undefined ? [] : [{ text: '', ...thought, thoughtSignature: after }]),
  ];
}

const markOf = (part: Written | Called, before: readonly Part[]): GeminiMark => ({
  before,
  of: part.kind === 'call' ? part.id : 'text',
  ...(part.signature !== undefined && { signature: part.signature }),
  ...(part.kind !== 'call' && part.after !== undefined && { after: part.after }),
});

const blockOf = (part: Written | Called): AssistantBlock =>
  part.kind === 'call'
    ? { type: 'tool_call', id: part.id, name: part.name, input: part.input }
    : { type: 'text', text: part.text };
