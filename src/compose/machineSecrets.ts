/**
 * Passwords, passphrases and one-time codes that the hosts of machines ask for. Asks the user, and
 * stores an answer after it has worked. A stored answer belongs to the login and the host key of
 * the host that asked, so that no other host on the way to a machine receives it.
 */
import type { SecretQuestion } from '../machines/machinePrompts.ts';

export interface SecretVault {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<unknown>;
  delete(key: string): PromiseLike<unknown>;
}

type Ask = (question: SecretQuestion, signal: AbortSignal) => PromiseLike<string | undefined>;

interface UnconfirmedAnswer {
  readonly question: SecretQuestion;
  readonly value: string;
  /** Whether the answer is in the vault under the key of its question. */
  readonly isStored: boolean;
}

export class MachineSecrets {
  readonly #vault: SecretVault;
  readonly #ask: Ask;
  /** Answers that were given but are not yet known to work, by machine and vault key. */
  readonly #unconfirmed = new Map<string, UnconfirmedAnswer>();

  constructor(vault: SecretVault, ask: Ask) {
    this.#vault = vault;
    this.#ask = ask;
  }

  /**
   * Returns the stored answer, or asks the user. If a machine asks again before the connection has
   * succeeded, the stored answer was wrong, so the user is asked.
   */
  async answer(question: SecretQuestion, signal: AbortSignal): Promise<string | undefined> {
    const storedValue = await this.kept(question);
    if (storedValue !== undefined) return storedValue;
    const value = await this.#ask(question, signal);
    if (value === undefined) this.#unconfirmed.delete(nameOf(question));
    else this.#unconfirmed.set(nameOf(question), { question, value, isStored: false });
    return value;
  }

  /**
   * Returns the stored answer without asking the user; `undefined` if there is none, or if it was
   * already given and the connection has not succeeded since.
   */
  async kept(question: SecretQuestion): Promise<string | undefined> {
    const name = nameOf(question);
    if (this.#unconfirmed.has(name) || question.kind === 'keyboard') return undefined;
    const value = await this.#vault.get(keyOf(question));
    if (value !== undefined) this.#unconfirmed.set(name, { question, value, isStored: true });
    return value;
  }

  /**
   * Stores the answers that were given for the machine. The caller calls this after the connection
   * has succeeded, which proves that the answers are right.
   */
  async reached(machine: string): Promise<void> {
    const answers = [...this.#unconfirmed].filter(([, each]) => each.question.machine === machine);
    for (const [name] of answers) this.#unconfirmed.delete(name);
    // A one-time code is valid only once.
    const lasting = answers.flatMap(([, each]) =>
      each.question.kind === 'keyboard' ? [] : [each],
    );
    for (const { question, value, isStored } of lasting)
      if (!isStored) await this.#vault.store(keyOf(question), value);
    const questions = lasting.map(({ question }) => question);
    if (questions.length > 0) await this.#remember(machine, questions);
  }

  /**
   * Returns all stored answers for a machine with their vault keys, to copy them to another vault.
   */
  async entries(machine: string): Promise<readonly (readonly [key: string, value: string])[]> {
    const found = (await this.#known(machine)).map(
      async (key) => [key, await this.#vault.get(key)] as const,
    );
    return (await Promise.all(found)).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value] as const],
    );
  }

  /**
   * Deletes the stored answers for a machine that was removed, except those that a machine of
   * `remainingIds` uses, too, such as the password of a shared jump host.
   */
  async forget(machine: string, remainingIds: readonly string[]): Promise<void> {
    const used = new Set((await Promise.all(remainingIds.map((id) => this.#known(id)))).flat());
    for (const key of await this.#known(machine)) if (!used.has(key)) await this.#vault.delete(key);
    await this.#vault.delete(listKey(machine));
  }

  /**
   * Adds the vault keys of answers to the list of the machine's keys, and deletes what earlier
   * versions stored in their place. The list is in the vault, because a vault cannot list its keys.
   */
  async #remember(machine: string, questions: readonly SecretQuestion[]): Promise<void> {
    const known = await this.#known(machine);
    const former = new Set(questions.map(formerKeyOf));
    for (const key of known) if (former.has(key)) await this.#vault.delete(key);
    const lasting = known.filter((key) => !former.has(key));
    const keys = JSON.stringify([...new Set([...lasting, ...questions.map(keyOf)])]);
    if (keys !== JSON.stringify(known)) await this.#vault.store(listKey(machine), keys);
  }

  async #known(machine: string): Promise<readonly string[]> {
    return JSON.parse((await this.#vault.get(listKey(machine))) ?? '[]') as string[];
  }
}

const listKey = (machine: string): string => `helios.machine.${machine}`;
const keyOf = ({ host, kind, prompt }: SecretQuestion): string =>
  `helios.ssh.${host.address} ${host.fingerprint}.${kind}.${prompt}`;
/**
 * Returns the key under which earlier versions stored an answer. Such an answer is never used,
 * because its key does not contain the host, and the machine's entry may name another host now.
 */
const formerKeyOf = ({ machine, kind, prompt }: SecretQuestion): string =>
  `${listKey(machine)}.${kind}.${prompt}`;
const nameOf = (question: SecretQuestion): string => `${question.machine} ${keyOf(question)}`;
