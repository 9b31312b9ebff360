/**
 * Waits until the window is closed. Does not import the engine, to keep the waiting process small.
 */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Reads lines until the input ends for any reason, and resolves with the last line that is valid
 * JSON; `undefined` if there is none. For each line that is not valid JSON, such as a truncated
 * one, calls `refuse` with a message that states the length of the line but not its content.
 */
export async function lastMessages(
  input: Readable,
  refuse: (problem: string) => void,
): Promise<string | undefined> {
  let last: string | undefined;
  const lines = createInterface({ input, crlfDelay: Infinity });
  lines.on('line', (line) => {
    if (isJson(line)) last = line;
    else refuse(`A line of ${line.length} characters is not JSON and was ignored.`);
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
