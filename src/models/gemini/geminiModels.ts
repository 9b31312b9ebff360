/** Models of the Gemini API: those that are known, and what the API says it has. */
import type { GoogleGenAI, Model } from '@google/genai/web';
import { newestId } from '../catalogue.ts';
import type { ModelDescription } from '../model.ts';
import { geminiEfforts } from './geminiThinking.ts';

const describe = (id: string, label: string, isRetiring?: true): ModelDescription => ({
  id,
  label,
  contextTokens: 1_048_576,
  maxOutputTokens: defaultMaxOutputTokens,
  efforts: geminiEfforts(id),
  ...(isRetiring && { isRetiring }),
});

/** Of all models that are known; Gemini 4 could write longer ones than anybody waits for. */
export const defaultMaxOutputTokens = 65_536;

export const geminiModels: readonly ModelDescription[] = [
  describe('gemini-4-argon', 'Gemini 4 Argon'),
  describe('gemini-3.8-flash', 'Gemini 3.8 Flash'),
  describe('gemini-3.5-flash', 'Gemini 3.5 Flash'),
  describe('gemini-3.5-flash-lite', 'Gemini 3.5 Flash-Lite'),
  describe('gemini-3.1-pro-preview', 'Gemini 3.1 Pro (preview)'),
  describe('gemini-3.1-flash-lite', 'Gemini 3.1 Flash-Lite'),
  describe('gemini-2.5-pro', 'Gemini 2.5 Pro', true),
  describe('gemini-2.5-flash', 'Gemini 2.5 Flash', true),
  describe('gemini-2.5-flash-lite', 'Gemini 2.5 Flash-Lite'),
];

/** Argon is above Flash, but answers no key without billing. */
export const defaultGeminiFamily = 'flash';
export const defaultGeminiModel = newestId(geminiModels, defaultGeminiFamily);

/** Answers that are no text, or no answers to a conversation. */
const otherUses = /(^|-)(tts|image|audio|live|robotics|computer-use|embedding)(-|$)/;

/** What the API has for conversations. */
export async function listGemini(client: GoogleGenAI, abortSignal: AbortSignal): Promise<readonly ModelDescription[]> {
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
  if (!supportedActions?.includes('generateContent') || otherUses.test(id) || inputTokenLimit === undefined) return [];
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
