/**
 * Parsers of option values. For an invalid value, a parser throws `InvalidArgumentError`, to which
 * commander adds the name of the option.
 */
import { InvalidArgumentError } from 'commander';

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Must not be empty.');
  return text;
}

export function wholeNumber(text: string): number {
  const value = /^\s*\d+\s*$/.test(text) ? Number(text) : NaN;
  if (value > 0 && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Must be a whole number above 0, such as 50.');
}

export function positiveNumber(text: string): number {
  const value = /^\s*\d*\.?\d+\s*$/.test(text) ? Number(text) : NaN;
  if (value > 0) return value;
  throw new InvalidArgumentError('Must be a number above 0, such as 1.5.');
}
