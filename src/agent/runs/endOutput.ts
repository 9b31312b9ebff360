/** Reads the output of a run for the event `run.ended`. */
import { messageOf } from '../../base/errors.ts';
import { capText, cleanText } from '../../base/text.ts';
import { nearestLine, unreadMetrics } from '../../metrics/unreadMetrics.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { Verdict } from '../../runs/run.ts';
import type { Runs } from '../../runs/runs.ts';
import type { EventOf } from '../journal/describeEvent.ts';

const tailChars = 3_000;

/**
 * Resolves with the names of the metrics that the launch named and of which no value was read, and
 * with the line of output that is most similar to one of them. Also resolves with the end of the
 * output if the run did not succeed, or if no line is similar. Never rejects.
 */
export async function endOutput(
  runs: Pick<Runs, 'output'>,
  run: Run,
  verdict: Verdict,
): Promise<Pick<EventOf<'run.ended'>, 'unread' | 'nearestLine' | 'outputTail'>> {
  const unread = unreadMetrics(run.spec.metrics, run.metrics.summaries());
  const nearest = unread.length === 0 ? undefined : await lineNearest(runs, run, unread);
  const isExplained = unread.length === 0 || nearest !== undefined;
  const tail = verdict.kind === 'ok' && isExplained ? undefined : await tailOf(runs, run);
  return {
    ...(unread.length > 0 && { unread }),
    ...(nearest !== undefined && { nearestLine: nearest }),
    ...(tail !== undefined && { outputTail: tail }),
  };
}

/** Resolves with the line that is most similar to a metric; `undefined` if there is none. */
export async function lineNearest(
  runs: Pick<Runs, 'output'>,
  run: Run,
  metrics: readonly string[],
): Promise<string | undefined> {
  const output = await runs.output(run, { lines: 2000 }).catch(() => undefined);
  return nearestLine(output?.text ?? '', metrics, run.spec.metrics);
}

async function tailOf(runs: Pick<Runs, 'output'>, run: Run): Promise<string | undefined> {
  try {
    const { text } = await runs.output(run, { lines: 30 });
    return text.trim() === '' ? undefined : capText(cleanText(text), tailChars).text;
  } catch (error) {
    return `(its output could not be read: ${messageOf(error)})`;
  }
}
