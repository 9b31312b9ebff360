/** Resolves the name that a user gives for a model. */
import { UserFacing } from '../../base/errors.ts';
import { describedModel, undatedId } from '../catalogue.ts';
import type { ModelDescription } from '../model.ts';
import { aliasOf, newestOf } from '../modelFamily.ts';
import { nearMatches } from '../../base/nearMatches.ts';

/** The models of one provider. */
export interface Shelf {
  readonly provider: string;
  readonly label: string;
  /** The models that the provider offers now. */
  readonly models: readonly ModelDescription[];
  /**
   * The provider's models in the built-in list, including those that the provider does not list.
   */
  readonly known: readonly ModelDescription[];
}

export interface NamedModel {
  readonly provider: string;
  readonly model: string;
}

/**
 * Resolves a name to a model. `shelves` are in order of preference. Throws `UserFacing` when
 * nothing matches.
 */
export function findModel(word: string, shelves: readonly Shelf[]): NamedModel {
  const slash = word.indexOf('/');
  const owner = shelves.find(({ provider }) => provider === word.slice(0, Math.max(0, slash)));
  if (owner !== undefined)
    return { provider: owner.provider, model: modelOn(owner, word.slice(slash + 1), shelves) };
  for (const find of [exactId, aliasedId])
    for (const shelf of shelves) {
      const model = find(shelf, word);
      if (model !== undefined) return { provider: shelf.provider, model };
    }
  throw unknown(word, shelves);
}

/**
 * Resolves a name to a model of this provider. Returns an unlisted id unchanged, since endpoints
 * have private models. Throws `UserFacing` for an alias of another provider's model, and for a name
 * that looks like a misspelt alias.
 */
export function modelOn(shelf: Shelf, word: string, shelves: readonly Shelf[] = [shelf]): string {
  const name = word.startsWith(`${shelf.provider}/`) ? word.slice(shelf.provider.length + 1) : word;
  const found = exactId(shelf, word) ?? exactId(shelf, name) ?? aliasedId(shelf, name);
  if (found !== undefined) return found;
  const others = shelves
    .filter((each) => aliasedId(each, name) !== undefined)
    .map(({ provider }) => provider);
  if (others.length > 0)
    throw new UserFacing(
      `${shelf.label} has no ${name}.`,
      `Choose another model, or a provider that has it: ${others.join(', ')}.`,
    );
  const isName = !/[\d/]/.test(name);
  if (name.trim() === '' || (isName && nearMatches(name, aliasesOf(shelf.models)).length > 0))
    throw unknown(name, [shelf]);
  return name;
}

/**
 * Matches ids exactly. Also matches a dated form of a listed id, and the undated form of a listed
 * id with a date.
 */
function exactId({ models, known }: Shelf, word: string): string | undefined {
  const lowerCase = word.toLowerCase();
  const listed = [...models, ...known];
  const same = listed.find(({ id }) => id.toLowerCase() === lowerCase);
  if (same !== undefined) return same.id;
  const isDated =
    describedModel(listed, word) !== undefined || listed.some(({ id }) => undatedId(id) === word);
  return isDated ? word : undefined;
}

const aliasedId = ({ models }: Shelf, word: string): string | undefined =>
  newestOf(models, word)?.id;

const aliasesOf = (models: readonly ModelDescription[]): string[] => [
  ...new Set(models.map(aliasOf)),
];

function unknown(word: string, shelves: readonly Shelf[]): UserFacing {
  const near = nearMatches(
    word,
    shelves.flatMap(({ models }) => [...aliasesOf(models), ...models.map(({ id }) => id)]),
  );
  const suggestion =
    near.length > 0 ? `Did you mean ${near.join(', or ')}?` : 'List the models to see their names.';
  return new UserFacing(
    `There is no model ${word}.`,
    `${suggestion} Write an unlisted model as provider/model.`,
  );
}
