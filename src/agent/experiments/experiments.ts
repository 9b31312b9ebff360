import type { Disposable } from '../../base/disposable.ts';
import type {
  DecidedExperiment,
  ExperimentDecisionRequest,
} from '../../tools/experiments/expDecide.ts';
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

  constructor(deps: ExperimentPlansDeps & ExperimentDecisionsDeps) {
    this.#plans = new ExperimentPlans(deps);
    this.#decisions = new ExperimentDecisions(deps);
  }

  /** Records `crash` for experiments that crashed while no process owned the session. */
  open(): void {
    this.#decisions.open();
  }

  /** See `ExperimentPlans.begin`. */
  begin(request: ExperimentRequest, callId: string): Promise<BegunExperiment> {
    return this.#plans.begin(request, callId);
  }

  /** See `ExperimentDecisions.decide`. */
  decide(request: ExperimentDecisionRequest): Promise<DecidedExperiment> {
    return this.#decisions.decide(request);
  }

  dispose(): void {
    this.#decisions.dispose();
  }
}
