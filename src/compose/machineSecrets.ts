/**
 * Answers to secret questions of machines. Asks once, and stores an answer when the machine was
 * reached with it.
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
  /** False for one-time codes, which are never stored. */
  readonly isToKeep: boolean;
}

export class MachineSecrets {
  readonly #vault: SecretVault;
  readonly #ask: Ask;
  /** Answers that were not tried yet. */
  readonly #given = new Map<string, Given>();

  constructor(vault: SecretVault, ask: Ask) {
    this.#vault = vault;
    this.#ask = ask;
  }

  /**
   * Returns the stored answer, or asks the user. A second question before the machine was reached
   * always goes to the user.
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
   * Returns the stored answer without asking. Returns nothing if it was already given and the
   * machine was not reached with it.
   */
  async kept(question: SecretQuestion): Promise<string | undefined> {
    const key = keyOf(question);
    if (this.#given.has(key) || question.kind === 'keyboard') return undefined;
    const value = await this.#vault.get(key);
    if (value !== undefined)
      this.#given.set(key, { machine: question.machine, value, isToKeep: false });
    return value;
  }

  /** Stores the answers that reached the machine. */
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

  /** Returns all stored answers for a machine by vault key, to copy them to another vault. */
  async entries(machine: string): Promise<readonly (readonly [key: string, value: string])[]> {
    const found = (await this.#known(machine)).map(
      async (key) => [key, await this.#vault.get(key)] as const,
    );
    return (await Promise.all(found)).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value] as const],
    );
  }

  /** Deletes the answers for a machine that was removed. */
  async forget(machine: string): Promise<void> {
    for (const key of await this.#known(machine)) await this.#vault.delete(key);
    await this.#vault.delete(listKey(machine));
  }

  /** Stores the keys of a machine as well, because a vault cannot list its keys. */
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
