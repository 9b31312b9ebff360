/** What Anthropic says of its models. */
import type { ModelCapabilities, ModelInfo } from '@anthropic-ai/sdk/resources/models';
import { claudeEfforts, claudeModels, describedModel } from '../catalogue.ts';
import type { Effort, ModelDescription } from '../model.ts';

/** Of a model that is new to us and described by nobody. */
const assumed = { contextTokens: 200_000, maxOutputTokens: 32_000 };

/** Services that imitate the API leave most of it out. */
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
    // An epoch value stands for a date that is not known.
    ...(releasedMs > 0 && { releasedMs }),
    ...(told.lifecycle === 'deprecated' && { isRetiring: true }),
  };
}

/** A model that takes no effort is told how many tokens to think. */
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
