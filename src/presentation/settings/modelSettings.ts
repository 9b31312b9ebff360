/** Settings for the model that works on a goal, and for second opinions. */
import * as z from 'zod';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import { declarationOf, providerIds, type ProviderId } from '../../models/providerList.ts';
import { choice, text, type Setting } from './setting.ts';

const providerTexts = Object.fromEntries(
  providerIds.map((id) => [id, declarationOf(id).description]),
) as Readonly<Record<ProviderId, string>>;

const provider = choice<string>({
  default: 'claude',
  description:
    'Default model provider, used when no Helios model is selected in the Chat view. API keys are kept in secret storage: [Set API Key](command:helios.setApiKey).',
  values: providerTexts,
  labels: providerIds.map((id) => declarationOf(id).label),
  scope: 'application',
  engine: 'provider',
  isPreference: true,
  option: '--provider',
});

export const modelSettings = {
  // Ids of user-defined endpoints are also valid.
  'model.provider': { ...provider, written: z.string().trim().min(1) },
  'model.name': text({
    description:
      "Model id, as the provider names it. Empty for the provider's default model. [Select Model](command:helios.selectModel) lists the models with their prices.",
    scope: 'application',
    engine: 'model',
    isPreference: true,
    option: '--model',
  }),
  'model.effort': choice<'default' | NonNullable<EngineSettings['effort']>>({
    default: 'default',
    none: 'default',
    description:
      'Reasoning effort. If the model does not support the level, the nearest supported level is used.',
    values: {
      default: "Use the model's own default.",
      none: 'Do not reason.',
      minimal: 'Reason as little as the model allows.',
      low: 'Reason briefly.',
      medium: 'Reason moderately.',
      high: 'Reason thoroughly.',
      xhigh: 'Reason more thoroughly.',
      max: 'Reason as much as the model allows.',
    },
    engine: 'effort',
    isPreference: true,
    option: '--effort',
  }),
  'consult.provider': text({
    description:
      'Provider of second opinions, such as `openai`. When empty, a provider that is ready and not already in use is chosen.',
    scope: 'application',
    engine: 'consult.provider',
    isPreference: true,
    isRequired: true,
  }),
  'consult.model': text({
    description:
      "Model of second opinions: an id, or an alias such as `gpt`. When empty, the provider's default model is used. Requires `#helios.consult.provider#`.",
    scope: 'application',
    engine: 'consult.model',
    isPreference: true,
  }),
} satisfies Readonly<Record<string, Setting>>;
