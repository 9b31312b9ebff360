/** Reads what is recorded of a run's output when the run has ended. */
import { messageOf } from '../../base/errors.ts';
import { capText, cleanText } from '../../base/text.ts';
import { nearestLine } from '../../metrics/unreadMetrics.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { Runs } from '../../runs/runs.ts';

type Output = Pick<Runs, 'output'>;

const tailLines = 30;
const searchedLines = 2000;

/**
 * Resolves with the line that is most similar to an unread metric; `undefined` if there is none.
 */
export async function lineNearest(
  runs: Output,
  run: Run,
  unread: readonly string[],
): Promise<string | undefined> {
  const output = await runs.output(run, { lines: searchedLines }).catch(() => undefined);
  return nearestLine(output?.text ?? '', unread, run.spec.metrics);
}

/** Resolves with the last lines of the output, at most `maxChars`; `undefined` if it is empty. */
export async function outputTail(
  runs: Output,
  run: Run,
  maxChars: number,
): Promise<string | undefined> {
  try {
    const { text } = await runs.output(run, { lines: tailLines });
    return text.trim() === '' ? undefined : capText(cleanText(text), maxChars).text;
  } catch (error) {
    return `(its output could not be read: ${messageOf(error)})`;
  }
}
