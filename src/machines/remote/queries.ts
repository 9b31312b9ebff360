/** Runs the queries of a machine one after the other. */
import type { Disposable } from '../../base/disposable.ts';
import { MachineFailure, type QueryOptions } from '../machine.ts';
import { evalLine } from './remoteCommand.ts';
import type { ScriptRunner } from './remoteShell.ts';

const maxAnswerBytes = 4 * 2 ** 20;
const timeoutMs = 30_000;

export class Queries implements Disposable {
  readonly #runner: ScriptRunner;
  #last: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  /** Takes ownership of `runner`. */
  constructor(runner: ScriptRunner) {
    this.#runner = runner;
  }

  /** See `Machine.query`. */
  ask(script: string, options: QueryOptions = {}): Promise<string> {
    const answer = this.#last.then(() => this.#ask(script, options));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#runner.dispose();
  }

  async #ask(script: string, options: QueryOptions): Promise<string> {
    if (this.#isDisposed)
      throw new MachineFailure('unreachable', 'The connection to the machine was closed.');
    const limits = { timeoutMs, maxBytes: maxAnswerBytes, ...options };
    return (await this.#runner.run(evalLine(script), limits)).toString('utf8');
  }
}
