/** The permission modes. */

/**
 * What happens to calls that do more than read: `ask` asks the user, `allow` allows them, `mandate`
 * allows what the mandate covers and refuses the others without asking.
 */
export type PermissionMode = 'ask' | 'allow' | 'mandate';

/** The permission mode that applies to a session. */
export interface PermissionsInForce {
  readonly mode: PermissionMode;
  /** Sentence for the user, if another mode applies than the one that they chose. */
  readonly note?: string;
}
