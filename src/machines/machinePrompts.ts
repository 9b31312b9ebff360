/**
 * A host that asks for a secret. On the way to a machine, each jump host asks for its own secrets.
 */
export interface AskingHost {
  /** `user@host`, with the port unless it is 22. */
  readonly address: string;
  /** Fingerprint of the host key that was verified on this connection, `SHA256:…`. */
  readonly fingerprint: string;
}

/** Question for a secret that a host asks the user while a machine is connected. */
export interface SecretQuestion {
  /** Id of the machine. */
  readonly machine: string;
  readonly host: AskingHost;
  /** `keyboard`: any other prompt of the server, such as for a one-time code. */
  readonly kind: 'password' | 'passphrase' | 'keyboard';
  /** Path of the key for a passphrase, the server's text for `keyboard`, otherwise empty. */
  readonly prompt: string;
}

export interface HostKeyQuestion {
  readonly machine: string;
  /** Name or address, with the port unless it is 22. */
  readonly host: string;
  /** `SHA256:…`. */
  readonly fingerprint: string;
  /** Key type, such as `ssh-ed25519`. */
  readonly keyType: string;
  /** Further information for the user's decision; may be empty. */
  readonly note?: string;
}

export interface MachinePrompts {
  /**
   * Asks for a secret. Resolves with `undefined` if nobody answers or the user declines. A second
   * call before the machine was reached means that the first answer was rejected. The signal is
   * aborted when the answer is no longer needed.
   */
  askSecret(question: SecretQuestion, signal: AbortSignal): Promise<string | undefined>;
  /** Resolves with the stored answer, without asking the user. Absent if answers are not stored. */
  keptSecret?(question: SecretQuestion): Promise<string | undefined>;
  /**
   * Asks the user whether to trust the key of an unknown host, and resolves with the answer; false
   * if nobody answers.
   */
  confirmHostKey(question: HostKeyQuestion, signal: AbortSignal): Promise<boolean>;
}
