/** Finds the model named on the command line. */
import type { Engine } from '../../agent/contract/engine.ts';
import { UserFacing } from '../../base/errors.ts';
import type { NamedModel } from '../../models/list/modelNames.ts';
import type { CliOptions } from '../arguments.ts';

/**
 * Resolves with the model that `--model` and `--provider` name, or the default model. If several
 * providers have a model of that name, the provider `preferred` is chosen. Rejects with
 * `UserFacing` if the name is unknown or the model cannot be called.
 */
export async function modelNamed(
  { model = 'default', provider }: Pick<CliOptions, 'model' | 'provider'>,
  preferred: string | undefined,
  { models, providers }: Pick<Engine, 'models' | 'providers'>,
): Promise<NamedModel> {
  const named = await resolved();
  const readiness = await providers()
    .find(({ id }) => id === named.provider)
    ?.readiness?.();
  if (readiness?.isReady === false) throw new UserFacing(readiness.problem, readiness.action);
  return named;

  /** Resolves with the model. Queries the providers only if the name is not yet known. */
  async function resolved(): Promise<NamedModel> {
    try {
      return models.resolve(model, provider, preferred);
    } catch (error) {
      if (!(error instanceof UserFacing)) throw error;
      await models.list({ provider });
      return models.resolve(model, provider, preferred);
    }
  }
}
