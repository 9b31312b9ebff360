import assert from 'node:assert/strict';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { SessionCatalogue } from '../../../../src/agent/session/sessionCatalogue.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import { homeAt, type Home } from '../../../../src/storage/home.ts';
import { SessionIndex } from '../../../../src/storage/sessionIndex.ts';
import { SyntheticJournal } from '../../../bench/syntheticJournal.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { assetsFolder } from '../../../fakes/testEngine.ts';

describe('catalogue of sessions', () => {
  const folder = scratchFolder();
  const home = (): Home => homeAt(folder());
  const opened: SessionCatalogue[] = [];
  const warnings: string[] = [];
  const open = (): SessionCatalogue => {
    const wasmFile = path.join(assetsFolder, 'sql-wasm.wasm');
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const options = { file: home().indexFile, wasmFile, clock: systemClock, logger };
    const catalogue = new SessionCatalogue({
      home: home(),
      logger,
      openIndex: () => SessionIndex.open(options),
    });
    opened.push(catalogue);
    return catalogue;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((catalogue) => catalogue.close()));
    warnings.length = 0;
  });

  const journalFile = (journal: SyntheticJournal): string => home().journalFile(journal.sessionId);
  /** What was added to a journal since `before`, as its writer would. */
  const grow = (journal: SyntheticJournal, add: () => void): void => {
    const before = journal.text;
    add();
    appendFileSync(journalFile(journal), journal.text.slice(before.length));
  };

  it('reads on in a journal that another process writes', async () => {
    const journal = new SyntheticJournal('goal');
    journal.turn();
    await journal.write(home());
    const catalogue = open();
    const turns = async (): Promise<number | undefined> => (await catalogue.list([]))[0]?.turns;
    assert.equal(await turns(), 1);
    // What was read already is not looked at again.
    const sound = journal.text.length;
    grow(journal, () => journal.turn());
    writeFileSync(journalFile(journal), `${'x'.repeat(sound - 1)}\n${journal.text.slice(sound)}`);
    assert.equal(await turns(), 2);
    assert.deepEqual(warnings, []);
  });

  it('begins anew where the end of a journal was taken back', async () => {
    const journal = new SyntheticJournal('goal');
    journal.turn();
    const sound = journal.text.length;
    journal.turn();
    await journal.write(home());
    const catalogue = open();
    assert.equal((await catalogue.list([]))[0]?.turns, 2);
    truncateSync(journalFile(journal), sound);
    assert.equal((await catalogue.list([]))[0]?.turns, 1);
  });

  it('lists what it has read before from the index alone', async () => {
    const journals = ['ended', 'left'].map((goal, index) => new SyntheticJournal(goal, index));
    journals[0]?.add({ type: 'session.ended', reason: 'user', summary: '', evidence: [] });
    for (const journal of journals) await journal.write(home());
    const first = open();
    const listed = await first.list([]);
    assert.deepEqual(
      listed.map(({ goal, phase }) => `${goal} ${phase}`),
      ['left ready', 'ended ended'],
    );
    await first.close();
    // Other bytes, as many as before: a journal that is read again would say something else.
    for (const journal of journals)
      writeFileSync(journalFile(journal), 'x'.repeat(journal.text.length));
    assert.deepEqual(await open().list([]), listed);
  });

  it('finds the session of a run by its id and its handle', async () => {
    const journal = new SyntheticJournal('goal');
    const runId = journal.run();
    await journal.write(home());
    const catalogue = open();
    const place = { runId, sessionId: journal.sessionId };
    assert.deepEqual(await catalogue.findRun(runId), place);
    assert.deepEqual(await catalogue.findRun('local:1001'), place);
    assert.equal(await catalogue.findRun('local:1002'), undefined);
  });

  it('lists the others where a journal cannot be read, and says so once', async () => {
    const [sound, broken] = [new SyntheticJournal('sound'), new SyntheticJournal('broken')];
    await sound.write(home());
    await mkdir(journalFile(broken), { recursive: true });
    const catalogue = open();
    const goals = async (): Promise<string[]> => (await catalogue.list([])).map(({ goal }) => goal);
    assert.deepEqual([await goals(), await goals()], [['sound'], ['sound']]);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? '',
      new RegExp(`^Session ${broken.sessionId} is not indexed: .*EISDIR`),
    );
  });

  it('lists the others where a journal holds what no version has written', async () => {
    const [sound, strange] = [new SyntheticJournal('sound'), new SyntheticJournal('strange')];
    await sound.write(home());
    await strange.write(home());
    writeFileSync(journalFile(strange), strange.text.replace('"goal":"strange"', '"goal":7'));
    const goals = (await open().list([])).map(({ goal }) => goal);
    assert.deepEqual(goals, ['sound']);
    assert.match(warnings.join(), new RegExp(`^Session ${strange.sessionId} is not indexed: `));
  });

  it('keeps what it knew of a session whose folder cannot be looked into any more', async () => {
    const journal = new SyntheticJournal('goal');
    await journal.write(home());
    const catalogue = open();
    assert.equal((await catalogue.list([])).length, 1);
    await rm(home().sessionFolder(journal.sessionId), { recursive: true });
    // A file in its place: as with a folder that nobody may enter, the journal is not known to be
    // gone.
    writeFileSync(home().sessionFolder(journal.sessionId), '');
    assert.equal((await catalogue.list([])).length, 1);
    assert.match(warnings.join(), /is not indexed: .*ENOTDIR/);
  });

  it('forgets sessions that are gone', async () => {
    const journal = new SyntheticJournal('goal');
    await journal.write(home());
    const catalogue = open();
    assert.equal((await catalogue.list([])).length, 1);
    await rm(home().sessionFolder(journal.sessionId), { recursive: true });
    assert.deepEqual(await catalogue.list([]), []);
  });

  it('keeps what each of several processes read last, whoever writes the file', async () => {
    const [one, two] = [new SyntheticJournal('one', 1), new SyntheticJournal('two', 2)];
    await one.write(home());
    await two.write(home());
    const [a, b] = [open(), open()];
    await a.list([]);
    await b.list([]);
    grow(one, () => one.turn());
    await a.list([]);
    await a.close();
    grow(two, () => two.turn());
    await b.list([]);
    await b.close();
    const index = await SessionIndex.open({
      file: home().indexFile,
      wasmFile: path.join(assetsFolder, 'sql-wasm.wasm'),
      clock: systemClock,
      logger: silentLogger,
    });
    const sizes = index.journalSizes();
    await index.close();
    assert.deepEqual(
      [sizes.get(one.sessionId), sizes.get(two.sessionId)],
      [one.text.length, two.text.length],
    );
  });

  it('takes over rows of sessions that it has not read, when it writes', async () => {
    const options = {
      file: path.join(folder(), 'index.db'),
      wasmFile: path.join(assetsFolder, 'sql-wasm.wasm'),
      clock: systemClock,
      logger: silentLogger,
    };
    const session = (id: string, journalBytes: number) => ({
      ...{
        id,
        journalBytes,
        goal: id,
        title: null,
        startedMs: 1,
        lastEventMs: 1,
        phase: 'ready',
        endReason: null,
        turns: 0,
        usd: 0,
      },
      ...{ hasUnknownCost: false, best: null },
      runs: [{ id: `r-${id}`, number: 1, handle: 'local:7', isGoing: true }],
      attempts: [
        {
          same: id,
          seed: 'x',
          tree: 't',
          experimentId: 'e1',
          isKnown: true,
          told: `of ${journalBytes} bytes`,
        },
      ],
      folder: '/w',
      experiments: [],
    });
    const [a, b] = [await SessionIndex.open(options), await SessionIndex.open(options)];
    a.put(session('one', 10));
    a.put(session('both', 20));
    await a.close();
    b.put(session('two', 10));
    b.put(session('both', 10));
    await b.close();
    const merged = await SessionIndex.open(options);
    assert.deepEqual(
      [...merged.journalSizes()].sort(([one], [other]) => one.localeCompare(other)),
      [
        ['both', 20],
        ['one', 10],
        ['two', 10],
      ],
    );
    assert.deepEqual(merged.runOf('r-one'), { id: 'r-one', sessionId: 'one' });
    assert.deepEqual(
      merged.attemptsLike(['x', 'y'], 'one', 9).map(({ sessionId, told }) => [sessionId, told]),
      [
        ['two', 'of 10 bytes'],
        ['both', 'of 20 bytes'],
      ],
    );
    assert.deepEqual(merged.attemptsLike(['y'], 'one', 9), []);
    await merged.close();
  });
});
