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
 * The session's access to its experiments: each is recorded in the journal before its first run,
 * refused if it was tried before, and decided on when it is over. All state is in the journal.
 */
export class Experiments implements Disposable {
  readonly #plans: ExperimentPlans;
  readonly #decisions: ExperimentDecisions;

  constructor(deps: ExperimentPlansDeps & ExperimentDecisionsDeps) {
    this.#plans = new ExperimentPlans(deps);
    this.#decisions = new ExperimentDecisions(deps);
  }

  /** Decides on experiments that ended while no process owned the session. */
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
