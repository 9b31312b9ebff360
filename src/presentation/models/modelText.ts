/** Parses the arguments of `/switch` and `/model`, and formats the answers. */
import type { Effort } from '../../models/effort.ts';
import type { ModelDescription, ModelProvider } from '../../models/model.ts';
import type { ModelCatalogue } from '../../models/modelCatalogue.ts';
import type { NamedModel } from '../../models/list/modelNames.ts';
import type { PriceTable } from '../../models/prices.ts';
import { effortFor } from './effort.ts';
import { pricesText } from './modelAmounts.ts';
import { formatTokens } from '../../base/text.ts';

type NamedProvider = Pick<ModelProvider, 'id' | 'label'>;

/**
 * Parses a provider, a model, or both: `openai opus`, `Anthropic`, `opus 4.6`, `openai/gpt-5.4`.
 * Returns `undefined` for empty text.
 */
export function parseModelArguments(
  text: string,
  providers: readonly NamedProvider[],
): { readonly provider?: string; readonly word: string } | undefined {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const isNamed = ({ id, label }: NamedProvider): boolean =>
    [id, label].some((name) => name.toLowerCase() === first.toLowerCase());
  const provider = providers.find(isNamed);
  if (provider === undefined) return { word: words.join(' ') };
  return { provider: provider.id, word: rest.length === 0 ? 'default' : rest.join(' ') };
}

export interface ModelArgumentsContext {
  readonly catalogue: Pick<ModelCatalogue, 'resolve'>;
  readonly providers: readonly NamedProvider[];
  /** Provider of the session, preferred if a word matches models of several providers. */
  readonly current?: string | undefined;
}

/**
 * Returns the model that the text names; `undefined` for empty text. Throws `UserFacing` for an
 * unknown model.
 */
export function modelFor(
  text: string,
  { catalogue, providers, current }: ModelArgumentsContext,
): NamedModel | undefined {
  const parsed = parseModelArguments(text, providers);
  return parsed && catalogue.resolve(parsed.word, parsed.provider, current);
}

/** The model that a session uses, with its known properties. */
export interface ModelInUse extends NamedModel {
  /** Description from a list of models; `undefined` for a model that is in no list. */
  readonly description: ModelDescription | undefined;
  readonly effort: Effort;
  readonly prices: PriceTable;
}

/**
 * Returns, for example, `claude/claude-opus-5-5 (Claude Opus 5.5) · 1M context, 128K output · $4.00
 * in, $20.00 out per million tokens · reasoning medium`.
 */
export function modelText(used: ModelInUse): string {
  const { provider, model, description, prices } = used;
  const label =
    description === undefined || description.label === model ? '' : ` (${description.label})`;
  const sizes =
    description === undefined
      ? 'sizes unknown'
      : `${formatTokens(description.contextTokens)} context, ${formatTokens(description.maxOutputTokens)} output`;
  const price = pricesText(provider, model, prices);
  const cost =
    price === undefined
      ? 'price unknown'
      : `${price.input} in, ${price.output} out per million tokens`;
  return [`${provider}/${model}${label}`, sizes, cost, reasoningPart(used)].join(' · ');
}

function reasoningPart({ model, description, effort }: ModelInUse): string {
  const answer = effortFor({ ...description, id: model }, effort);
  return answer.effort === undefined ? 'no reasoning effort' : `reasoning ${answer.effort}`;
}

/**
 * Returns the answer to a switch of the model: the new model, that the history is kept, and a note
 * if the requested reasoning effort is not supported.
 */
export function switchedText(used: ModelInUse): string {
  const notes = noteFor(used);
  return `Switched from the next call on: ${modelText(used)}. History and notes are kept.${notes}`;
}

/** Returns the answer to `/reasoning`: the effort that the model will use. */
export function reasoningText(used: ModelInUse): string {
  const answer = effortFor({ ...used.description, id: used.model }, used.effort);
  const said =
    answer.effort === undefined ? '' : `Reasoning effort from the next call on: ${answer.effort}.`;
  return `${said}${noteFor(used)}`.trim();
}

function noteFor({ model, description, effort }: ModelInUse): string {
  const { note } = effortFor({ ...description, id: model }, effort);
  return note === undefined ? '' : ` ${note}`;
}
