/** Reads the answers of endpoints leniently: their formats vary. */
import type { ModelDescription } from '../model.ts';
import { isRecord } from '../textTools/records.ts';

/** An endpoint's description of one of its models. */
export type ToldModel = Partial<
  Omit<ModelDescription, 'id' | 'contextTokens' | 'maxOutputTokens' | 'price'>
> & {
  readonly id: string;
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly price?: ModelDescription['price'] | undefined;
  /**
   * Whether the context size is only the server's default, because the server does not report the
   * actual size.
   */
  readonly isAssumed?: boolean;
};

export type Entry = Readonly<Record<string, unknown>> & { readonly id: string };

/** Returns the entries of `{ data: [{ id }] }` or `{ models: [{ name }] }`. */
export function entriesOf(answer: unknown): Entry[] {
  if (!isRecord(answer)) return [];
  const list = Array.isArray(answer.data)
    ? answer.data
    : Array.isArray(answer.models)
      ? answer.models
      : [];
  return list.filter(isRecord).flatMap((entry) => {
    const id = entry.id ?? entry.model ?? entry.name;
    return typeof id === 'string' && id !== '' ? [{ ...entry, id }] : [];
  });
}

/** Returns a whole number above 0, also from a string. */
export function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0
    ? number
    : undefined;
}

export const words = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : [];
