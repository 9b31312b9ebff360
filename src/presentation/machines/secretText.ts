/** Text of the question for a secret of a host. */
import { cleanText, oneLine } from '../../base/text.ts';
import type { SecretQuestion } from '../../machines/machinePrompts.ts';

const maxPromptChars = 120;

/**
 * Returns what is asked for and by which host, without punctuation at the end. Text of the server
 * is quoted and truncated, so that it cannot pass for a question of Helios or of another host.
 */
export function secretText({ kind, host, prompt }: SecretQuestion): string {
  const { address } = host;
  if (kind === 'password') return `Password for ${address}`;
  if (kind === 'passphrase') return `Passphrase for the key ${prompt}, to log in to ${address}`;
  return `${address} asks: “${serverText(prompt)}”`;
}

/**
 * Returns a server's text on one line: without control and formatting characters, quotation marks
 * that could end the quotation, and links, which VS Code would make clickable.
 */
const serverText = (text: string): string =>
  oneLine(cleanText(text).replace(/\s/g, ' ').replace(/\p{C}/gu, ''), maxPromptChars)
    .replace(/["“”„‟]/g, "'")
    .replaceAll('](', '] (');
