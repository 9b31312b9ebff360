import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { silentLogger } from '../../../src/base/logger.ts';
import {
  SessionIndex,
  type IndexedAttempt,
  type IndexedSession,
} from '../../../src/storage/sessionIndex.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { assertMode } from '../../fakes/modes.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { assetsFolder } from '../../fakes/testEngine.ts';

const session = (id: string, more: Partial<IndexedSession> = {}): IndexedSession => ({
  ...{
    id,
    journalBytes: 10,
    goal: `goal of ${id}`,
    title: null,
    startedMs: 1,
    lastEventMs: 2,
    phase: 'ended',
    endReason: 'done',
  },
  ...{ turns: 3, usd: 0.5, hasUnknownCost: true, best: 'loss 0.5', runs: [], attempts: [] },
  ...{ folder: '/w', experiments: [] },
  ...more,
});
const attempt = (experimentId: string, more: Partial<IndexedAttempt> = {}): IndexedAttempt => ({
  ...{ same: 'same', seed: 'seed', tree: 'tree', experimentId, isKnown: true, told: 'as it was' },
  ...more,
});

describe('the index of sessions', () => {
  const scratch = scratchFolder();
  const file = (): string => path.join(scratch(), 'index.db');
  const opened: SessionIndex[] = [];
  const said: string[] = [];
  let clock: ManualClock;
  const open = async (): Promise<SessionIndex> => {
    const logger = {
      ...silentLogger,
      info: (text: string) => said.push(text),
      warn: (text: string) => said.push(text),
    };
    const wasmFile = path.join(assetsFolder, 'sql-wasm.wasm');
    const index = await SessionIndex.open({ file: file(), wasmFile, clock, logger });
    opened.push(index);
    return index;
  };
  const close = async (index: SessionIndex): Promise<void> => {
    opened.splice(opened.indexOf(index), 1);
    await index.close();
  };
  beforeEach(() => {
    clock = new ManualClock();
    said.length = 0;
  });
  afterEach(async () => {
    for (const index of opened.splice(0)) await index.close();
  });

  it('gives back what was put there, the newest first, with the runs that go on', async () => {
    const index = await open();
    const runs = [true, false, true].map((isGoing, at) => ({
      id: `r-${at}`,
      number: at,
      handle: null,
      isGoing,
    }));
    index.put(session('s-1'));
    index.put(session('s-2', { runs, endReason: null, best: null, hasUnknownCost: false }));
    const shown = ({ id }: IndexedSession): object => {
      const { runs: _, attempts: __, experiments: ___, ...row } = session(id);
      return row;
    };
    assert.deepEqual(index.sessions(), [
      {
        ...shown(session('s-2')),
        endReason: null,
        best: null,
        hasUnknownCost: false,
        runCount: 3,
        goingCount: 2,
      },
      { ...shown(session('s-1')), runCount: 0, goingCount: 0 },
    ]);
  });

  it('has what was put last of a session, and nothing of one that was removed', async () => {
    const index = await open();
    const run = { id: 'r-1', number: 1, handle: 'local:7', isGoing: true };
    index.put(session('s-1', { runs: [run], attempts: [attempt('e1')] }));
    index.put(session('s-1', { journalBytes: 20, runs: [run], attempts: [attempt('e2')] }));
    assert.deepEqual(index.runOf('local:7'), { id: 'r-1', sessionId: 's-1' });
    assert.deepEqual(
      index.attemptsLike(['seed'], 's-2', 10).map(({ experimentId }) => experimentId),
      ['e2'],
    );
    assert.deepEqual([...index.journalSizes()], [['s-1', 20]]);
    index.remove('s-1');
    assert.deepEqual(
      [index.sessions(), index.runOf('r-1'), index.attemptsLike(['seed'], 's-2', 10)],
      [[], undefined, []],
    );
  });

  it('finds a run by its id, and by its handle the newest of several', async () => {
    const index = await open();
    for (const number of [1, 2])
      index.put(
        session(`s-${number}`, {
          runs: [{ id: `r-${number}`, number: 1, handle: 'local:7', isGoing: false }],
        }),
      );
    assert.equal(index.runOf('local:7')?.id, 'r-2');
    assert.equal(index.runOf('r-1')?.sessionId, 's-1');
    assert.equal(index.runOf('local:8'), undefined);
  });

  it('finds attempts of other sessions, the newest first and what is known before what is not', async () => {
    const index = await open();
    index.put(session('s-1', { attempts: [attempt('e1')] }));
    index.put(session('s-2', { attempts: [attempt('e1', { isKnown: false }), attempt('e2')] }));
    index.put(session('s-3', { attempts: [attempt('e1'), attempt('e2', { seed: 'other' })] }));
    const found = (except: string, limit = 10, seeds = ['seed']): string[] =>
      index
        .attemptsLike(seeds, except, limit)
        .map(({ sessionId, experimentId }) => `${sessionId} ${experimentId}`);
    assert.deepEqual(found('s-3'), ['s-2 e2', 's-2 e1', 's-1 e1']);
    assert.deepEqual(found('s-2', 1), ['s-3 e1']);
    assert.deepEqual(found('s-1', 10, ['other', 'none']), ['s-3 e2']);
    assert.deepEqual(index.attemptsLike(['seed'], 's-3', 1), [
      { ...attempt('e2'), sessionId: 's-2' },
    ]);
  });

  it('is on disk two seconds after a change, for its owner alone, and not before', async () => {
    const index = await open();
    index.put(session('s-1'));
    await clock.advance(1_999);
    assert.throws(() => statSync(file()), { code: 'ENOENT' });
    index.put(session('s-2'));
    await clock.advance(1);
    await until('it is there', () => statSync(file(), { throwIfNoEntry: false }) !== undefined);
    assertMode(file(), 0o600);
    assert.equal(clock.pendingTimers, 0);
    assert.deepEqual([...(await open()).journalSizes().keys()].sort(), ['s-1', 's-2']);
    const inode = (): bigint => statSync(file(), { bigint: true }).ino;
    const before = inode();
    index.put(session('s-3'));
    assert.equal(clock.pendingTimers, 1);
    await clock.advance(2_000);
    await until('it is there once more', () => inode() !== before);
    assert.deepEqual([...(await open()).journalSizes().keys()].sort(), ['s-1', 's-2', 's-3']);
  });

  it('is saved when it is closed, and leaves no timer', async () => {
    const index = await open();
    index.put(session('s-1'));
    await close(index);
    assert.equal(clock.pendingTimers, 0);
    assert.deepEqual([...(await open()).journalSizes().keys()], ['s-1']);
  });

  it('writes nothing where nothing was changed', async () => {
    await close(await open());
    assert.throws(() => statSync(file()), { code: 'ENOENT' });
  });

  it('is begun anew where its file is damaged, empty, or of another version', async () => {
    const index = await open();
    index.put(session('s-1'));
    await close(index);
    const sound = readFileSync(file());
    // Where SQLite keeps the version that its owner gives.
    const other = Buffer.from(sound).fill(0xff, 60, 64);
    for (const content of [Buffer.from('garbage'.repeat(1_000)), sound.subarray(0, 4_096), other]) {
      writeFileSync(file(), content);
      assert.deepEqual((await open()).sessions(), []);
      assert.equal(said.length, 1, said.join());
      assert.match(said.splice(0).join(), /Rebuilding it from the journals/);
    }
    writeFileSync(file(), sound);
    assert.equal((await open()).sessions().length, 1);
    assert.deepEqual(said, []);
  });

  it('takes no part of a change that fails', async () => {
    const index = await open();
    const broken = session('s-1', { goal: undefined as never });
    assert.throws(() => index.put(broken));
    index.put(session('s-2'));
    assert.deepEqual([...index.journalSizes().keys()], ['s-2']);
  });

  it('is told, not thrown, where it cannot be saved', async () => {
    const index = await open();
    index.put(session('s-1'));
    mkdirSync(path.join(file(), 'in the way'), { recursive: true });
    await close(index);
    assert.match(said.at(-1) ?? '', /^Cannot save the index: /);
  });
});
