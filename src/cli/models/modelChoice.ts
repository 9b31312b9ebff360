/** Finds the model named on the command line. */
import type { Engine } from '../../agent/contract/engine.ts';
import { UserFacing } from '../../base/errors.ts';
import type { NamedModel } from '../../models/list/modelNames.ts';
import type { CliOptions } from '../arguments.ts';

/**
 * Resolves with the model of `--model` and `--provider`, or the default. If a name fits several
 * providers, `preferred` wins. Rejects with `UserFacing` for an unknown name, or if the model
 * cannot be called.
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

  /** Queries the providers only if the name is unknown. */
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
