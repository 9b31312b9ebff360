/** The permission modes. */

/**
 * Says what happens to calls that do more than read: `ask` asks the user, `allow` allows the calls,
 * `mandate` allows what the mandate covers and refuses other calls without asking.
 */
export type PermissionMode = 'ask' | 'allow' | 'mandate';

/** The permission mode that applies to a session. */
export interface PermissionsInForce {
  readonly mode: PermissionMode;
  /** Sentence for the user that says why another mode applies than the chosen one. */
  readonly note?: string;
}
