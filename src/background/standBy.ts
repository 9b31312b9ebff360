/**
 * Waits beside a window for its end. As long as the window lives nothing is done, and nothing of
 * the engine is loaded.
 */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Resolves when the input ends, for whatever reason, with the last line that is JSON: what the
 * window said last. A line that was cut short by its death does not count; any other that is no
 * JSON is told to `refuse`, by its length alone.
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
