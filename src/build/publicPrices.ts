/**
 * Updates the token limits and the prices in `src/models/catalogue.json` from a public list of
 * models in the format of models.dev.
 */
import * as z from 'zod';

const tokens = z.int().positive();
const dollars = z.number().nonnegative();

const knownModel = z.strictObject({
  /** Why an entry is maintained by hand. */
  why: z.string().optional(),
  label: z.string().optional(),
  contextTokens: tokens.optional(),
  maxOutputTokens: tokens.optional(),
  isRetiring: z.boolean().optional(),
  acceptsImages: z.boolean().optional(),
  price: z
    .strictObject({ input: dollars, output: dollars, cacheRead: dollars, cacheWrite: dollars })
    .optional(),
  long: z
    .strictObject({ contextTokens: tokens, inputFactor: dollars, outputFactor: dollars })
    .optional(),
});
const knownModels = z.record(z.string(), z.record(z.string(), knownModel));

export const catalogueShape = z.strictObject({
  listed: knownModels,
  own: knownModels,
  searchUsd: z.record(z.string(), dollars),
});

const cost = z.object({
  input: dollars,
  output: dollars,
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
});
const publicModel = z.object({
  name: z.string(),
  release_date: z.string(),
  tool_call: z.boolean(),
  limit: z.object({ context: z.int(), output: z.int() }),
  cost: cost
    .extend({ tiers: z.array(cost.extend({ tier: z.object({ size: tokens }) })).optional() })
    .optional(),
});
/**
 * Models of a provider in the list. A model that does not match the schema is treated as missing.
 */
const publicProvider = z.object({
  models: z.record(z.string(), publicModel.optional().catch(undefined)),
});

export const publicShape = z.object({
  anthropic: publicProvider,
  openai: publicProvider,
  google: publicProvider,
});

type KnownModel = z.infer<typeof knownModel>;
type PublicModel = z.infer<typeof publicModel>;
type PublicModels = Readonly<Record<string, PublicModel | undefined>>;
export type Catalogue = z.infer<typeof catalogueShape>;
export type PublicList = z.infer<typeof publicShape>;

export interface Refreshed {
  readonly catalogue: Catalogue;
  readonly changes: readonly string[];
  /** Implausible values in the list, as text; empty if there are none. */
  readonly doubts: readonly string[];
  /** Models of the catalogue that the list does not have. Their entries stay unchanged. */
  readonly unlisted: readonly string[];
  /** Recently released models that the list has and the catalogue does not. */
  readonly newcomers: readonly string[];
}

/** Names of providers: the id in Helios → the name in the list. */
const publicNames: Readonly<Record<string, keyof PublicList>> = {
  claude: 'anthropic',
  openai: 'openai',
  gemini: 'google',
};
/** If a value changes by more than this factor, up or down, the list is considered wrong. */
const likelyFactor = 10;
/**
 * If the list has less than this share (0 to 1) of the models that the catalogue has for a
 * provider, the list is considered broken.
 */
const minShare = 0.5;
const newcomerDays = 180;

/**
 * Updates the token limits and the prices of the models in the catalogue from the list, and adds
 * the models in `added`, each written as `provider/model`.
 */
export function refresh(
  catalogue: Catalogue,
  list: PublicList,
  added: readonly string[] = [],
): Refreshed {
  const listed: Catalogue['listed'] = {};
  const changes: string[] = [];
  const doubts: string[] = [];
  const unlisted: string[] = [];
  const newcomers: string[] = [];
  for (const [provider, models] of Object.entries(catalogue.listed)) {
    const found = publicModels(list, provider);
    const catalogueModels = { ...models, ...newEntries(provider, added, found) };
    const absent = Object.keys(catalogueModels).filter((id) => found[id] === undefined);
    const [all, foundCount] = [
      Object.keys(catalogueModels).length,
      Object.keys(catalogueModels).length - absent.length,
    ];
    if (foundCount < all * minShare)
      doubts.push(`The list has ${foundCount} of ${all} models of ${provider}.`);
    unlisted.push(...absent.map((id) => `${provider}/${id}`));
    newcomers.push(...newcomersOf(found, catalogueModels).map((id) => `${provider}/${id}`));
    listed[provider] = Object.fromEntries(
      Object.entries(catalogueModels).map(([id, model]) => {
        const next = updated(model, found[id]);
        const compared = compare(`${provider}/${id}`, models[id] ?? {}, next);
        changes.push(...compared.map(({ text }) => text));
        doubts.push(...compared.filter(({ isLikely }) => !isLikely).map(({ text }) => text));
        return [id, next];
      }),
    );
  }
  return { catalogue: { ...catalogue, listed }, changes, doubts, unlisted, newcomers };
}

/** Returns the catalogue as the text of its file, with each object on one line if it fits. */
export function catalogueText(catalogue: Catalogue): string {
  const text = JSON.stringify(catalogue, undefined, 2).replace(
    /^(.*)(\{[^{}]*\})(?=(,?)$)/gm,
    (whole, before, object) => {
      const line = `${before}${String(object).replace(/\s+/g, ' ')}`;
      return line.length < 100 ? line : String(whole);
    },
  );
  return `${text}\n`;
}

function publicModels(list: PublicList, provider: string): PublicModels {
  const name = publicNames[provider];
  return name === undefined ? {} : list[name].models;
}

function newEntries(
  provider: string,
  added: readonly string[],
  found: PublicModels,
): Readonly<Record<string, KnownModel>> {
  const ids = added
    .filter((name) => name.startsWith(`${provider}/`))
    .map((name) => name.slice(provider.length + 1));
  return Object.fromEntries(
    ids.flatMap((id) => (found[id] === undefined ? [] : [[id, { label: found[id].name }]])),
  );
}

/**
 * Returns the model with the token limits and the price of the list, or unchanged if the list has
 * no price for it. If the model has no label, only its price is updated.
 */
function updated(model: KnownModel, found: PublicModel | undefined): KnownModel {
  if (found?.cost === undefined) return model;
  const { long: _, ...others } = model;
  const {
    input,
    output,
    cache_read: cacheRead = input,
    cache_write: cacheWrite = input,
    tiers = [],
  } = found.cost;
  const [tier] = tiers.toSorted((one, other) => one.tier.size - other.tier.size);
  return {
    ...others,
    ...(model.label !== undefined && {
      contextTokens: found.limit.context,
      maxOutputTokens: found.limit.output,
    }),
    price: { input, output, cacheRead, cacheWrite },
    ...(tier && {
      long: {
        contextTokens: tier.tier.size,
        inputFactor: rounded(tier.input / input),
        outputFactor: rounded(tier.output / output),
      },
    }),
  };
}

const rounded = (factor: number): number => Number(factor.toPrecision(4));

function newcomersOf(found: PublicModels, ours: Readonly<Record<string, unknown>>): string[] {
  const releasedMs = (model?: PublicModel): number => Date.parse(model?.release_date ?? '') || 0;
  const newestMs = Math.max(...Object.values(found).map(releasedMs));
  const sinceMs = newestMs - newcomerDays * 86_400_000;
  return Object.entries(found)
    .filter(
      ([id, model]) =>
        ours[id] === undefined && model?.tool_call === true && releasedMs(model) >= sinceMs,
    )
    .map(([id]) => id);
}

interface Change {
  readonly text: string;
  readonly isLikely: boolean;
}

function compare(name: string, before: KnownModel, after: KnownModel): readonly Change[] {
  const [old, now] = [figuresOf(before), figuresOf(after)];
  return Object.keys({ ...old, ...now }).flatMap((field) => {
    const [from, to] = [old[field], now[field]];
    if (from === to) return [];
    const ratio = from === undefined || to === undefined ? 1 : to / from;
    const isLikely = ratio < likelyFactor && ratio > 1 / likelyFactor;
    return [{ text: `${name} ${field}: ${from ?? 'none'} → ${to ?? 'none'}`, isLikely }];
  });
}

function figuresOf({
  contextTokens,
  maxOutputTokens,
  price,
  long,
}: KnownModel): Readonly<Record<string, number>> {
  const figures = { contextTokens, maxOutputTokens, ...price };
  const ofLong = Object.entries(long ?? {}).map(
    ([field, value]) => [`long.${field}`, value] as const,
  );
  return Object.fromEntries(
    [...Object.entries(figures), ...ofLong].flatMap(([field, value]) =>
      value === undefined ? [] : [[field, value]],
    ),
  );
}
