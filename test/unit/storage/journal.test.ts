import assert from 'node:assert/strict';
import { constants } from 'node:buffer';
import { execFile } from 'node:child_process';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Journal, readJournal } from '../../../src/storage/journal.ts';
import { onFlush, sharedHandle } from '../../fakes/flushes.ts';
import { fillDisk } from '../../fakes/fullDisk.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { assertMode } from '../../fakes/modes.ts';
import { needs } from '../../setup/needs.ts';

interface Said {
  readonly type: 'said';
  readonly text: string;
}
const said = (text: string): Said => ({ type: 'said', text });

describe('journal', () => {
  let folder: string;
  let file: string;
  const clock = new ManualClock();
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-journal-'));
    file = path.join(folder, 'deep', 'journal.jsonl');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('gives each event version, id and time', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    const event = await journal.append(said('one'));
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), event);
    assert.equal(event.v, 1);
    assert.equal(event.at, clock.now());
    await journal.close();
  });

  it('has an event flushed to the disk before append resolves', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    const reached = Promise.withResolvers<string>();
    const held = Promise.withResolvers<undefined>();
    const restore = await onFlush((how) => {
      reached.resolve(how);
      return held.promise;
    });
    try {
      let isAcknowledged = false;
      const appended = journal.append(said('one')).then(() => (isAcknowledged = true));
      await Promise.race([reached.promise, appended]);
      assert.match(await readFile(file, 'utf8'), /"one"\}\n$/);
      assert.equal(isAcknowledged, false);
      held.resolve(undefined);
      assert.equal(await reached.promise, 'datasync');
      await appended;
    } finally {
      restore();
      await journal.close();
    }
  });

  it('goes on in a line of its own where half an event can be neither written nor taken back', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    await journal.append(said('one'));
    const shared = await sharedHandle();
    const { truncate } = shared;
    shared.truncate = () =>
      Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
    const disk = await fillDisk();
    try {
      await assert.rejects(journal.append(said('lost')), { reason: 'no_space' });
    } finally {
      disk.makeRoom();
      shared.truncate = truncate;
    }
    for (const text of ['two', 'three']) await journal.append(said(text));
    await journal.close();
    const { events, damage } = await readJournal<Said>(file);
    assert.deepEqual(
      events.map(({ text }) => text),
      ['one', 'two', 'three'],
    );
    assert.deepEqual(damage, ['line 2 is not an event and was skipped']);
    assert.equal((await readFile(file, 'utf8')).split('\n').length, 5, 'no line is empty');
  });

  it('takes an empty line for nothing, and counts it', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    await appendFile(file, '\n\ngarbage\n\n');
    await journal.append(said('one'));
    await journal.close();
    const { events, damage } = await readJournal<Said>(file);
    assert.deepEqual([events.length, damage], [1, ['line 3 is not an event and was skipped']]);
  });

  it('is for its owner alone, and says that its last line was cut short', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    await journal.append(said('one'));
    await journal.close();
    assertMode(file, 0o600);
    await appendFile(file, '{"v":1,');
    const cut = await readJournal<Said>(file);
    assert.deepEqual([cut.events.length, cut.endsCleanly], [1, false]);
    assert.deepEqual(cut.damage, ['the last line is truncated (7 characters) and was skipped']);
  });

  it('is closed once all that was appended is written', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    const appended = journal.append(said('last'));
    await journal.close();
    await appended;
    assert.equal((await readJournal<Said>(file)).events[0]?.text, 'last');
  });

  it('keeps the order of concurrent appends', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => journal.append(said(String(index)))),
    );
    await journal.close();
    const { events, damage } = await readJournal<Said>(file);
    assert.deepEqual(
      events.map((event) => event.text),
      Array.from({ length: 200 }, (_, index) => String(index)),
    );
    assert.deepEqual(damage, []);
  });

  it('reads what can be read of a journal cut at any byte, and goes on after it', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    for (const text of ['one', 'zwei ü', 'три']) await journal.append(said(text));
    await journal.close();
    const whole = await readFile(file);
    for (let cut = 0; cut < whole.length; cut += 1) {
      await writeFile(file, whole.subarray(0, cut));
      // A line that lacks nothing but its newline is whole.
      const complete =
        whole
          .subarray(0, cut + 1)
          .toString('utf8')
          .split('\n').length - 1;
      const opened = await Journal.open<Said>(file, clock);
      assert.equal(opened.reading.events.length, complete);
      await opened.journal.append(said('after'));
      await opened.journal.close();
      const { events } = await readJournal<Said>(file);
      assert.equal(events.length, complete + 1);
      assert.equal(events.at(-1)?.text, 'after');
    }
  });

  it('keeps NaN and the infinities, and texts that look like them', async () => {
    interface Measured {
      readonly type: 'measured';
      readonly values: readonly (number | string)[];
    }
    const values = [Number.NaN, Infinity, -Infinity, 'NaN', 0.5];
    const { journal } = await Journal.open<Measured>(file, clock);
    await journal.append({ type: 'measured', values });
    await journal.close();
    const { events } = await readJournal<Measured>(file);
    assert.deepEqual(events[0]?.values, values);
  });

  it('is read alike whatever bytes come at once, also within characters', async () => {
    const line = (text: string): string =>
      `${JSON.stringify({ v: 1, id: 'e-1', at: 1, ...said(text) })}\n`;
    const texts = ['', 'ü', '三四', '𝛼𝛽', 'x'.repeat(90)];
    await mkdir(path.dirname(file), { recursive: true });
    for (const end of ['', line('no newline').slice(0, -1), '{"text":"cut 三'] as const) {
      const whole = `\n${texts.map(line).join('')}garbage ü\n\n${line('last')}${end}`;
      await writeFile(file, whole);
      const expected = {
        texts: [...texts, 'last', ...(end.endsWith('}') ? ['no newline'] : [])],
        damage: [
          'line 7 is not an event and was skipped',
          ...(end.endsWith('三')
            ? ['the last line is truncated (14 characters) and was skipped']
            : []),
        ],
        endsCleanly: end === '',
      };
      for (let chunkBytes = 1; chunkBytes <= Buffer.byteLength(whole) + 1; chunkBytes += 1) {
        const { events, damage, endsCleanly } = await readJournal<Said>(file, { chunkBytes });
        const read = { texts: events.map(({ text }) => text), damage, endsCleanly };
        assert.deepEqual(read, expected, `${chunkBytes} bytes at once`);
      }
    }
  });

  it('is read when it is longer than a string can be', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    await journal.append(said('first'));
    // Holes of the file, which take no room on the disk.
    const step = 32 * 1024 * 1024;
    const holes = 17;
    for (let hole = 1; hole <= holes; hole += 1) {
      await truncate(file, hole * step);
      await appendFile(file, '\n');
    }
    await journal.append(said('last'));
    await journal.close();
    assert.ok((await stat(file)).size > constants.MAX_STRING_LENGTH);
    const { events, damage, endsCleanly } = await readJournal<Said>(file);
    assert.deepEqual(
      [events.map(({ text }) => text), damage.length, endsCleanly],
      [['first', 'last'], holes, true],
    );
  });

  it('passes over a line that no string can hold', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    for (const text of ['one', 'x'.repeat(500), 'two']) await journal.append(said(text));
    await journal.close();
    for (const chunkBytes of [7, 100, 400]) {
      const range = { chunkBytes, maxLineBytes: 400 };
      const { events, damage } = await readJournal<Said>(file, range);
      assert.deepEqual(
        [events.map(({ text }) => text), damage],
        [['one', 'two'], ['line 2 is not an event and was skipped']],
      );
    }
  });

  it('leaves out garbage in the middle and says where', async () => {
    const { journal } = await Journal.open<Said>(file, clock);
    await journal.append(said('one'));
    await appendFile(file, '\u0000\u0001garbage\n{"type":3}\n[]\n');
    await journal.append(said('two'));
    await journal.close();
    const { events, damage } = await readJournal<Said>(file);
    assert.deepEqual(
      events.map((event) => event.text),
      ['one', 'two'],
    );
    assert.deepEqual(
      damage.map((text) => text.split(' is')[0]),
      ['line 2', 'line 3', 'line 4'],
    );
  });

  needs('posix')(
    'rejects with no_space on a full disk, loses nothing, and goes on when there is space again',
    async function () {
      // A file size limit stands in for a full disk: the write fails half way, as it does there.
      const script = `
      import { Journal, readJournal } from ${JSON.stringify(path.resolve('src/storage/journal.ts'))};
      const clock = { now: () => 1, after: () => ({ dispose() {} }) };
      process.on('SIGXFSZ', () => {});
      const { journal } = await Journal.open(process.argv[1], clock);
      await journal.append({ type: 'said', text: 'first' });
      // The small one fits, but is rejected with the one that it was written with.
      const small = journal.append({ type: 'said', text: 'small' }).catch(() => undefined);
      const failure = await journal.append({ type: 'said', text: 'x'.repeat(20000) }).catch((error) => error);
      if (await small) throw new Error('was acknowledged');
      const { events } = await readJournal(process.argv[1]);
      console.log(JSON.stringify({ name: failure.constructor.name, reason: failure.reason, texts: events.map((event) => event.text) }));`;
      const command = `ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2"`;
      const { stdout } = await promisify(execFile)('/bin/bash', [
        '-c',
        command,
        process.execPath,
        script,
        file,
      ]);
      const result = JSON.parse(stdout) as { name: string; texts: string[] };
      assert.equal(result.name, 'StorageFailure');
      assert.deepEqual(result.texts, ['first']);
      const { journal, reading } = await Journal.open<Said>(file, clock);
      assert.equal(reading.endsCleanly, true);
      await journal.append(said('second'));
      await journal.close();
      assert.deepEqual(
        (await readJournal<Said>(file)).events.map((event) => event.text),
        ['first', 'second'],
      );
    },
  );
});
