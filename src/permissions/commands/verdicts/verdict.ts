/** The verdict on a command line, and how verdicts on its parts combine. */
import type { CommandNeed } from '../../grants/grant.ts';

/**
 * - `safe`: only reads, and only what the agent may read
 * - `ask`: needs the consent of the user or a mandate
 * - `deny`: refused in every mode
 */
export type VerdictKind = 'safe' | 'ask' | 'deny';

export interface Verdict {
  readonly kind: VerdictKind;
  /** The reason as the rest of a sentence, such as "runs code". Empty for `safe`. */
  readonly reason: string;
  /** The part of the line that caused the verdict. Empty for `safe`. */
  readonly part: string;
  /** Position of the part in a list or pipeline, such as `2 of 5`. Omitted for a single command. */
  readonly step?: string;
  /** Sentence about a path that the command uses. Its use needs an approval in every mode. */
  readonly pathNote?: string;
  /** Sentence about a key that the command uses. Its use needs an approval in every mode. */
  readonly keyNote?: string;
  /**
   * Why the mandate does not cover the command, as the rest of a sentence; empty if it covers the
   * command. Omitted if no mandate was checked.
   */
  readonly outside?: string;
  /** The consents that the command needs; omitted if the user can allow only this single call. */
  readonly needs?: readonly CommandNeed[];
}

export const safe: Verdict = { kind: 'safe', reason: '', part: '' };
export const asks = (reason: string, part: string): Verdict => ({ kind: 'ask', reason, part });
/** Returns a verdict that needs an approval for each call, in every mode. */
export const asksEach = (reason: string, part: string, pathNote: string): Verdict => ({
  ...asks(reason, part),
  pathNote,
});
export const denies = (reason: string, part: string): Verdict => ({ kind: 'deny', reason, part });

const order: Readonly<Record<VerdictKind, number>> = { safe: 0, ask: 1, deny: 2 };

/**
 * Returns true for a verdict that no permission mode changes: a denial, or a path that needs an
 * approval each time.
 */
export const isFirm = ({ kind, pathNote }: Verdict): boolean =>
  kind === 'deny' || pathNote !== undefined;

const rank = (verdict: Verdict): number =>
  2 * order[verdict.kind] + (verdict.kind === 'ask' && isFirm(verdict) ? 1 : 0);

/** Returns the strictest verdict; the first of equals. */
export const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((a, b) => (rank(b) > rank(a) ? b : a), safe);
