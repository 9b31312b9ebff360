/** A year of nights: search over a gigabyte of journals, their list, and what a window asks when it begins. */
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { homeAt, type Home } from '../../src/storage/home.ts';
import { homeOf, openEngine } from './bed.ts';
import { median, timed, type Figure } from './figure.ts';
import { SyntheticJournal } from './syntheticJournal.ts';

const wantedBytes = 1e9;
const rounds = 5;
/** Every so many sessions somebody says it. */
const rareEvery = 37;
const inTime = { atMost: 2000 } as const;
const megabyte = 1e6;

export async function benchSearch(folder: string): Promise<Figure[]> {
  const year = join(folder, 'year');
  const home = homeAt(homeOf(year));
  const { sessions, bytes } = await writeYear(home);
  const engine = await openEngine({ folder: year, model: new ScriptedModel([]) });
  const searchMs = async (query: string): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++)
      times.push(await timed(() => engine.sessions.search(query, { limit: 1000 })));
    return median(times);
  };
  const [rare, nowhere, common] = [await searchMs('zebra'), await searchMs('nowhere'), await searchMs('loss')];
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
    { name: 'search for a rare word in all of them, p50 of 5', value: rare, unit: 'ms', aim: inTime },
    { name: 'search for a word that nobody said, p50 of 5', value: nowhere, unit: 'ms', aim: inTime },
    { name: 'first 1000 places of a common word, p50 of 5', value: common, unit: 'ms', aim: inTime },
    { name: 'list of them, index made from the journals', value: firstListMs, unit: 'ms' },
    { name: 'list of them, asked again', value: againMs, unit: 'ms' },
    { name: 'a new process goes on with the one that was left', value: soundMs, unit: 'ms', aim: inTime },
    { name: 'the same without an index, which is made meanwhile', value: missingMs, unit: 'ms', aim: inTime },
    { name: 'the same with a damaged one', value: damagedMs, unit: 'ms', aim: inTime },
    { name: 'index of the sessions', value: indexMb, unit: 'MB' },
    { name: 'memory of the process that searched and listed', value: memory, unit: 'MB' },
  ];
}

/** From making the engine until the session that was left goes on, while its view asks for the list of all. */
async function recoveryMs(folder: string): Promise<number> {
  const startedMs = performance.now();
  const engine = await openEngine({ folder, model: new ScriptedModel(['hang']) });
  const listed = engine.sessions.list();
  const [id, ...others] = await engine.sessions.interrupted();
  if (id === undefined || others.length > 0) throw new Error('One session was left, and is to be found.');
  await engine.sessions.resume(id);
  const ms = performance.now() - startedMs;
  await listed;
  await engine.close();
  return ms;
}

/** Sessions of ten runs and some five hundred turns, as `SyntheticJournal` has them, an hour apart. */
async function writeYear(home: Home): Promise<{ readonly sessions: number; readonly bytes: number }> {
  let bytes = 0;
  let sessions = 0;
  for (; bytes < wantedBytes; sessions += 1) {
    const journal = sessions === 0 ? left() : night(sessions);
    bytes += Buffer.byteLength(journal.text);
    await journal.write(home);
  }
  return { sessions, bytes };
}

/** The oldest of all was never ended. */
function left(): SyntheticJournal {
  const journal = new SyntheticJournal('bring loss < 0.1', Date.UTC(2025, 0, 1));
  for (let turn = 0; turn < 450; turn++) journal.edit();
  return journal;
}

function night(index: number): SyntheticJournal {
  const journal = new SyntheticJournal(`bring loss < 0.${index + 1}`, Date.UTC(2026, 0, 1, index));
  for (let run = 0; run < 10; run++) {
    const id = journal.run();
    for (let turn = 0; turn < 45; turn++) {
      if (turn % 5 === 0) journal.edit();
      else journal.turn();
    }
    journal.runEnded(id, []);
  }
  if (index % rareEvery === 0)
    journal.add({ type: 'message.added', origin: 'person', text: 'please try the zebra schedule' });
  journal.add({ type: 'session.ended', reason: 'budget', summary: 'Stopped: the money is spent.', evidence: [] });
  return journal;
}
