/** The answers of endpoints, read with care: none of them keeps to one form. */
import type { ModelDescription } from '../model.ts';
import { isRecord } from '../textTools/records.ts';

/** What an endpoint says of one of its models. */
export type ToldModel = Partial<
  Omit<ModelDescription, 'id' | 'contextTokens' | 'maxOutputTokens' | 'price'>
> & {
  readonly id: string;
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly price?: ModelDescription['price'] | undefined;
  /**
   * The context size is what such a server has unless it is told another one; it does not say which
   * it has.
   */
  readonly isAssumed?: boolean;
};

export type Entry = Readonly<Record<string, unknown>> & { readonly id: string };

/** The entries of `{ data: [{ id }] }`, or of `{ models: [{ name }] }`. */
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

/** A whole number above 0, also where it is written as a text. */
export function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0
    ? number
    : undefined;
}

export const words = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : [];
