/** Which model the command line names. */
import type { Engine } from '../../agent/contract/engine.ts';
import { UserFacing } from '../../base/errors.ts';
import type { NamedModel } from '../../models/list/modelNames.ts';
import type { CliOptions } from '../arguments.ts';

/**
 * The model of `--model` and `--provider`, or the default. `preferred` is the provider that a word
 * stays with where it fits models of several. Rejects with `UserFacing` for a word that means
 * nothing, and where the model cannot be called.
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

  /** Providers are asked only where what is known says nothing of it. */
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
