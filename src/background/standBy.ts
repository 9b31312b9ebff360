/** Waits until a window is closed. Loads no part of the engine before. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Reads lines until the input ends for any reason, and resolves with the last one that is valid
 * JSON. For each other line, such as one that was truncated, calls `refuse` with its length but not
 * its content.
 */
export async function lastMessages(
  input: Readable,
  refuse: (problem: string) => void,
): Promise<string | undefined> {
  let last: string | undefined;
  const lines = createInterface({ input, crlfDelay: Infinity });
  lines.on('line', (line) => {
    if (isJson(line)) last = line;
    else refuse(`A line of ${line.length} characters is not JSON and was left out.`);
  });
  const ended = new Promise<void>((resolve) => lines.once('close', resolve));
  input.once('error', () => lines.close());
  await ended;
  return last;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
