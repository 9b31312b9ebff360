/**
 * A year of nights: search over a gigabyte of journals, their list, and what a window asks when it
 * begins.
 */
import { execFile } from 'node:child_process';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { homeAt, type Home } from '../../src/storage/home.ts';
import { homeOf, openEngine } from './bed.ts';
import { median, none, timed, type Figure, type Size } from './figure.ts';
import { SyntheticJournal } from './syntheticJournal.ts';

/** Somebody says the rare word every `rareEvery` sessions. */
const sizes = {
  full: { bytes: 1e9, rounds: 5, rareEvery: 37 },
  tiny: { bytes: 6e6, rounds: 1, rareEvery: 2 },
};
const rareWord = 'zebra';

type Terms = (typeof sizes)['full'];
const inTime = { atMost: 2000 } as const;
const megabyte = 1e6;

export async function benchSearch(folder: string, size: Size): Promise<Figure[]> {
  const { rounds, ...terms } = sizes[size];
  const year = join(folder, 'year');
  const home = homeAt(homeOf(year));
  const { sessions, bytes, rare: mentions } = await writeYear(home, terms);
  const engine = await openEngine({ folder: year, model: new ScriptedModel([]) });
  const searchOf = async (query: string): Promise<SearchResult> => {
    const times: number[] = [];
    let places = 0;
    const search = async (): Promise<void> => {
      places = (await engine.sessions.search(query, { limit: 1000 })).length;
    };
    for (let round = 0; round < rounds; round++) times.push(await timed(search));
    return { ms: median(times), places };
  };
  const [rare, nowhere, common] = [
    await searchOf(rareWord),
    await searchOf('nowhere'),
    await searchOf('loss'),
  ];
  const grepMs = await timed(() =>
    promisify(execFile)('grep', ['-rlF', rareWord, home.sessionsFolder]),
  );
  const firstListMs = await timed(() => engine.sessions.list());
  const againMs = await timed(() => engine.sessions.list());
  const memory = process.memoryUsage.rss() / megabyte;
  await engine.close();
  const indexMb = (await stat(home.indexFile)).size / megabyte;
  const soundMs = await recoveryMs(year);
  await rm(home.indexFile);
  const missingMs = await recoveryMs(year);
  await writeFile(home.indexFile, 'no database');
  const damagedMs = await recoveryMs(year);
  return [
    { name: `journals of ${sessions} sessions`, value: bytes / megabyte, unit: 'MB' },
    {
      name: `search for a rare word in all of them, p50 of ${rounds}`,
      value: rare.ms,
      unit: 'ms',
      aim: inTime,
    },
    {
      name: 'places of the rare word',
      value: rare.places,
      unit: 'count',
      aim: { exactly: mentions },
    },
    { name: 'grep -rlF for the rare word, for comparison', value: grepMs, unit: 'ms' },
    {
      name: `search for a word that nobody said, p50 of ${rounds}`,
      value: nowhere.ms,
      unit: 'ms',
      aim: inTime,
    },
    {
      name: `first 1000 places of a common word, p50 of ${rounds}`,
      value: common.ms,
      unit: 'ms',
      aim: inTime,
    },
    { name: 'places of a word that nobody said', value: nowhere.places, unit: 'count', aim: none },
    { name: 'list of them, index made from the journals', value: firstListMs, unit: 'ms' },
    { name: 'list of them, asked again', value: againMs, unit: 'ms' },
    {
      name: 'a new process goes on with the one that was left',
      value: soundMs,
      unit: 'ms',
      aim: inTime,
    },
    {
      name: 'the same without an index, which is made meanwhile',
      value: missingMs,
      unit: 'ms',
      aim: inTime,
    },
    { name: 'the same with a damaged one', value: damagedMs, unit: 'ms', aim: inTime },
    { name: 'index of the sessions', value: indexMb, unit: 'MB' },
    { name: 'memory of the process that searched and listed', value: memory, unit: 'MB' },
  ];
}

interface SearchResult {
  readonly ms: number;
  readonly places: number;
}

/**
 * From making the engine until the session that was left goes on, while its view asks for the list
 * of all.
 */
async function recoveryMs(folder: string): Promise<number> {
  const startedMs = performance.now();
  const engine = await openEngine({ folder, model: new ScriptedModel(['hang']) });
  const listed = engine.sessions.list();
  const [id, ...others] = await engine.sessions.interrupted();
  if (id === undefined || others.length > 0)
    throw new Error('One session was left, and is to be found.');
  await engine.sessions.resume(id);
  const ms = performance.now() - startedMs;
  await listed;
  await engine.close();
  return ms;
}

interface Year {
  readonly sessions: number;
  readonly bytes: number;
  /** Places of the rare word. */
  readonly rare: number;
}

/**
 * Sessions of ten runs and some five hundred turns, as `SyntheticJournal` has them, an hour apart.
 */
async function writeYear(
  home: Home,
  { bytes: wanted, rareEvery }: Omit<Terms, 'rounds'>,
): Promise<Year> {
  let bytes = 0;
  let sessions = 0;
  let rare = 0;
  for (; bytes < wanted; sessions += 1) {
    const isRare = sessions > 0 && sessions % rareEvery === 0;
    if (isRare) rare += 1;
    const journal = sessions === 0 ? left() : night(sessions, isRare);
    bytes += Buffer.byteLength(journal.text);
    await journal.write(home);
  }
  return { sessions, bytes, rare };
}

/** The oldest of all was never ended. */
function left(): SyntheticJournal {
  const journal = new SyntheticJournal('bring loss < 0.1', Date.UTC(2025, 0, 1));
  for (let turn = 0; turn < 450; turn++) journal.edit();
  return journal;
}

function night(index: number, isRare: boolean): SyntheticJournal {
  const journal = new SyntheticJournal(`bring loss < 0.${index + 1}`, Date.UTC(2026, 0, 1, index));
  for (let run = 0; run < 10; run++) {
    const id = journal.run();
    for (let turn = 0; turn < 45; turn++) {
      if (turn % 5 === 0) journal.edit();
      else journal.turn();
    }
    journal.runEnded(id, []);
  }
  if (isRare)
    journal.add({
      type: 'message.added',
      origin: 'person',
      text: `please try the ${rareWord} schedule`,
    });
  journal.add({
    type: 'session.ended',
    reason: 'budget',
    summary: 'Stopped: the money is spent.',
    evidence: [],
  });
  return journal;
}
