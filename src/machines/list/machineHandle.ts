/**
 * The object by which other components use a machine from the list. The handle stays the same when
 * the machine behind the handle is replaced, so that the files of runs are still followed. The
 * handle also tracks whether the machine is reachable, from the results of calls and from the
 * machine's status events.
 */
import { adviceOf } from '../../base/errors.ts';
import { toDisposable, type Disposable } from '../../base/disposable.ts';
import { ForwardingMachine } from '../forwardingMachine.ts';
import {
  MachineFailure,
  type ExecOptions,
  type ExecResult,
  type Follow,
  type FollowSink,
  type Machine,
  type MachineFailureReason,
  type MachineStatus,
  type ReadyOptions,
} from '../machine.ts';

/** Reasons that mean that the machine cannot be reached. */
const connectionReasons: readonly MachineFailureReason[] = [
  'unreachable',
  'auth',
  'host_key',
  'timeout',
];
/** Reasons reported by the machine itself, which prove that the machine is reachable. */
const answeredReasons: readonly MachineFailureReason[] = ['missing', 'denied', 'no_space'];

export class MachineHandle extends ForwardingMachine {
  readonly id: string;
  readonly #onStatus: () => void;
  readonly #follows = new Set<HandleFollow>();
  #target: Machine;
  #status: MachineStatus = { kind: 'unused' };
  #listening: Disposable | undefined;

  constructor(target: Machine, onStatus: () => void) {
    super();
    this.id = target.id;
    this.#target = target;
    this.#onStatus = onStatus;
    this.#listening = this.#listenTo(target);
  }

  /**
   * Always `undefined`: `status` returns the status, and `onStatus` of the constructor reports
   * changes.
   */
  override get onDidChangeStatus(): undefined {
    return undefined;
  }

  get status(): MachineStatus {
    return this.#status;
  }

  /**
   * Forwards to `target` from now on. Followed files continue on `target` at their current byte.
   */
  replace(target: Machine): void {
    this.#listening?.dispose();
    this.#target = target;
    this.#listening = this.#listenTo(target);
    this.#note(target, { kind: 'unused' });
    for (const follow of this.#follows) follow.moveTo(target);
  }

  override async ready(options?: ReadyOptions): Promise<void> {
    await this.#noting((target) => target.ready?.(options));
  }

  /**
   * Returns the description. An answer does not change the status, because it may be cached; a
   * failure does.
   */
  override describe(): Promise<string> {
    return this.#noting((target) => target.describe());
  }

  override exec(command: string, options?: ExecOptions): Promise<ExecResult> {
    return this.#noting(
      (target) => target.exec(command, options),
      // An aborted command may never have reached the machine.
      ({ outcome }) => outcome.kind !== 'aborted',
    );
  }

  override follow(path: string, offset: number, sink: FollowSink): Follow {
    const watched: FollowSink = {
      onBytes: (bytes, at) => {
        this.#note(this.#target, { kind: 'connected' });
        return sink.onBytes(bytes, at);
      },
      onChange: (name) => sink.onChange(name),
      onError: (error) => {
        this.#noteFailure(this.#target, error);
        sink.onError(error);
      },
    };
    const follow = new HandleFollow(path, offset, watched, () => this.#follows.delete(follow));
    this.#follows.add(follow);
    follow.moveTo(this.#target);
    return follow;
  }

  protected target(): Machine {
    return this.#target;
  }

  protected override through<T>(call: (target: Machine) => Promise<T>): Promise<T> {
    return this.#noting(call, () => true);
  }

  /**
   * Calls the machine and updates its status. `proves` returns whether an answer shows that the
   * machine is reachable. A failure always updates the status.
   */
  async #noting<T>(
    call: (target: Machine) => T | Promise<T>,
    proves: (answer: T) => boolean = () => false,
  ): Promise<T> {
    const target = this.#target;
    try {
      const answer = await call(target);
      if (proves(answer)) this.#note(target, { kind: 'connected' });
      return answer;
    } catch (error) {
      this.#noteFailure(target, error);
      throw error;
    }
  }

  #listenTo(target: Machine): Disposable | undefined {
    return target.onDidChangeStatus?.((status) => this.#note(target, status));
  }

  #noteFailure(target: Machine, error: unknown): void {
    if (!(error instanceof MachineFailure)) return;
    if (connectionReasons.includes(error.reason))
      this.#note(target, { kind: 'unreachable', why: adviceOf(error) });
    if (answeredReasons.includes(error.reason)) this.#note(target, { kind: 'connected' });
  }

  /** Records a status, unless the machine was replaced meanwhile. */
  #note(target: Machine, status: MachineStatus): void {
    if (target !== this.#target) return;
    const before = this.#status;
    this.#status = status;
    const isSame = before.kind === status.kind && whyOf(before) === whyOf(status);
    if (!isSame) this.#onStatus();
  }
}

const whyOf = (status: MachineStatus): string | undefined =>
  status.kind === 'unreachable' ? status.why : undefined;

/**
 * Follows a file on the machine behind the handle, and on each machine that replaces that machine.
 * Passes on each byte once.
 */
class HandleFollow implements Follow {
  readonly #path: string;
  readonly #sink: FollowSink;
  readonly #released: Disposable;
  #offset: number;
  #inner: Follow | undefined;
  #isDisposed = false;

  constructor(path: string, offset: number, sink: FollowSink, release: () => void) {
    this.#path = path;
    this.#offset = offset;
    this.#sink = sink;
    this.#released = toDisposable(release);
  }

  moveTo(target: Machine): void {
    this.#inner?.dispose();
    let isCurrent = (): boolean => !this.#isDisposed;
    const inner = target.follow(this.#path, this.#offset, {
      onBytes: (bytes, at) => {
        if (!isCurrent()) return undefined;
        this.#offset = at + bytes.length;
        return this.#sink.onBytes(bytes, at);
      },
      onChange: (name) => isCurrent() && this.#sink.onChange(name),
      onError: (error) => isCurrent() && this.#sink.onError(error),
    });
    this.#inner = inner;
    isCurrent = () => !this.#isDisposed && this.#inner === inner;
  }

  async drain(): Promise<void> {
    await this.#inner?.drain();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#inner?.dispose();
    this.#released.dispose();
  }
}
