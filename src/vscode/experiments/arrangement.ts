/** The arrangement of the Experiments view: experiments as a list, or as a tree by origin. */
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
