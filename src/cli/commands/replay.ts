import type { SessionReading } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { countOf, defineCommand, readWords } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { ReplayText, replayRange } from '../screen/replay.ts';
import { namedSession } from '../sessionReference.ts';
import { styleFor } from '../screen/style.ts';
import { exitCodes, type CliWorld } from '../world.ts';
import { delay } from '../../base/clock.ts';

const usage = 'helios replay [SESSION] [--from TURN] [--to TURN] [--speed FACTOR] [--raw]';
/** However slow it was: nobody waits for a night. */
const longestPauseMs = 5_000;

export const replayCommand = defineCommand({
  name: 'replay',
  usage: '[SESSION]',
  about: 'a session step by step, as it went; the newest where none is named',
  help: () => `Usage: ${usage}

Tells a session from its journal: every message, reply, call, run, sleep and decision, whole. Results of calls are cut
in the middle, with the file that has the rest where there is one. In a terminal: | less -R

SESSION is an id, the beginning of one, or a number of helios sessions.

Options:
  --from TURN       begin with this turn
  --to TURN         end with this turn
  --speed FACTOR    as time went by, so many times faster (at most ${longestPauseMs / 1000} s between two steps)
  --raw             the events of the journal as JSON lines
  --home FOLDER     (default: HELIOS_HOME, or ~/.helios)
`,
  parse(words) {
    const options = {
      from: { type: 'string' },
      to: { type: 'string' },
      speed: { type: 'string' },
      raw: { type: 'boolean', default: false },
    } as const;
    const { values, positionals } = readWords(words, { options, maxWords: 1, usage });
    return {
      reference: positionals[0],
      from: values.from === undefined ? 0 : countOf(values.from, '--from'),
      to: values.to === undefined ? Infinity : countOf(values.to, '--to'),
      speed: values.speed === undefined ? undefined : speedOf(values.speed),
      isRaw: values.raw,
    };
  },
  run: ({ reference, ...options }, context) =>
    withEngine(context, async ({ sessions }) => {
      const { id } = await namedSession(sessions, reference);
      const reading = await sessions.read(id);
      for (const text of reading.damage) context.world.stderr.write(`Journal of ${id}: ${text}\n`);
      return replay(reading, options, context.world);
    }),
});

function speedOf(text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (value > 0) return value;
  throw new UserFacing(`--speed must be a number above 0, not “${text}”.`, 'Write it as --speed 60.');
}

interface ReplayOptions {
  readonly from: number;
  readonly to: number;
  readonly speed: number | undefined;
  readonly isRaw: boolean;
}

async function replay({ events }: SessionReading, options: ReplayOptions, world: CliWorld): Promise<number> {
  const { stdout, clock, env } = world;
  const { first, end } = replayRange(events, options);
  if (first >= end) {
    const turns = events.findLast((event) => event.type === 'model.requested')?.turn ?? 0;
    throw new UserFacing('The session has no such turn.', `It has ${turns} ${turns === 1 ? 'turn' : 'turns'}.`);
  }
  const text = new ReplayText(styleFor(stdout.isTTY === true, env), options.isRaw);
  const abort = new AbortController();
  const interrupt = world.onInterrupt(() => abort.abort());
  try {
    for (const [index, event] of events.entries()) {
      if (index >= end || abort.signal.aborted) break;
      const lines = text.linesOf(event);
      if (index < first) continue;
      const before = events[index - 1];
      if (options.speed !== undefined && before !== undefined && index > first)
        await delay(clock, Math.min(longestPauseMs, (event.at - before.at) / options.speed), abort.signal).catch(
          () => undefined,
        );
      if (lines.length > 0) stdout.write(lines.map((line) => `${line}\n`).join(''));
    }
    return abort.signal.aborted ? exitCodes.interrupted : exitCodes.goal;
  } finally {
    interrupt.dispose();
  }
}
