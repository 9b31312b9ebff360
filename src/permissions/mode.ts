/** The permission modes. */

/**
 * Decides what happens to calls that do more than read.
 * - `ask`: the user is asked
 * - `allow`: the calls are allowed
 * - `mandate`: calls that the mandate covers are allowed; others are refused without asking
 */
export type PermissionMode = 'ask' | 'allow' | 'mandate';

/** The permission mode that applies to a session. */
export interface PermissionsInForce {
  readonly mode: PermissionMode;
  /** Sentence for the user: why this mode applies instead of the chosen one. */
  readonly note?: string;
  /** True if the user gave the mode for this session, as with `--mode`. */
  readonly isGiven?: boolean;
}
