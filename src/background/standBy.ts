/** Waits for the end of a window. Loads nothing of the engine while the window lives. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Resolves with the last valid JSON line when the input ends for any reason. Reports any other
 * line, such as one that was cut off, to `refuse` by its length only.
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
