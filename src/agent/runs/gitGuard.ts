/** Prevents a session's commands and runs from changing the user's repositories with git. */
import { ToolFailure } from '../../base/errors.ts';
import { shellQuote } from '../../base/text.ts';
import { guardedOutput } from '../../experiments/git/guardWords.ts';
import {
  guardFolder,
  installGuard,
  withGuard,
  type GuardState,
} from '../../experiments/git/installGuard.ts';
import { MachineFailure, type Machine } from '../../machines/machine.ts';
import type { Forecast } from '../../permissions/gate.ts';
import { judgeGit, refusalText } from '../../permissions/git/gitRule.ts';
import { plainGitCalls, type PlainGitCall } from '../../permissions/git/plainGitCalls.ts';
import type { GitProtection } from '../../tools/parameters/gitProtection.ts';

/** Time limit in milliseconds. Short, because an approval waits for the answer. */
const askMs = 10_000;

export class GitGuard implements GitProtection {
  readonly #isOn: () => boolean;
  readonly #states = new Map<string, Promise<GuardState>>();

  /** `isOn` returns false when the user has disabled the protection. */
  constructor(isOn: () => boolean) {
    this.#isOn = isOn;
  }

  async command(machine: Machine, command: string): Promise<string> {
    if (!this.#isOn()) return command;
    const state = await this.#checked(machine, command);
    return state.kind === 'ready' ? withGuard(state.folder, command) : command;
  }

  /** Throws `ToolFailure` when the command is forbidden on every machine. */
  check(command: string): void {
    const verdict = judgeGit(command);
    if (this.#isOn() && verdict.kind === 'refused') throw new ToolFailure(refusalText(verdict));
  }

  /**
   * Resolves with why the guard will refuse a call of git in the command, which starts in `folder`.
   * Resolves with `undefined` if the guard will not refuse, or if that depends on what the command
   * does before the call. Never asks the user to connect. Rejects with `MachineFailure`.
   */
  async foreseen(machine: Machine, command: string, folder: string): Promise<Forecast | undefined> {
    const verdict = this.#isOn() ? judgeGit(command) : { kind: 'none' as const };
    if (verdict.kind === 'refused') return { why: verdict.why, advice: verdict.advice };
    if (verdict.kind === 'none' || !verdict.mayChange) return undefined;
    const calls = plainGitCalls(command, folder);
    if (calls.length === 0) return undefined;
    const { kind } = await this.#state(machine, true);
    return kind === 'ready' ? askGuard(machine, calls) : undefined;
  }

  /**
   * Resolves as `command` does. Also rejects with `ToolFailure` if the command uses git for
   * anything other than reading.
   */
  async readingCommand(machine: Machine, command: string): Promise<string> {
    const verdict = judgeGit(command);
    if (this.#isOn() && verdict.kind === 'git' && verdict.mayChange)
      throw new ToolFailure('Not run: this command may use git only for reading.');
    return this.command(machine, command);
  }

  /**
   * Resolves with the environment variables that make a run use the guard instead of git. Rejects
   * with `ToolFailure` when the command is refused.
   */
  async runEnv(machine: Machine, command: string): Promise<Readonly<Record<string, string>>> {
    if (!this.#isOn()) return {};
    try {
      const { kind } = await this.#checked(machine, command);
      if (kind !== 'ready') return {};
    } catch (error) {
      // Ignore that the machine cannot be reached: the start of the run is retried, and the guard
      // may already be installed on the machine.
      if (!(error instanceof MachineFailure)) throw error;
    }
    return { HELIOS_GIT_GUARD: guardFolder(machine) };
  }

  /**
   * Resolves with the state of the guard. Rejects with `ToolFailure` when the command is refused.
   */
  async #checked(machine: Machine, command: string): Promise<GuardState> {
    const verdict = judgeGit(command);
    if (verdict.kind === 'refused') throw new ToolFailure(refusalText(verdict));
    const state = await this.#state(machine, verdict.kind === 'git');
    if (state.kind === 'failed' && verdict.kind === 'git')
      throw new ToolFailure(
        `Not run: the git guard could not be installed on ${machine.id} (the Helios folder is not writable, or programs in this folder cannot be executed). Compare code with exp_diff.`,
      );
    return state;
  }

  /**
   * Returns the state of the guard on the machine. Installs the guard at the first call. If the
   * installation failed, repeats it only for a command that uses git (`isNeeded`).
   */
  async #state(machine: Machine, isNeeded: boolean): Promise<GuardState> {
    const earlier = this.#states.get(machine.id);
    const state = earlier && (await earlier.catch(() => undefined));
    if (state && (state.kind === 'ready' || !isNeeded)) return state;
    await machine.ready?.({ mayAsk: true });
    const installing = installGuard(machine);
    this.#states.set(machine.id, installing);
    return installing;
  }
}

/** Asks the guard, without calling git, which of the calls it refuses. */
async function askGuard(
  machine: Machine,
  calls: readonly PlainGitCall[],
): Promise<Forecast | undefined> {
  const guard = shellQuote(`${guardFolder(machine)}/git`);
  const lines = calls.map(
    ({ folder, args }) =>
      `(cd -- ${shellQuote(folder)} && HELIOS_GIT_ASKS=1 ${guard} ${args.map(shellQuote).join(' ')}) 2>&1 </dev/null`,
  );
  const { stdout } = await machine.exec(lines.join('\n'), { cwd: '/', timeoutMs: askMs });
  const [, name, why = '', advice = ''] =
    /^helios: git (\S+) was not run: ([^.]+)\. (.+)$/.exec(guardedOutput(stdout).words[0] ?? '') ??
    [];
  return name === undefined ? undefined : { why: `git ${name}: ${why}`, advice };
}
