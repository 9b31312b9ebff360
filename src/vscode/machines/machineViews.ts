/** The data of the Machines tree. Showing the tree never connects to a machine. */
import { hostname } from 'node:os';
import { env } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { adviceOf } from '../../base/errors.ts';
import { planImport } from '../../compose/importHosts.ts';
import type { Machine } from '../../machines/machine.ts';
import { entryText, hasHost } from '../../presentation/machines/machineText.ts';
import { sshHosts, type SshHost } from '../../compose/sshHosts.ts';
import type { EngineHost } from '../window/engineHost.ts';
import type { OpenSessionView } from '../window/sessionFacts.ts';
import { MachineSlots } from './machineSlots.ts';
import { firstRows, machineRows, problemRows, type MachineView } from './machineRows.ts';
import type { TreeNode } from '../ui/treeNode.ts';

type About = Pick<MachineView, 'description' | 'problem'>;

export class MachineViews implements Disposable {
  readonly #host: EngineHost;
  readonly #redraw: () => void;
  readonly #owned = new DisposableStore();
  /** By machine id: the hardware or the error that the machine last reported. */
  readonly #about = new Map<string, About>();
  readonly #slots: MachineSlots;
  #hosts: readonly SshHost[] | undefined;
  #engine: Engine | undefined;
  #isVisible = false;
  #watch: Disposable | undefined;

  constructor(host: EngineHost, redraw: () => void) {
    this.#host = host;
    this.#redraw = redraw;
    this.#slots = new MachineSlots(systemClock, redraw);
    this.#owned.add(
      host.onDidOpen((engine) => {
        this.#engine = engine;
        this.#owned.add(engine.machines.onDidChange(redraw));
        this.#owned.add(
          engine.resources.onDidChange((id) => {
            redraw();
            this.#readSlots(id);
          }),
        );
        this.#owned.add(engine.runs.onDidChange(({ run }) => this.#readSlots(run.spec.machineId)));
        this.show(this.#isVisible);
      }),
    );
  }

  /** Starts or stops measuring the machines' loads. Called with true while the tree is visible. */
  show(isVisible: boolean): void {
    this.#isVisible = isVisible;
    if (isVisible) this.#watch ??= this.#engine?.resources.watch();
    else this.#stopWatching();
  }

  async rows(open: readonly OpenSessionView[]): Promise<readonly TreeNode[]> {
    const { machines, resources } = await this.#host.get();
    const list = machines.list();
    const shown = list.map((machine): MachineView => {
      const view = this.#viewOf(machines, machine);
      const { id, share } = machine;
      const isConnected = view.state === 'connected';
      const slots = share?.slots && {
        total: share.slots,
        held: isConnected ? this.#slots.held(id) : undefined,
      };
      return {
        ...view,
        ...(slots && { slots }),
        ...(isConnected && { sample: resources.latest(id) }),
      };
    });
    const addRows = list.length > 1 ? [] : firstRows(await this.#freshHosts(machines));
    const problems = problemRows(machines.problems, machines.file);
    return [...problems, ...machineRows(shown, open, Date.now()), ...addRows];
  }

  /** Clears the cached data, so that the next `rows` reads it from the machines again. */
  forget(): void {
    this.#about.clear();
    this.#hosts = undefined;
  }

  dispose(): void {
    this.#stopWatching();
    this.#owned.dispose();
  }

  #readSlots(id: string): void {
    const { machines } = this.#engine ?? {};
    if (!this.#isVisible || machines?.status(id).kind !== 'connected') return;
    void this.#slots.refresh(machines.get(id));
  }

  #stopWatching(): void {
    this.#watch?.dispose();
    this.#watch = undefined;
  }

  async #freshHosts(machines: Engine['machines']): Promise<string[]> {
    this.#hosts ??= await sshHosts();
    return planImport(this.#hosts, machines.entries(), 'all').entries.flatMap(
      ({ alias }) => alias ?? [],
    );
  }

  #viewOf(machines: Engine['machines'], machine: Machine): MachineView {
    const { id, kind } = machine;
    const entry = machines.entries().find((each) => each.id === id);
    if (entry === undefined) {
      const about = this.#hardwareOf(machine);
      const state = about.problem === undefined ? 'connected' : 'unreachable';
      return {
        id,
        kind,
        state,
        ...about,
        ...(env.remoteName === 'ssh-remote' && { host: hostname() }),
      };
    }
    const status = machines.status(id);
    const view = { id, kind, place: entryText(entry), hasHost: hasHost(entry), state: status.kind };
    if (status.kind === 'connected') return { ...view, ...this.#hardwareOf(machine) };
    this.#about.delete(id);
    return status.kind === 'unreachable' ? { ...view, problem: status.why } : view;
  }

  /**
   * Returns the cached description or error of a machine. If there is none yet, requests it from
   * the machine and redraws the tree when the answer arrives.
   */
  #hardwareOf(machine: Machine): About {
    const cached = this.#about.get(machine.id);
    if (cached !== undefined) return cached;
    const answer = (about: About): void => {
      this.#about.set(machine.id, about);
      this.#redraw();
    };
    this.#about.set(machine.id, {});
    machine.describe().then(
      (description) => answer({ description }),
      (error: unknown) => answer({ problem: adviceOf(error) }),
    );
    return {};
  }
}
