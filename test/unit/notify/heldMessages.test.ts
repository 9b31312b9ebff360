import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import {
  HeldMessages,
  type HeldMessage,
  type HeldRoute,
} from '../../../src/notify/heldMessages.ts';
import { writeFileAtomic } from '../../../src/storage/atomicFile.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { message } from './message.ts';

const minute = 60_000;
const nowMs = Date.UTC(2026, 2, 10, 12);
const window: HeldRoute = { channel: { type: 'vscode' }, isProject: false };
const desktop: HeldRoute = { channel: { type: 'desktop' }, isProject: false };

describe('what quiet hours hold back', () => {
  const folder = scratchFolder();
  let store: HeldMessages;
  beforeEach(() => (store = new HeldMessages({ folder: folder(), write: writeFileAtomic })));

  const held = (title: string, atMs: number, more: Partial<HeldMessage> = {}): HeldMessage => ({
    ...window,
    ...{ message: message({ title, atMs }), quietHours: undefined, untilMs: nowMs },
    ...more,
  });
  const taken = async (atMs: number, route = window): Promise<string[]> =>
    (await store.take(route, atMs)).messages.map(({ message: { title } }) => title);

  it('is taken by one process alone, however often it is asked for', async () => {
    await store.put(held('a', 1));
    assert.deepEqual(await taken(nowMs), ['a']);
    for (const laterMs of [0, 1, 15 * minute - 1])
      assert.deepEqual(await taken(nowMs + laterMs), [], `${laterMs} ms`);
  });

  for (const sinceMs of [15 * minute, -15 * minute])
    it(`is free again where it was taken ${sinceMs / minute} minutes ago and is still there`, async () => {
      await store.put(held('a', 1));
      await store.take(window, nowMs);
      assert.deepEqual(await taken(nowMs + sinceMs), ['a']);
    });

  it('stays taken while the clock was set back by less', async () => {
    await store.put(held('a', 1));
    await store.take(window, nowMs);
    assert.deepEqual(await taken(nowMs - 15 * minute + 1), []);
  });

  it('is anybody’s at once when it was given back, and nobody’s when it was told', async () => {
    await store.put(held('a', 1));
    await (await store.take(window, nowMs)).giveBack();
    assert.deepEqual(await taken(nowMs), ['a']);
    await (await store.take(window, nowMs + 15 * minute)).forget();
    assert.deepEqual(await taken(nowMs + 60 * minute), []);
    assert.deepEqual(readdirSync(folder()), []);
  });

  it('finds the folders that other processes and versions name for the same channel', async () => {
    await store.put(held('a', 1));
    const [name] = readdirSync(folder());
    assert.equal(name, '79ea5588c3ca8643');
  });

  it('has given all messages back when it says so', async () => {
    for (const [index, title] of ['a', 'b', 'c'].entries()) await store.put(held(title, index));
    const { giveBack } = await store.take(window, nowMs);
    await giveBack();
    assert.ok(readdirSync(folder()).every((name) => name.includes('.free.')));
  });

  it('keeps channels apart, and what a project says from what the user says', async () => {
    const project = { ...window, isProject: true };
    await store.put(held('mine', 1));
    await store.put(held('of the project', 2, project));
    await store.put(held('desktop', 3, desktop));
    assert.deepEqual(await taken(nowMs, project), ['of the project']);
    assert.deepEqual(await taken(nowMs, desktop), ['desktop']);
    assert.deepEqual(await taken(nowMs), ['mine']);
  });

  it('comes in the order of its making, that of one moment too', async () => {
    for (const [title, atMs] of [
      ['c', 30],
      ['a', 4],
      ['b1', 5],
      ['b2', 5],
    ] as const)
      await store.put(held(title, atMs));
    assert.deepEqual(await taken(nowMs), ['a', 'b1', 'b2', 'c']);
  });

  it('comes in that order also where it lay in several places', async () => {
    await store.put(held('c', 30));
    await store.put(held('a', 4));
    await (await store.take(window, nowMs)).giveBack();
    await store.put(held('b', 7));
    assert.equal(readdirSync(folder()).length, 2);
    assert.deepEqual(await taken(nowMs), ['a', 'b', 'c']);
  });

  it('goes to one of those who take it at the same moment', async () => {
    await store.put(held('a', 1));
    assert.deepEqual((await Promise.all([1, 2, 3, 4].map(() => taken(nowMs)))).flat(), ['a']);
  });

  it('waits until the last of it is due, and for what is taken until that may be taken again', async () => {
    await store.put(held('early', 1, { untilMs: nowMs + 5 }));
    await store.put(held('late', 2, { untilMs: nowMs + 9 }));
    await store.put(held('middle', 3, { untilMs: nowMs + 7 }));
    assert.deepEqual(
      (await store.waiting()).map(({ untilMs }) => untilMs - nowMs),
      [9],
    );
    await store.take(window, nowMs);
    assert.deepEqual(
      (await store.waiting()).map(({ untilMs }) => untilMs - nowMs),
      [15 * minute],
    );
  });

  it('is written anew where its folder was taken away meanwhile', async () => {
    let tries = 0;
    const write = (file: string, text: string): Promise<void> =>
      tries++ === 0 ? Promise.reject(new Error('ENOENT')) : writeFileAtomic(file, text);
    await new HeldMessages({ folder: folder(), write }).put(held('a', 1));
    assert.deepEqual(await taken(nowMs), ['a']);
  });

  it('leaves out what is no message, and what another version wrote', async () => {
    await store.put(held('a', 1));
    const [name = ''] = readdirSync(folder());
    for (const [file, text] of [
      ['x.json', '{'],
      ['y.json', '{"channel":{"type":"pigeon"}}'],
      ['z.tmp', 'half'],
    ] as const)
      writeFileSync(path.join(folder(), name, file), text);
    assert.deepEqual(await taken(nowMs), ['a']);
  });

  it('rejects where it cannot be read', async () => {
    writeFileSync(path.join(folder(), 'file'), '');
    const broken = new HeldMessages({
      folder: path.join(folder(), 'file'),
      write: writeFileAtomic,
    });
    await assert.rejects(broken.take(window, nowMs), { code: 'ENOTDIR' });
    await assert.rejects(broken.waiting(), { code: 'ENOTDIR' });
    await assert.rejects(broken.put(held('a', 1)));
  });
});
