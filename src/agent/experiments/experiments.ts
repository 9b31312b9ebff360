import type { Disposable } from '../../base/disposable.ts';
import type { ExperimentPlan } from '../../experiments/experiment.ts';
import type {
  DecidedExperiment,
  ExperimentDecisionRequest,
} from '../../tools/experiments/expDecide.ts';
import { removeLeftCheckFolders, type CheckFoldersDeps } from './checkFolders.ts';
import { ExperimentDecisions, type ExperimentDecisionsDeps } from './experimentDecisions.ts';
import {
  ExperimentPlans,
  type BegunExperiment,
  type ExperimentPlansDeps,
  type ExperimentRequest,
} from './experimentPlans.ts';

/**
 * Manages the experiments of a session. Records each experiment before its first run, refuses an
 * experiment that was tried before, and records decisions. All state is in the journal.
 */
export class Experiments implements Disposable {
  readonly #plans: ExperimentPlans;
  readonly #decisions: ExperimentDecisions;
  readonly #deps: CheckFoldersDeps;

  constructor(deps: ExperimentPlansDeps & ExperimentDecisionsDeps & CheckFoldersDeps) {
    this.#deps = deps;
    this.#plans = new ExperimentPlans(deps);
    this.#decisions = new ExperimentDecisions(deps);
  }

  /**
   * Records `crash` for experiments that crashed while no process owned the session, and removes the
   * folders of a check that was cut off.
   */
  async open(): Promise<void> {
    this.#decisions.open();
    await removeLeftCheckFolders(this.#deps);
  }

  /** See `ExperimentPlans.begin`. */
  begin(request: ExperimentRequest, callId: string): Promise<BegunExperiment> {
    return this.#plans.begin(request, callId);
  }

  /** See `ExperimentPlans.hasCode`. */
  hasCode(plan: ExperimentPlan): Promise<boolean> {
    return this.#plans.hasCode(plan);
  }

  /** See `ExperimentDecisions.decide`. */
  decide(request: ExperimentDecisionRequest): Promise<DecidedExperiment> {
    return this.#decisions.decide(request);
  }

  dispose(): void {
    this.#decisions.dispose();
  }
}
