/**
 * Keeps Gemini's thought signatures. Gemini attaches them to the parts that result from thinking,
 * and each part must be sent back exactly as it was. The block of such a part has no field for a
 * signature, so a thinking block in front of it stores the signature.
 */
import type { Part } from '@google/genai/web';
import { ownThinking } from '../replay.ts';
import type { ThinkingBlock } from '../model.ts';

/** Content of `ThinkingBlock.opaque` for Gemini. */
export interface GeminiMark {
  /** Parts that came before the part of the next block: thoughts, and signatures on empty text. */
  readonly before: readonly Part[];
  /** The block that the signatures belong to: `text`, or the id of a call. */
  readonly of: string;
  readonly signature?: string;
  /** A signature that came after a text, on a separate empty text. */
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
