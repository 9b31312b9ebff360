/** Chooses the reasoning effort of a model call. */
import { nearestEffort, type Effort } from '../../models/effort.ts';
import type { ModelDescription, ModelRequest } from '../../models/model.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

interface EffortDeps {
  readonly log: Pick<SessionLog, 'state'>;
  /** Effort for sessions whose user chose none. */
  readonly effort: Effort;
  describe(provider: string, model: string): Pick<ModelDescription, 'efforts'> | undefined;
}

/**
 * Returns the effort for the next request: the supported effort that is nearest to the wanted
 * effort, or `undefined` if the model supports none. Returns the wanted effort if it is not known
 * which efforts the model supports.
 */
export function supportedEffort({
  log: { state },
  effort: byDefault,
  describe,
}: EffortDeps): Pick<ModelRequest, 'effort'> {
  const wanted = state.effort ?? byDefault;
  const efforts = describe(state.provider, state.model)?.efforts;
  const effort = efforts === undefined ? wanted : nearestEffort(efforts, wanted);
  return effort === undefined ? {} : { effort };
}
