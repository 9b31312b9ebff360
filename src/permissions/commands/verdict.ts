/** The verdict on a command line, and how verdicts on its parts combine. */

/**
 * - `safe`: only reads, and only what the agent may read
 * - `ask`: needs the consent of the user or a mandate
 * - `deny`: refused in every mode
 */
export type VerdictKind = 'safe' | 'ask' | 'deny';

export interface Verdict {
  readonly kind: VerdictKind;
  /** Why, as the rest of a sentence: "runs code". Empty for `safe`. */
  readonly reason: string;
  /** The part of the line that decided. Empty for `safe`. */
  readonly part: string;
  /** Sentence about a key that the command uses. Its use needs an approval in every mode. */
  readonly keyNote?: string;
}

export const safe: Verdict = { kind: 'safe', reason: '', part: '' };
export const asks = (reason: string, part: string): Verdict => ({ kind: 'ask', reason, part });
export const denies = (reason: string, part: string): Verdict => ({ kind: 'deny', reason, part });

const order: Readonly<Record<VerdictKind, number>> = { safe: 0, ask: 1, deny: 2 };

/** Returns the strictest verdict; the first of equals. */
export const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((a, b) => (order[b.kind] > order[a.kind] ? b : a), safe);
