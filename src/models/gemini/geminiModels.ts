/** Models of the Gemini API: the known models, and those that the API lists. */
import type { GoogleGenAI, Model } from '@google/genai/web';
import { newestId } from '../catalogue.ts';
import { describedModels } from '../knownModels.ts';
import type { ModelDescription } from '../model.ts';
import { geminiEfforts } from './geminiThinking.ts';

export const geminiModels = describedModels('gemini', geminiEfforts);

/**
 * Output limit, in tokens, of all known models except Gemini 4, whose limit is larger than useful.
 */
export const defaultMaxOutputTokens = 65_536;

/**
 * Family of the default model. The models named Argon are stronger than Flash, but reject API keys of
 * projects without billing.
 */
export const defaultGeminiFamily = 'flash';
export const defaultGeminiModel = newestId(geminiModels, defaultGeminiFamily);

/** Matches ids of models that do not write text or do not hold conversations. */
const otherUses = /(^|-)(tts|image|audio|live|robotics|computer-use|embedding)(-|$)/;

/** Lists the models of the API that hold conversations. */
export async function listGemini(
  client: GoogleGenAI,
  abortSignal: AbortSignal,
): Promise<readonly ModelDescription[]> {
  const found: ModelDescription[] = [];
  for await (const model of await client.models.list({ config: { pageSize: 1000, abortSignal } }))
    found.push(...described(model));
  return found;
}

function described({
  name = '',
  displayName,
  inputTokenLimit,
  outputTokenLimit,
  supportedActions,
}: Model): ModelDescription[] {
  const id = name.replace(/^models\//, '');
  if (
    !supportedActions?.includes('generateContent') ||
    otherUses.test(id) ||
    inputTokenLimit === undefined
  )
    return [];
  const known = geminiModels.find((model) => model.id === id);
  return [
    {
      id,
      label: displayName ?? known?.label ?? id,
      contextTokens: inputTokenLimit,
      maxOutputTokens: outputTokenLimit ?? defaultMaxOutputTokens,
      efforts: geminiEfforts(id),
      ...(known?.isRetiring && { isRetiring: true }),
    },
  ];
}
