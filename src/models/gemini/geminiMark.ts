/**
 * Stores Gemini's thought signatures. Gemini attaches a signature to a part that results from
 * thinking, and requires later requests to contain this part unchanged. The block of such a part
 * has no field for a signature, so a thinking block in front of it stores the signature.
 */
import type { Part } from '@google/genai/web';
import { ownThinking } from '../replay.ts';
import type { ThinkingBlock } from '../model.ts';

/** Content of `ThinkingBlock.opaque` for Gemini. */
export interface GeminiMark {
  /** Parts received between the previous block and the next: thoughts, and signed empty texts. */
  readonly before: readonly Part[];
  /** The block that the signatures are for: `text`, or the id of a call. */
  readonly of: string;
  readonly signature?: string;
  /** Signature from an empty text that followed the block's text. */
  readonly after?: string;
}

/** Returns the thinking block for a mark; `undefined` for an empty mark. */
export function markBlock(
  mark: GeminiMark,
  provider: string,
  model: string,
): ThinkingBlock | undefined {
  const isEmpty =
    mark.before.length === 0 && mark.signature === undefined && mark.after === undefined;
  return isEmpty
    ? undefined
    : ownThinking(thoughtsIn(mark.before), provider, { model, item: mark });
}

export const thoughtsIn = (parts: readonly Part[]): string =>
  parts.map(({ thought, text = '' }) => (thought === true ? text : '')).join('');

/** Returns an empty text part that carries a signature. */
export const signedNothing = (thoughtSignature: string): Part => ({ text: '', thoughtSignature });
