/** How the Experiments view arranges experiments: as a list, or below the one that they built on. */
import { commands, type Memento } from 'vscode';
import { contextKeys } from '../ui/contributions.ts';

const memoryKey = 'helios.experimentsAsTree';

export class Arrangement {
  readonly #memory: Memento;
  #isTree: boolean;

  /** `memory`: VS Code's state of the workspace. */
  constructor(memory: Memento) {
    this.#memory = memory;
    this.#isTree = memory.get(memoryKey) === true;
    void this.#announce();
  }

  get isTree(): boolean {
    return this.#isTree;
  }

  async choose(isTree: boolean): Promise<void> {
    this.#isTree = isTree;
    await Promise.all([this.#memory.update(memoryKey, isTree), this.#announce()]);
  }

  #announce(): Thenable<unknown> {
    return commands.executeCommand('setContext', contextKeys.experimentsAsTree, this.#isTree);
  }
}
