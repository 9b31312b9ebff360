/**
 * Where Gemini keeps what it thought: not in an item of its own, but as signatures on the parts
 * that came of it. Each part must come back exactly as it was, so a block of thinking before the
 * block of that part keeps what its own has no room for.
 */
import type { Part } from '@google/genai/web';
import { ownThinking } from '../replay.ts';
import type { ThinkingBlock } from '../model.ts';

/** What `ThinkingBlock.opaque` keeps for Gemini. */
export interface GeminiMark {
  /** Parts that stood before that of the next block: thoughts, and signatures on empty text. */
  readonly before: readonly Part[];
  /** What the next block must be, `text` or the id of a call, for the signatures to be its own. */
  readonly of: string;
  readonly signature?: string;
  /** A signature that came after a text, on an empty text of its own. */
  readonly after?: string;
}

/** `undefined` when there is nothing to keep. */
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

/** An empty text that carries a signature. */
export const signedNothing = (thoughtSignature: string): Part => ({ text: '', thoughtSignature });
