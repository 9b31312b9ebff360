/** Finds secrets in a text by their form and by their names. Takes linear time. */
import { assignedSecrets } from './assignments.ts';
import { carried } from './carriers.ts';
import { envLineSecrets } from './envFiles.ts';
import { privateKeys } from './privateKeys.ts';
import { joinSpans, type SecretSpan } from './secretSpan.ts';
import { tokens } from './tokenShapes.ts';

/**
 * Returns the secrets in the text, in order and without overlaps. Finds nothing in numbers, paths,
 * hashes and identifiers.
 */
export function findSecrets(text: string): SecretSpan[] {
  if (text.length < 6) return [];
  const readable = withoutEscapes(text);
  return joinSpans([
    ...privateKeys(text),
    ...tokens(readable),
    ...carried(readable),
    ...assignedSecrets(readable),
    ...envLineSecrets(readable),
  ]);
}

const escapes = /\u001b\[[\d;]*m|(?<!\\)\\+["'nrt]/g;

/**
 * Replaces colour codes and the escapes of JSON by spaces, so that words begin where they begin for
 * a reader. The offsets stay the same; an escaped quote stays a quote.
 */
const withoutEscapes = (text: string): string =>
  text.includes('\u001b') || text.includes('\\')
    ? text.replace(escapes, (escape: string, offset: number) => spaced(escape, text[offset - 1]))
    : text;

/** Returns an escape as spaces. An escaped quote stays beside the word that it ends or begins. */
function spaced(escape: string, before = ''): string {
  const quote = /["']$/.exec(escape)?.[0] ?? '';
  const spaces = ' '.repeat(escape.length - quote.length);
  return /\w/.test(before) ? quote + spaces : spaces + quote;
}
