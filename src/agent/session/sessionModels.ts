/** Finds the model providers of a session by name, and computes the cost of replies. */
import { messageOf, UserFacing } from '../../base/errors.ts';
import { type ModelProvider, type ModelReply, noUsage } from '../../models/model.ts';
import { billedUsage, type Cost, costOf } from '../../models/prices.ts';
import type { ProjectFile } from '../../project/projects.ts';
import { limitsMoney } from '../budget/measures.ts';
import type { GoalRequest } from '../contract/sessions.ts';
import type { Budget } from '../journal/events.ts';
import type { SharedDeps } from './sessionDeps.ts';

/** Returns the provider. Throws `UserFacing` when the provider does not exist. */
export function providerOf(shared: SharedDeps, id: string): ModelProvider {
  const provider = shared.providers().get(id);
  if (provider !== undefined) return provider;
  throw new UserFacing(
    `There is no model provider ${id}.`,
    `Choose one of: ${[...shared.providers().keys()].join(', ')}.`,
  );
}

/**
 * Returns provider and model of a new session, as the request, the project or the settings name
 * them, in this order.
 */
export function modelFor(
  { models, settings }: SharedDeps,
  request: Pick<GoalRequest, 'provider' | 'model'>,
  project: Pick<ProjectFile, 'provider' | 'model'> | undefined,
): { readonly provider: string; readonly model: string } {
  const configured = project?.provider ?? settings().provider;
  if (request.model !== undefined && request.provider === undefined)
    return models.resolve(request.model, undefined, configured);
  const named = request.provider ?? configured;
  // The project's model belongs to the project's provider, so it is used only with that provider.
  const ofProject = configured === named ? project?.model : undefined;
  return models.resolve(request.model ?? ofProject ?? 'default', named);
}

type Billed = Pick<ModelReply, 'model' | 'usage' | 'discardedUsage'>;

/**
 * Returns the cost of a reply. A reply that the user's plan covers is charged at list price and
 * marked with `isPlan`.
 */
export function costFor(shared: SharedDeps, id: string, reply: Billed): Cost {
  const cost = costOf(id, reply.model, billedUsage(reply), shared.prices());
  return 'usd' in cost && providerOf(shared, id).billing === 'plan'
    ? { ...cost, isPlan: true }
    : cost;
}

/**
 * Checks that a session can use the model. Throws `UserFacing` when the provider does not exist, or
 * when there is a limit in dollars and the model's price is unknown.
 */
export function checkModel(
  shared: SharedDeps,
  plan: { provider: string; model: string; budget: Budget },
): void {
  const { provider, model, budget } = plan;
  // Calls that the user's plan covers are not billed, so they need no price.
  if (providerOf(shared, provider).billing === 'plan') return;
  const cost = costOf(provider, model, noUsage, shared.prices());
  if ('usd' in cost || !limitsMoney(budget, shared.settings().dayLimits)) return;
  throw new UserFacing(
    `A money limit cannot be enforced with ${model}: ${cost.unknown}`,
    `Add the price of ${provider}/${model} to the prices setting, or remove the money limits of the goal, its experiments and the day.`,
  );
}

/**
 * Releases the resources that providers hold for a conversation, such as a running process. Never
 * rejects.
 */
export async function release(
  { providers, logger }: SharedDeps,
  conversation: string,
): Promise<void> {
  const letGo = async (provider: ModelProvider): Promise<void> => {
    try {
      await provider.release?.(conversation);
    } catch (error) {
      logger.warn(
        `${provider.id} could not release the resources of ${conversation}: ${messageOf(error)}`,
      );
    }
  };
  await Promise.all([...providers().values()].map(letGo));
}
