/**
 * Appending to the journal, each event on disk before the next, against the same bytes written and
 * flushed by hand.
 */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionEvent } from '../../src/agent/journal/events.ts';
import { systemClock } from '../../src/base/clock.ts';
import { Journal } from '../../src/storage/journal.ts';
import { median, none, quantile, timed, type Figure, type Size } from './figure.ts';

/** Both take turns in blocks of so many, so that what else the disk does burdens both alike. */
const sizes = {
  full: { events: 2000, block: 100, warmUp: 50 },
  tiny: { events: 50, block: 25, warmUp: 5 },
};
/** A line of about 500 bytes. */
const event: SessionEvent = { type: 'message.added', origin: 'person', text: 'x'.repeat(390) };
const sharedFlush = 50;

export async function benchJournal(folder: string, size: Size): Promise<Figure[]> {
  const { events, block, warmUp } = sizes[size];
  const file = join(folder, 'journal.jsonl');
  const { journal } = await Journal.open<SessionEvent>(file, systemClock);
  const plain = await open(join(folder, 'plain.jsonl'), 'a');
  const line = Buffer.from(`${JSON.stringify(await journal.append(event))}\n`);
  const writers = {
    journal: () => journal.append(event),
    plain: async () => {
      await plain.write(line);
      await plain.datasync();
    },
  };
  const times: Record<keyof typeof writers, number[]> = { journal: [], plain: [] };
  for (let done = -warmUp; done < events; done += done < 0 ? warmUp : block) {
    for (const writer of ['journal', 'plain'] as const)
      for (let count = 0; count < (done < 0 ? warmUp : block); count++) {
        const tookMs = await timed(writers[writer]);
        if (done >= 0) times[writer].push(tookMs);
      }
  }
  const togetherMs = await timed(() =>
    Promise.all(Array.from({ length: sharedFlush }, writers.journal)),
  );
  await journal.close();
  const lineCount = (await readFile(file, 'utf8')).split('\n').length - 1;
  const appendCount = 1 + warmUp + events + sharedFlush;
  await plain.close();
  return [
    ...figures(`journal append of ${line.length} bytes, flushed`, times.journal),
    ...figures('plain write and fdatasync, for comparison', times.plain),
    {
      name: 'journal against plain, p50',
      value: median(times.journal) / median(times.plain),
      unit: '×',
    },
    {
      name: `${sharedFlush} appends that share a flush, all of them`,
      value: togetherMs,
      unit: 'ms',
    },
    {
      name: 'events appended and not in the file',
      value: appendCount - lineCount,
      unit: 'count',
      aim: none,
    },
  ];
}

const figures = (name: string, timesMs: readonly number[]): Figure[] =>
  [0.5, 0.99].map((q) => ({
    name: `${name}, p${q * 100}`,
    value: quantile(timesMs, q),
    unit: 'ms',
  }));
