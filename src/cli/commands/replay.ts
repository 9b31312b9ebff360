import type { SessionReading } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { ReplayText, replayRange } from '../screen/replay.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';
import { styleFor } from '../screen/style.ts';
import { positiveNumber, wholeNumber } from '../values.ts';
import { exitCodes, type CliDeps } from '../cliDeps.ts';
import { delay } from '../../base/clock.ts';

/**
 * Longest pause between two events of a replay, so that a replay does not take as long as the
 * session.
 */
const longestPauseMs = 5_000;

interface ReplayOptions {
  readonly from: number;
  readonly to: number;
  readonly speed?: number;
  readonly raw?: boolean;
}

export const declareReplay = (helios: CliCommand): CliCommand =>
  helios
    .command('replay')
    .summary('print a session step by step (default: the newest)')
    .description(
      'Prints a session from its journal: every message, reply, call, run, sleep and decision in full. Results ' +
        'of calls are truncated in the middle; the path of the file with the full text is shown if there is one. ' +
        'To scroll through it: helios replay | less -R',
    )
    .argument('[session]', `${sessionWords} (default: the newest)`)
    .option('--from <turn>', 'first turn', wholeNumber)
    .option('--to <turn>', 'last turn', wholeNumber)
    .option(
      '--speed <factor>',
      `wait between events as long as in the session, divided by this factor (at most ${longestPauseMs / 1000} s each)`,
      positiveNumber,
    )
    .option('--raw', 'print the journal events as JSON lines')
    .runs((context, reference: string | undefined, options: Partial<ReplayOptions>) =>
      withEngine(context, async ({ sessions }) => {
        const { id } = await namedSession(sessions, reference);
        const reading = await sessions.read(id);
        for (const text of reading.damage) context.deps.stderr.write(`Journal of ${id}: ${text}\n`);
        return replay(reading, { from: 0, to: Infinity, ...options }, context.deps);
      }),
    );

async function replay(
  { events }: SessionReading,
  options: ReplayOptions,
  deps: CliDeps,
): Promise<number> {
  const { speed, raw = false } = options;
  const { stdout, clock, env } = deps;
  const { first, end } = replayRange(events, options);
  if (first >= end) {
    const turns = events.findLast((event) => event.type === 'model.requested')?.turn ?? 0;
    throw new UserFacing(
      'The session has no such turn.',
      `It has ${turns} ${turns === 1 ? 'turn' : 'turns'}.`,
    );
  }
  const text = new ReplayText(styleFor(stdout.isTTY === true, env), raw);
  const abort = new AbortController();
  const interrupt = deps.onInterrupt(() => abort.abort());
  try {
    for (const [index, event] of events.entries()) {
      if (index >= end || abort.signal.aborted) break;
      const lines = text.linesOf(event);
      if (index < first) continue;
      const before = events[index - 1];
      if (speed !== undefined && before !== undefined && index > first)
        await delay(
          clock,
          Math.min(longestPauseMs, (event.at - before.at) / speed),
          abort.signal,
        ).catch(() => undefined);
      if (lines.length > 0) stdout.write(lines.map((line) => `${line}\n`).join(''));
    }
    return abort.signal.aborted ? exitCodes.interrupted : exitCodes.goal;
  } finally {
    interrupt.dispose();
  }
}
