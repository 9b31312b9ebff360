/**
 * Answers to the secret questions of machines: asked once, kept once the machine was reached with
 * them.
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
  /** One-time codes are never kept. */
  readonly isToKeep: boolean;
}

export class MachineSecrets {
  readonly #vault: SecretVault;
  readonly #ask: Ask;
  /** Answers of which it is not known yet whether they are right. */
  readonly #given = new Map<string, Given>();

  constructor(vault: SecretVault, ask: Ask) {
    this.#vault = vault;
    this.#ask = ask;
  }

  /**
   * What is kept, else what the user says. Asked again before the machine was reached: always the
   * user.
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
   * What is kept, asking nobody; nothing when it was given already and the machine was not reached
   * with it.
   */
  async kept(question: SecretQuestion): Promise<string | undefined> {
    const key = keyOf(question);
    if (this.#given.has(key) || question.kind === 'keyboard') return undefined;
    const value = await this.#vault.get(key);
    if (value !== undefined)
      this.#given.set(key, { machine: question.machine, value, isToKeep: false });
    return value;
  }

  /** What was said to reach the machine was right. */
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
   * All that is kept of a machine, by the keys of the vault: for another vault that answers for it.
   */
  async entries(machine: string): Promise<readonly (readonly [key: string, value: string])[]> {
    const found = (await this.#known(machine)).map(
      async (key) => [key, await this.#vault.get(key)] as const,
    );
    return (await Promise.all(found)).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value] as const],
    );
  }

  /** Forgets what is kept of a machine that was removed. */
  async forget(machine: string): Promise<void> {
    for (const key of await this.#known(machine)) await this.#vault.delete(key);
    await this.#vault.delete(listKey(machine));
  }

  /** A vault cannot be searched: the keys of a machine are kept beside them. */
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
