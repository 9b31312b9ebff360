/**
 * Protects the user's repositories from the git commands of a session, in foreground commands and
 * in runs.
 */
import { ToolFailure } from '../../base/errors.ts';
import {
  guardFolder,
  installGuard,
  withGuard,
  type GuardState,
} from '../../experiments/git/installGuard.ts';
import { MachineFailure, type Machine } from '../../machines/machine.ts';
import { gitFolderRefusal, judgeGit } from '../../permissions/git/gitRule.ts';
import type { GitProtection } from '../../tools/parameters/gitProtection.ts';

export class GitGuard implements GitProtection {
  readonly #isOn: () => boolean;
  readonly #states = new Map<string, Promise<GuardState>>();

  /** `isOn` returns false when the user has switched the protection off. */
  constructor(isOn: () => boolean) {
    this.#isOn = isOn;
  }

  async command(machine: Machine, command: string): Promise<string> {
    if (!this.#isOn()) return command;
    const state = await this.#checked(machine, command);
    return state.kind === 'ready' ? withGuard(state.folder, command) : command;
  }

  /** Throws `ToolFailure` for a command that is refused on every machine. */
  check(command: string): void {
    const verdict = judgeGit(command);
    if (this.#isOn() && verdict.kind === 'refused') throw new ToolFailure(verdict.why);
  }

  /**
   * Checks a command that is started without the guard: git may only read. Throws `ToolFailure`.
   */
  reading(command: string): void {
    if (!this.#isOn()) return;
    const verdict = judgeGit(command);
    if (verdict.kind === 'refused') throw new ToolFailure(verdict.why);
    if (verdict.kind === 'git' && verdict.mayChange)
      throw new ToolFailure('Not run: only commands that read git are allowed here.');
  }

  /**
   * Returns the environment variables with which the supervisor of a run puts the guard first.
   * Rejects as `command` does.
   */
  async runEnv(machine: Machine, command: string): Promise<Readonly<Record<string, string>>> {
    if (!this.#isOn()) return {};
    try {
      const { kind } = await this.#checked(machine, command);
      if (kind !== 'ready') return {};
    } catch (error) {
      // The start of a run is retried. By then the guard exists from an earlier command, or git
      // cannot be reached either.
      if (!(error instanceof MachineFailure)) throw error;
    }
    return { HELIOS_GIT_GUARD: guardFolder(machine) };
  }

  path(path: string): void {
    const why = this.#isOn() ? gitFolderRefusal(path) : undefined;
    if (why !== undefined) throw new ToolFailure(why);
  }

  async excluded(machine: Machine, folder: string): Promise<readonly string[]> {
    const repository = this.#isOn() ? await machine.stat(`${folder}/.git`) : undefined;
    return repository === undefined ? [] : ['.git'];
  }

  /** Throws `ToolFailure`. */
  async #checked(machine: Machine, command: string): Promise<GuardState> {
    const verdict = judgeGit(command);
    if (verdict.kind === 'refused') throw new ToolFailure(verdict.why);
    const state = await this.#state(machine, verdict.kind === 'git');
    if (state.kind === 'failed' && verdict.kind === 'git' && verdict.mayChange)
      throw new ToolFailure(
        `Not run: git could not be guarded on ${machine.id} (its Helios folder is not writable, or programs in it cannot be run). Commands that only read git are allowed.`,
      );
    return state;
  }

  /**
   * Returns the state of the guard on the machine. Installs it again after a failure when the
   * command calls git.
   */
  async #state(machine: Machine, isNeeded: boolean): Promise<GuardState> {
    const known = this.#states.get(machine.id);
    const state = known && (await known.catch(() => undefined));
    if (state && (state.kind === 'ready' || !isNeeded)) return state;
    await machine.ready?.({ mayAsk: true });
    const installing = installGuard(machine);
    this.#states.set(machine.id, installing);
    return installing;
  }
}
