/**
 * Families of models, read from their ids: which models are of one kind, and which is the newest.
 */
import type { ModelDescription } from './model.ts';

type Named = Pick<ModelDescription, 'id' | 'family' | 'isRetiring' | 'releasedMs'>;

interface Kind {
  /** For example `claude-opus`, `gpt`, `gpt-mini`, `codex`, `gemini`, `gemini-flash`. */
  readonly family: string;
  /** Version in the id: `[4, 6]` for `claude-opus-4-6`, empty if the id has no version. */
  readonly version: readonly number[];
  readonly isPreview: boolean;
}

/**
 * Families whose users know them by a shorter name: OpenAI's size names since GPT-5.6, and the
 * default sizes of Gemini.
 */
const otherNames: Readonly<Record<string, string>> = {
  'gpt-sol': 'gpt',
  'gpt-luna': 'gpt-mini',
  'gemini-pro': 'gemini',
  'gemini-argon': 'gemini',
};

/** Matches the maker in a family name. Aliases omit the maker: `opus`, `flash`. */
const makers = /^(claude|gemini)-/;

/**
 * Returns the newest model of the family that an alias names (`opus`, `gpt-mini`, `codex`). An
 * alias with a version, such as `sonnet-4.6`, matches only that version. Skips retiring models.
 * Returns `undefined` if no model matches.
 */
export function newestOf<Model extends Named>(
  models: readonly Model[],
  alias: string,
): Model | undefined {
  return newestFirst(models, alias)[0];
}

/** Returns all models that match the alias as in `newestOf`, the newest first. */
export function newestFirst<Model extends Named>(
  models: readonly Model[],
  alias: string,
): readonly Model[] {
  const wanted = kindOf({ id: alias.trim().replace(/\s+/g, '-') });
  return models
    .filter((model) => model.isRetiring !== true && isMeant(wanted, kindOf(model)))
    .sort((one, other) => compareAge(other, one));
}

/** Returns the alias by which a user would name the model: `opus` for `claude-opus-4-6`. */
export const aliasOf = (model: Pick<ModelDescription, 'id' | 'family'>): string =>
  kindOf(model).family.replace(makers, '');

function isMeant(wanted: Kind, { family, version }: Kind): boolean {
  const isOfFamily = wanted.family === family || wanted.family === family.replace(makers, '');
  return (
    isOfFamily && (wanted.version.length === 0 || compareVersions(wanted.version, version) === 0)
  );
}

/**
 * Compares two models for sorting: below 0 if `one` is older. For equal versions, a final release
 * counts as newer than a preview. For equal versions and kinds of release, the release time
 * decides, and then the shorter id counts as newer.
 */
function compareAge(one: Named, other: Named): number {
  const [a, b] = [kindOf(one), kindOf(other)];
  return (
    compareVersions(a.version, b.version) ||
    Number(b.isPreview) - Number(a.isPreview) ||
    (one.releasedMs ?? 0) - (other.releasedMs ?? 0) ||
    other.id.length - one.id.length
  );
}

function compareVersions(one: readonly number[], other: readonly number[]): number {
  const length = Math.max(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const dates = /-(\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}|\d{3,4}|latest)$/;
const previews = new Set(['preview', 'exp', 'experimental', 'beta']);

function kindOf({ id, family }: Pick<ModelDescription, 'id' | 'family'>): Kind {
  const tokens = plainName(id).split('-');
  const words: string[] = [];
  let version: number[] = [];
  for (const [index, token] of tokens.entries()) {
    const [, word, number] = /^([a-z]*)(\d+(?:\.\d+)*)o?$/.exec(token) ?? [];
    if (number === undefined) words.push(token);
    else {
      if (word) words.push(word);
      // A hyphen may separate parts of a version. A number after another word is not part of the
      // version.
      if (version.length === 0 || /^\d+$/.test(tokens[index - 1] ?? ''))
        version = [...version, ...numbersOf(number)];
    }
  }
  const name = words.filter((word) => word !== '' && !previews.has(word)).join('-');
  return {
    family: family ?? otherNames[name] ?? name.replace(/^gpt-codex/, 'codex'),
    version,
    isPreview: words.some((word) => previews.has(word)),
  };
}

const numbersOf = (version: string): number[] => version.split('.').map(Number);

/** Removes the reseller, region and maker before the name, and the date and revision after it. */
function plainName(id: string): string {
  const name = id
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]{2,}\.)+(?=[a-z])/, '')
    .replaceAll('@', '-')
    .replace(/-v\d+(:\d+)?$/, '');
  const undated = name.replace(dates, '');
  // The date may stand before the word `preview`.
  return undated
    .replace(/-preview(-\d{2}-\d{2,4})?$/, '-preview')
    .replace(/-(\d{8}|\d{2}-\d{2,4})-preview$/, '-preview');
}
