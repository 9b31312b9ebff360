import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { SessionEvent } from '../../../../src/agent/journal/events.ts';
import { SessionLog } from '../../../../src/agent/journal/sessionLog.ts';
import { UserFacing } from '../../../../src/base/errors.ts';
import {
  StorageFailure,
  type StorageFailureReason,
} from '../../../../src/storage/storageFailure.ts';
import { fillDisk, type FullDisk } from '../../../fakes/fullDisk.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { started } from '../../vscode/states.ts';

const note = (number: number): SessionEvent => ({ type: 'note.pinned', number, text: 'x' });
const failsWith = (reason: StorageFailureReason) => (error: unknown) =>
  error instanceof StorageFailure && error.reason === reason;

describe('the log of a session', () => {
  const folder = scratchFolder();
  const clock = new ManualClock();
  let log: SessionLog;
  let disk: FullDisk | undefined;
  /** Why it waits, and `goes on`. */
  let stalls: string[];
  const file = (): string => join(folder(), 'journal.jsonl');
  const { v: _v, id: _id, at: _at, ...first } = started();
  beforeEach(async () => {
    stalls = [];
    log = await SessionLog.open(file(), clock, first);
  });
  afterEach(async () => {
    disk?.makeRoom();
    await log.close();
  });
  const persist = (): void =>
    log.persist((failure) => void stalls.push(failure?.reason ?? 'goes on'));
  const notes = (): number[] => [...log.state.stickies.keys()];
  const onDisk = (): number => readFileSync(file(), 'utf8').split('"note.pinned"').length - 1;

  const errors: readonly (readonly [
    code: string,
    reason: StorageFailureReason,
    isWaitedFor: boolean,
  ])[] = [
    ['ENOSPC', 'no_space', true],
    ['EDQUOT', 'no_space', true],
    ['EROFS', 'read_only', true],
    ['EIO', 'io', true],
    ['EACCES', 'denied', false],
    ['EPERM', 'denied', false],
  ];
  for (const [code, reason, isWaitedFor] of errors)
    it(`${isWaitedFor ? 'waits for' : 'does not wait for'} a disk that refuses with ${code}`, async () => {
      persist();
      disk = await fillDisk(() => true, code);
      const recording = log.record(note(1));
      if (!isWaitedFor) {
        await assert.rejects(recording, failsWith(reason));
        return assert.deepEqual([stalls, notes()], [[], []]);
      }
      await until('it waits', () => stalls.length > 0);
      disk.makeRoom();
      await clock.advance(4_999);
      assert.deepEqual([stalls, notes()], [[reason], []]);
      await clock.advance(1);
      await recording;
      assert.deepEqual([stalls, notes(), onDisk()], [[reason, 'goes on'], [1], 1]);
    });

  it('tells of a disk that takes nothing once, however often it is tried, and keeps the order of what waits', async () => {
    persist();
    disk = await fillDisk();
    const recordings = [1, 2, 3].map((number) => log.record(note(number)));
    await until('it waits', () => stalls.length > 0);
    for (let tries = 0; tries < 3; tries += 1) {
      await until('the next try is due', () => clock.pendingTimers === 1);
      await clock.advance(5_000);
    }
    await until('the next try is due', () => clock.pendingTimers === 1);
    await assert.rejects(log.recordNow(note(9)), failsWith('no_space'));
    disk.makeRoom();
    await clock.advance(5_000);
    await Promise.all(recordings);
    assert.deepEqual([stalls, notes(), onDisk()], [['no_space', 'goes on'], [1, 2, 3], 3]);
  });

  it('refuses at once before anybody waits, and what waits once nobody does any more', async () => {
    disk = await fillDisk();
    await assert.rejects(log.record(note(1)), failsWith('no_space'));
    persist();
    const waiting = [log.record(note(2)), log.record(note(3))];
    await until('it waits', () => stalls.length > 0);
    log.giveUp();
    for (const recording of waiting) await assert.rejects(recording, failsWith('no_space'));
    await assert.rejects(log.record(note(4)), failsWith('no_space'));
    disk.makeRoom();
    await log.record(note(5));
    assert.deepEqual([stalls, notes(), clock.pendingTimers], [['no_space'], [5], 0]);
  });

  it('writes nothing once it is sealed', async () => {
    persist();
    log.seal();
    await assert.rejects(log.record(note(1)), failsWith('owned'));
    await assert.rejects(log.recordNow(note(1)), failsWith('owned'));
    assert.deepEqual([notes(), onDisk(), stalls], [[], 0, []]);
  });

  it('tells of an event when it is on disk and part of the state', async () => {
    const seen: unknown[] = [];
    log.onDidRecord(() => seen.push([onDisk(), notes(), log.events.length]));
    await log.record(note(1));
    assert.deepEqual(seen, [[1, [1], 2]]);
  });

  it('cannot be opened without its start', async () => {
    const other = join(folder(), 'other.jsonl');
    const damaged = (error: unknown): boolean =>
      error instanceof UserFacing && /start of the session/.test(error.message);
    await assert.rejects(SessionLog.open(other, clock), damaged);
  });
});
