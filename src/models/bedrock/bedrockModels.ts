/** Claude models under their AWS ids: the known models, and those that AWS lists. */
import type { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import * as z from 'zod';
import { claudeEfforts, claudeModels, describedModel, newestId } from '../catalogue.ts';
import type { ModelDescription } from '../model.ts';

/** Assumed limits of a model that is neither in the built-in list nor described by AWS. */
const assumed = { contextTokens: 200_000, maxOutputTokens: 32_000 };

/**
 * Returns Anthropic's id for an AWS id, such as `claude-opus-4-6` for
 * `global.anthropic.claude-opus-4-6-v1`. The AWS id may also be the id of a regional inference
 * profile, or an ARN.
 */
const claudeIdOf = (id: string): string =>
  id.replace(/^.*anthropic\./, '').replace(/-v\d+(:\d+)*$/, '');

export function bedrockDescription(id: string, label?: string): ModelDescription {
  const claudeId = claudeIdOf(id);
  const known = describedModel(claudeModels, claudeId) ?? assumed;
  const { contextTokens, maxOutputTokens } = known;
  const ownLabel = 'label' in known ? known.label : id;
  return {
    id,
    label: label ?? ownLabel,
    contextTokens,
    maxOutputTokens,
    efforts: claudeEfforts(claudeId),
  };
}

/**
 * Known Claude models, with the ids of the inference profiles that route to any region. Such
 * profiles are the cheapest, and newer models can only be called through a profile.
 */
export const bedrockModels: readonly ModelDescription[] = [
  'global.anthropic.claude-opus-5-5',
  'global.anthropic.claude-sonnet-5-5',
  'global.anthropic.claude-opus-4-6-v1',
  'global.anthropic.claude-sonnet-4-6',
  'global.anthropic.claude-haiku-4-5-20251001-v1:0',
].map((id) => bedrockDescription(id));

export const defaultBedrockFamily = 'opus';
export const defaultBedrockModel = newestId(bedrockModels, defaultBedrockFamily);

const profiles = z.object({
  inferenceProfileSummaries: z
    .array(
      z.object({
        inferenceProfileId: z.string(),
        inferenceProfileName: z.string(),
        status: z.string().optional(),
      }),
    )
    .default([]),
  nextToken: z.string().nullish(),
});

const foundations = z.object({
  modelSummaries: z
    .array(
      z.object({ modelId: z.string(), modelLifecycle: z.object({ status: z.string() }).nullish() }),
    )
    .default([]),
});

/** Lists the inference profiles for Claude that the account may use in the client's region. */
export async function listBedrock(
  client: AnthropicBedrock,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const retiring = await retiringModels(client, signal);
  const found: ModelDescription[] = [];
  let nextToken: string | null | undefined;
  do {
    const query = {
      maxResults: 1000,
      typeEquals: 'SYSTEM_DEFINED',
      ...(nextToken && { nextToken }),
    };
    const page = profiles.parse(await client.get('/inference-profiles', { query, signal }));
    for (const {
      inferenceProfileId: id,
      inferenceProfileName: label,
    } of page.inferenceProfileSummaries)
      if (id.includes('anthropic.claude'))
        found.push({
          ...bedrockDescription(id, label),
          ...(retiring.has(claudeIdOf(id)) && { isRetiring: true }),
        });
    nextToken = page.nextToken;
  } while (nextToken);
  return found;
}

async function retiringModels(
  client: AnthropicBedrock,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const query = { byProvider: 'Anthropic' };
  const { modelSummaries } = foundations.parse(
    await client.get('/foundation-models', { query, signal }),
  );
  const legacy = modelSummaries.filter(({ modelLifecycle }) => modelLifecycle?.status === 'LEGACY');
  return new Set(legacy.map(({ modelId }) => claudeIdOf(modelId)));
}
