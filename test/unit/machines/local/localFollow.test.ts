import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { DisposableStore } from '../../../../src/base/disposable.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import type { Follow, MachineFailure } from '../../../../src/machines/machine.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';

describe('LocalMachine.follow', () => {
  const folder = scratchFolder();
  let owned = new DisposableStore();
  afterEach(() => {
    owned.dispose();
    owned = new DisposableStore();
  });

  function following(path: string, offset = 0, clock = new ManualClock()) {
    const seen = {
      text: '',
      changes: [] as (string | undefined)[],
      errors: [] as MachineFailure[],
    };
    const machine = new LocalMachine({ runsFolder: folder(), workFolder: folder(), clock });
    const follow: Follow = machine.follow(path, offset, {
      onBytes: (bytes, at) => {
        assert.equal(
          at,
          offset + Buffer.byteLength(seen.text, 'latin1'),
          'bytes come in order, each once',
        );
        seen.text += Buffer.from(bytes).toString('latin1');
      },
      onChange: (name) => seen.changes.push(name),
      onError: (error) => seen.errors.push(error),
    });
    owned.add(follow);
    return { seen, follow, clock };
  }

  it('reads what is there from the offset, and what is added', async () => {
    const path = join(folder(), 'log');
    writeFileSync(path, '0123456789');
    const { seen, follow } = following(path, 4);
    await follow.drain();
    assert.equal(seen.text, '456789');
    appendFileSync(path, 'abc');
    await until('addition is read', () => seen.text === '456789abc');
  });

  it('rests as long as its reader works, and stops resting when it is let go', async () => {
    const path = join(folder(), 'log');
    writeFileSync(path, 'x'.repeat(2 ** 20));
    const clock = new ManualClock();
    const machine = new LocalMachine({ runsFolder: folder(), workFolder: folder(), clock });
    const sizes: number[] = [];
    const follow = machine.follow(path, 0, {
      onBytes: (bytes) => {
        sizes.push(bytes.length);
        clock.pass(20);
      },
      onChange: () => undefined,
      onError: assert.fail,
    });
    owned.add(follow);
    for (let slices = 1; slices < 4; slices += 1) {
      await until('a slice is read', () => sizes.length === slices);
      for (let round = 0; round < 5; round += 1) await clock.advance(0);
      assert.equal(sizes.length, slices, 'nothing is read during a rest');
      assert.ok(Math.max(...sizes) <= 64 * 1024);
      await clock.advance(20);
    }
    follow.dispose();
    assert.equal(clock.pendingTimers, 0);
    const read = sizes.length;
    await clock.advance(1_000);
    assert.equal(sizes.length, read);
  });

  it('polls no more when the receiver of a change lets it go', async () => {
    const clock = new ManualClock();
    const machine = new LocalMachine({ runsFolder: folder(), workFolder: folder(), clock });
    const follow = machine.follow(join(folder(), 'log'), 0, {
      onBytes: () => undefined,
      onChange: () => follow.dispose(),
      onError: assert.fail,
    });
    await follow.drain();
    await clock.advance(1_000);
    assert.equal(clock.pendingTimers, 0);
  });

  it('reads on when the receiver is ready for more', async () => {
    const path = join(folder(), 'log');
    writeFileSync(path, '1'.repeat(10_000));
    const ready = Promise.withResolvers<void>();
    let received = 0;
    const machine = new LocalMachine({ runsFolder: folder(), workFolder: folder() });
    const follow = machine.follow(path, 0, {
      onBytes: (bytes) => {
        received += bytes.length;
        return ready.promise;
      },
      onChange: () => undefined,
      onError: assert.fail,
    });
    owned.add(follow);
    const drained = follow.drain();
    await until('the first bytes are read', () => received > 0);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(received, 4096);
    ready.resolve();
    await drained;
    assert.equal(received, 10_000);
  });

  it('reports a pipe in place of the file, and does not wait for it', async () => {
    execFileSync('mkfifo', [join(folder(), 'log')]);
    const { seen, follow } = following(join(folder(), 'log'));
    await assert.rejects(follow.drain(), { reason: 'denied', message: /not a regular file/ });
    await until('error is told', () => seen.errors.length > 0);
  });

  it('begins when the file appears, and when its folder appears', async () => {
    const { seen } = following(join(folder(), 'log'));
    writeFileSync(join(folder(), 'log'), 'first');
    await until('file is read', () => seen.text === 'first');
    const later = following(join(folder(), 'later/log'));
    mkdirSync(join(folder(), 'later'));
    writeFileSync(join(folder(), 'later/log'), 'second');
    await until('file in the new folder is read', async () => {
      await later.clock.advance(1000);
      return later.seen.text === 'second';
    });
    assert.deepEqual([...seen.errors, ...later.seen.errors], []);
  });

  it('tells that something else in the folder changed, and what', async () => {
    const { seen } = following(join(folder(), 'log'));
    writeFileSync(join(folder(), 'exit'), 'code=0');
    await until('change is told', () => seen.changes.length > 0);
    assert.deepEqual(new Set(seen.changes), new Set(['exit']));
    assert.equal(seen.text, '');
  });

  describe('where the system does not tell of a change', () => {
    /** A second name in another folder: only there is told of what is written by it. */
    function hidden(path: string): string {
      mkdirSync(join(folder(), 'elsewhere'));
      writeFileSync(path, '');
      const other = join(folder(), 'elsewhere/log');
      linkSync(path, other);
      return other;
    }

    it('looks each second', async () => {
      const path = join(folder(), 'log');
      const other = hidden(path);
      const { seen, follow, clock } = following(path);
      await follow.drain();
      appendFileSync(other, 'unheard');
      await clock.advance(999);
      assert.deepEqual([seen.text, seen.changes], ['', []]);
      await clock.advance(1);
      await until('it is read', () => seen.text === 'unheard');
      assert.deepEqual(seen.changes, [undefined]);
    });

    it('looks every five while it tells of others, and each second when it does not any more', async () => {
      const path = join(folder(), 'log');
      const other = hidden(path);
      const { seen, follow, clock } = following(path);
      await follow.drain();
      writeFileSync(join(folder(), 'heartbeat'), '');
      await until('change is told', () => seen.changes.length > 0);
      await clock.advance(1000);
      const told = seen.changes.length;
      appendFileSync(other, 'unheard');
      await clock.advance(4999);
      assert.deepEqual([seen.text, seen.changes.length], ['', told]);
      await clock.advance(1);
      await until('it is read', () => seen.text === 'unheard');
      await clock.advance(12_000);
      const calm = seen.changes.length;
      await clock.advance(3000);
      assert.equal(seen.changes.length, calm + 3);
    });
  });

  it('gives each byte once while a writer and many drains are at work', async () => {
    const path = join(folder(), 'log');
    const { seen, follow } = following(path);
    let written = '';
    for (let part = 0; part < 300; part++) {
      const text = `${part}${part % 7 === 0 ? '\n' : ' '}`;
      appendFileSync(path, text);
      written += text;
      if (part % 3 === 0) await Promise.all([follow.drain(), follow.drain()]);
    }
    await follow.drain();
    assert.equal(seen.text, written);
  });

  it('has read everything when drain resolves, however much it is', async () => {
    const path = join(folder(), 'log');
    const { seen, follow } = following(path);
    writeFileSync(path, 'x'.repeat(5_000_000));
    await follow.drain();
    assert.equal(seen.text.length, 5_000_000);
  });

  it('says nothing after it was let go', async () => {
    const path = join(folder(), 'log');
    const { seen, follow, clock } = following(path);
    follow.dispose();
    writeFileSync(path, 'late');
    await follow.drain();
    await clock.advance(5000);
    assert.equal(seen.text, '');
    assert.equal(clock.pendingTimers, 0);
  });

  it('reports a file that cannot be read', async () => {
    mkdirSync(join(folder(), 'log'));
    const { seen, follow } = following(join(folder(), 'log'));
    await assert.rejects(follow.drain(), { reason: 'io' });
    await until('error is told', () => seen.errors.length > 0);
  });
});
