/** Assembles the parts of a session. */
import { DisposableStore } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import type { Target } from '../../experiments/target/target.ts';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { UndoneEdits } from '../contract/edits.ts';
import type { ReproduceRequest, Reproduction } from '../contract/reproduction.ts';
import type { Experiments } from '../experiments/experiments.ts';
import type { Imports } from '../experiments/imports.ts';
import { reproduce } from '../experiments/reproduction.ts';
import type { Budget } from '../journal/events.ts';
import type { LoopDeps } from '../loop/loop.ts';
import type { Waiting } from '../loop/waiting.ts';
import { readForTarget } from '../runs/rereadMetrics.ts';
import type { RunWatchdogs } from '../runs/runWatchdogs.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import type { Sweeps } from '../runs/sweeps.ts';
import type { Questions } from '../user/questions.ts';
import type { SessionNotices } from '../user/sessionNotices.ts';
import type { PartsRequest } from './sessionDeps.ts';
import { undoForUser } from './sessionEdits.ts';
import { createListeners } from './sessionListeners.ts';
import { accountOf } from './sessionAccount.ts';
import { createGuard, createLoop } from './sessionLoop.ts';
import { checkModel, release } from './sessionModels.ts';

export interface SessionParts {
  readonly logger: Logger;
  readonly sessionRuns: SessionRuns;
  readonly sweeps: Sweeps;
  readonly memory: MemoryStore;
  readonly waiting: Waiting;
  readonly questions: Questions;
  readonly notices: SessionNotices;
  readonly experiments: Experiments;
  readonly imports: Imports;
  readonly watches: RunWatchdogs;
  readonly loop: LoopDeps;
  kill(run: Run): Promise<unknown>;
  reproduce(request: ReproduceRequest): Promise<Reproduction>;
  /** See `readForTarget`. */
  readForTarget(target: Target): Promise<void>;
  /** See `Session.writeAccount`. */
  writeAccount(signal?: AbortSignal): Promise<void>;
  /** See `Sessions.undoEdits`. */
  undoEdits(paths?: readonly string[]): Promise<UndoneEdits>;
  /**
   * Checks that a session can use the model. Throws `UserFacing` when the provider does not exist,
   * or when there is a limit in dollars and the model's price is unknown.
   */
  checkModel(provider: string, model: string, budget: Budget): void;
  /**
   * Releases the resources that providers hold for the conversation, such as a running process. The
   * next model call starts the process again. Never rejects.
   */
  release(): Promise<void>;
  dispose(): void;
}

const killGraceMs = 5_000;

export function createParts(request: PartsRequest): SessionParts {
  const { shared, log } = request;
  const owned = new DisposableStore();
  const listeners = createListeners(request, owned);
  return {
    ...listeners,
    logger: shared.logger,
    loop: createLoop(request, listeners),
    reproduce: (asked) =>
      reproduce({ ...listeners, log, clock: shared.clock, folder: request.folder }, asked),
    readForTarget: (target) => readForTarget({ ...listeners, log, runs: shared.runs }, target),
    writeAccount: (signal) => accountOf(request, createGuard(request, listeners), signal),
    undoEdits: (paths) => undoForUser(request, paths),
    kill: (run) => shared.runs.kill(run, { graceMs: killGraceMs }),
    checkModel: (provider, model, budget) => checkModel(shared, { provider, model, budget }),
    release: () => release(shared, log.state.id),
    dispose: () => owned.dispose(),
  };
}
