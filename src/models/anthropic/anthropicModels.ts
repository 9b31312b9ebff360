/** Reads Anthropic's descriptions of its models. */
import type { ModelCapabilities, ModelInfo } from '@anthropic-ai/sdk/resources/models';
import { claudeEfforts, claudeModels, describedModel } from '../catalogue.ts';
import type { Effort, ModelDescription } from '../model.ts';

/** Sizes of a model that is neither in our list nor described by the service. */
const assumed = { contextTokens: 200_000, maxOutputTokens: 32_000 };

/** Description of a model by the service. Services that imitate the API omit most fields. */
type Told = Pick<ModelInfo, 'id'> & Partial<ModelInfo>;

export function claudeDescription(told: Told): ModelDescription {
  const known = describedModel(claudeModels, told.id) ?? { ...assumed, label: told.id };
  const releasedMs = Date.parse(told.created_at ?? '');
  return {
    id: told.id,
    label: told.display_name || known.label,
    contextTokens: told.max_input_tokens ?? known.contextTokens,
    maxOutputTokens: told.max_tokens ?? known.maxOutputTokens,
    efforts: effortsOf(told.id, told.capabilities),
    ...(told.capabilities && { acceptsImages: told.capabilities.image_input.supported }),
    ...(told.line && { family: `claude-${told.line}` }),
    // The service reports an unknown date as the epoch.
    ...(releasedMs > 0 && { releasedMs }),
    ...(told.lifecycle === 'deprecated' && { isRetiring: true }),
  };
}

/**
 * Returns the efforts of a model. For a model without the effort parameter, an effort is sent as a
 * token budget.
 */
function effortsOf(
  id: string,
  capabilities: ModelCapabilities | null | undefined,
): readonly Effort[] {
  const efforts = claudeEfforts(id);
  const told = capabilities?.effort;
  return told?.supported === true
    ? efforts.filter((effort) => effort === 'none' || told[effort].supported)
    : efforts;
}
