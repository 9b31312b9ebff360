/** Reads Anthropic's descriptions of its models. */
import type { ModelCapabilities, ModelInfo } from '@anthropic-ai/sdk/resources/models';
import { claudeEfforts, claudeModels, describedModel } from '../catalogue.ts';
import type { Effort } from '../effort.ts';
import type { ModelDescription } from '../model.ts';

/** Assumed limits of a model that is neither in the built-in list nor described by the service. */
const assumed = { contextTokens: 200_000, maxOutputTokens: 32_000 };

/** Description of a model by the service. Services that imitate the API omit most fields. */
type ReportedModel = Pick<ModelInfo, 'id'> & Partial<ModelInfo>;

export function claudeDescription(info: ReportedModel): ModelDescription {
  const known = describedModel(claudeModels, info.id) ?? { ...assumed, label: info.id };
  const releasedMs = Date.parse(info.created_at ?? '');
  return {
    id: info.id,
    label: info.display_name || known.label,
    contextTokens: info.max_input_tokens ?? known.contextTokens,
    maxOutputTokens: info.max_tokens ?? known.maxOutputTokens,
    efforts: effortsOf(info.id, info.capabilities),
    ...(info.capabilities && { acceptsImages: info.capabilities.image_input.supported }),
    ...(info.line && { family: `claude-${info.line}` }),
    // The service reports an unknown date as the epoch.
    ...(releasedMs > 0 && { releasedMs }),
    ...(info.lifecycle === 'deprecated' && { isRetiring: true }),
  };
}

/**
 * Returns the efforts that a model accepts. A model without the effort parameter accepts all
 * efforts, since each is then sent as a token budget.
 */
function effortsOf(
  id: string,
  capabilities: ModelCapabilities | null | undefined,
): readonly Effort[] {
  const efforts = claudeEfforts(id);
  const support = capabilities?.effort;
  if (support?.supported !== true) return efforts;
  return efforts.filter(
    (effort) => effort === 'none' || (effort !== 'minimal' && support[effort]?.supported === true),
  );
}
