import assert from 'node:assert/strict';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { JournalFollower } from '../../../src/storage/journalFollower.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

interface Said {
  readonly type: 'said';
  readonly text: string;
}

const line = (text: string): string =>
  `${JSON.stringify({ v: 1, id: `e-${text}`, at: 1, type: 'said', text })}\n`;

describe('following a journal', () => {
  const folder = scratchFolder();
  const file = (): string => join(folder(), 'journal.jsonl');
  const follow = (): (() => Promise<{ said: string[]; damage: string[]; starts: boolean[] }>) => {
    const follower = new JournalFollower<Said>(file());
    return async () => {
      const read = { said: [] as string[], damage: [] as string[], starts: [] as boolean[] };
      for await (const piece of follower.read()) {
        read.said.push(...piece.events.map(({ text }) => text.slice(0, 20)));
        read.damage.push(...piece.damage);
        read.starts.push(piece.isFromStart);
      }
      return read;
    };
  };

  it('gives each event once, as it is added', async () => {
    const next = follow();
    assert.deepEqual(await next(), { said: [], damage: [], starts: [] });
    writeFileSync(file(), line('a') + line('b'));
    assert.deepEqual(await next(), { said: ['a', 'b'], damage: [], starts: [true] });
    assert.deepEqual((await next()).said, []);
    appendFileSync(file(), line('c'));
    assert.deepEqual(await next(), { said: ['c'], damage: [], starts: [false] });
  });

  it('waits for a line that is half written, and takes one that lacks only its newline', async () => {
    const next = follow();
    const whole = line('b');
    writeFileSync(file(), line('a') + whole.slice(0, 20));
    assert.deepEqual((await next()).said, ['a']);
    appendFileSync(file(), whole.slice(20, -1));
    assert.deepEqual((await next()).said, ['b']);
    appendFileSync(file(), `\n${line('c')}`);
    assert.deepEqual(await next(), { said: ['c'], damage: [], starts: [false] });
  });

  it('begins anew when what was never acknowledged was taken back', async () => {
    const next = follow();
    writeFileSync(file(), line('a') + line('b'));
    await next();
    truncateSync(file(), line('a').length);
    assert.deepEqual(await next(), { said: ['a'], damage: [], starts: [true] });
  });

  it('tells of lines that are no events, by their number', async () => {
    const next = follow();
    writeFileSync(file(), `${line('a')}garbage\n\n${line('b')}`);
    assert.deepEqual((await next()).damage, ['line 2 is not an event and was skipped']);
    appendFileSync(file(), `{"type":1}\n`);
    assert.deepEqual((await next()).damage, ['line 5 is not an event and was skipped']);
  });

  it('reads lines that are longer than what is read at once', async () => {
    const next = follow();
    const long = 'ä'.repeat(1_500_000);
    writeFileSync(file(), line('a') + line(long) + line('b'));
    assert.deepEqual((await next()).said, ['a', long.slice(0, 20), 'b']);
  });
});
