/**
 * Answers to secret questions of machines. The user is asked once, and an answer is stored after it
 * has worked.
 */
import type { SecretQuestion } from '../machines/machinePrompts.ts';

export interface SecretVault {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<unknown>;
  delete(key: string): PromiseLike<unknown>;
}

type Ask = (question: SecretQuestion, signal: AbortSignal) => PromiseLike<string | undefined>;

interface Given {
  readonly machine: string;
  readonly value: string;
  /**
   * Whether to store the answer after it has worked. False for one-time codes, and for answers
   * already stored.
   */
  readonly isToKeep: boolean;
}

export class MachineSecrets {
  readonly #vault: SecretVault;
  readonly #ask: Ask;
  /** Answers that were given but are not yet known to work, by vault key. */
  readonly #given = new Map<string, Given>();

  constructor(vault: SecretVault, ask: Ask) {
    this.#vault = vault;
    this.#ask = ask;
  }

  /**
   * Returns the stored answer, or asks the user. If a machine asks again before it was reached, the
   * stored answer was wrong, so the user is asked.
   */
  async answer(question: SecretQuestion, signal: AbortSignal): Promise<string | undefined> {
    const kept = await this.kept(question);
    if (kept !== undefined) return kept;
    const key = keyOf(question);
    const { machine, kind } = question;
    const value = await this.#ask(question, signal);
    if (value === undefined) this.#given.delete(key);
    else this.#given.set(key, { machine, value, isToKeep: kind !== 'keyboard' });
    return value;
  }

  /**
   * Returns the stored answer without asking the user. Returns `undefined` if the answer was
   * already given but the machine has not been reached since.
   */
  async kept(question: SecretQuestion): Promise<string | undefined> {
    const key = keyOf(question);
    if (this.#given.has(key) || question.kind === 'keyboard') return undefined;
    const value = await this.#vault.get(key);
    if (value !== undefined)
      this.#given.set(key, { machine: question.machine, value, isToKeep: false });
    return value;
  }

  /** Stores the given answers, as the machine was reached with them. */
  async reached(machine: string): Promise<void> {
    const given = [...this.#given].filter(([, each]) => each.machine === machine);
    for (const [key, { value, isToKeep }] of given) {
      this.#given.delete(key);
      if (isToKeep) await this.#vault.store(key, value);
    }
    if (given.some(([, { isToKeep }]) => isToKeep))
      await this.#remember(
        machine,
        given.map(([key]) => key),
      );
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

  /** Deletes the stored answers for a machine that was removed. */
  async forget(machine: string): Promise<void> {
    for (const key of await this.#known(machine)) await this.#vault.delete(key);
    await this.#vault.delete(listKey(machine));
  }

  /**
   * Stores the list of a machine's vault keys in the vault, because a vault cannot list its keys.
   */
  async #remember(machine: string, keys: readonly string[]): Promise<void> {
    const all = new Set([...(await this.#known(machine)), ...keys]);
    await this.#vault.store(listKey(machine), JSON.stringify([...all]));
  }

  async #known(machine: string): Promise<readonly string[]> {
    return JSON.parse((await this.#vault.get(listKey(machine))) ?? '[]') as string[];
  }
}

const listKey = (machine: string): string => `helios.machine.${machine}`;
const keyOf = ({ machine, kind, prompt }: SecretQuestion): string =>
  `${listKey(machine)}.${kind}.${prompt}`;
