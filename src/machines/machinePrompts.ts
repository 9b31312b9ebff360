/** What a machine asks its user when it connects. */
export interface SecretQuestion {
  /** Id of the machine. */
  readonly machine: string;
  /** `keyboard`: whatever the server asks for, such as a one-time code. */
  readonly kind: 'password' | 'passphrase' | 'keyboard';
  /** In the words of the server, or which key the passphrase belongs to. */
  readonly prompt: string;
}

export interface HostKeyQuestion {
  readonly machine: string;
  /** Name or address, with the port where it is not 22. */
  readonly host: string;
  /** `SHA256:…`. */
  readonly fingerprint: string;
  /** Such as `ssh-ed25519`. */
  readonly keyType: string;
  /** What else the user should know before they decide; may be empty. */
  readonly note?: string;
}

export interface MachinePrompts {
  /**
   * `undefined`: nobody answers, or the user will not say. Asked again before the machine was
   * reached, it means that the answer before was refused. The signal is aborted when the answer is
   * no longer wanted.
   */
  askSecret(question: SecretQuestion, signal: AbortSignal): Promise<string | undefined>;
  /** The answer that is kept from before, asking nobody. Absent: none is kept. */
  keptSecret?(question: SecretQuestion): Promise<string | undefined>;
  /**
   * Whether the key of a host that was never seen before is the right one. Nobody to answer: no.
   */
  confirmHostKey(question: HostKeyQuestion, signal: AbortSignal): Promise<boolean>;
}
