import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { Follow } from '../../../../src/machines/machine.ts';
import { RemoteFollows } from '../../../../src/machines/remote/remoteFollow.ts';
import { StandingShell } from '../../../../src/machines/remote/standingShell.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { heard, ScriptedHost, unreachable } from '../../../fakes/scriptedHost.ts';

interface Seen {
  text: string;
  changes: number;
  readonly errors: string[];
}

describe('files of a host that are followed', () => {
  let clock: ManualClock;
  let host: ScriptedHost;
  let follows: RemoteFollows;
  /** As the host has them: name in `/runs` → text; `undefined`: a folder. */
  let files: Map<string, string | undefined>;
  let probes: number;
  let reads: string[];
  let isReadable: boolean;
  beforeEach(() => {
    clock = new ManualClock();
    host = new ScriptedHost();
    files = new Map();
    probes = 0;
    reads = [];
    isReadable = true;
    host.answers = answer;
    const shell = new StandingShell(host, clock);
    follows = new RemoteFollows({ clock, shell, retryAfterMs: () => host.retryAfterMs });
  });

  let before = new WeakMap<object, string>();
  /** As the host answers the scripts of `listing.ts`. */
  const answer = (script: string): string => {
    const [, name = '', block, skip, count] =
      /^dd if=\/runs\/(\w+) bs=(\d+) skip=(\d+) count=(\d+)/.exec(script) ?? [];
    if (name === '') return listed();
    reads.push(`${name} ${block} ${skip} ${count}`);
    const start = Number(skip) * Number(block);
    return isReadable
      ? (files.get(name) ?? '').slice(start, start + Number(count) * Number(block))
      : '';
  };
  const listed = (): string => {
    probes += 1;
    const lines = [...files].map(
      ([name, text]) =>
        `${text === undefined ? 'd' : '-'}rw-r--r-- 1 0 0 ${text?.length ?? 4096} Jan 1 00:00 ${name}`,
    );
    const now = ['/dev/null', '', '/runs:', 'total 8', ...lines].join('\n');
    const shell = host.last;
    if (before.get(shell) === now) return '=';
    before.set(shell, now);
    return `${now}\n`;
  };
  beforeEach(() => (before = new WeakMap()));

  const follow = (name: string, offset = 0): { seen: Seen; follow: Follow } => {
    const seen: Seen = { text: '', changes: 0, errors: [] };
    const one = follows.follow(`/runs/${name}`, offset, {
      onBytes: (bytes, at) => {
        assert.equal(at, offset + seen.text.length);
        seen.text += Buffer.from(bytes).toString();
      },
      onChange: () => (seen.changes += 1),
      onError: ({ message }) => seen.errors.push(message),
    });
    return { seen, follow: one };
  };

  it('are looked at five times a second, all in one look, and less often once nothing changes', async () => {
    files.set('a', 'one').set('b', 'two');
    const both = [follow('a'), follow('b')];
    await clock.advance(0);
    assert.deepEqual(
      both.map(({ seen }) => seen.text),
      ['one', 'two'],
    );
    const first = probes;
    assert.equal(first, 1);
    await clock.advance(2000);
    assert.equal(probes - first, 10);
    await clock.advance(28_000);
    const calm = probes;
    await clock.advance(5000);
    assert.ok(
      probes - calm <= 11 && probes - calm >= 9,
      `${probes - calm} looks in five calm seconds`,
    );
    files.set('a', 'one, more');
    await clock.advance(500);
    const busy = probes;
    await clock.advance(2000);
    assert.equal(probes - busy, 10);
    assert.equal(both[0]?.seen.text, 'one, more');
  });

  it('are read by blocks from where they were, large ones where much has come', async () => {
    files.set('a', 'x'.repeat(700));
    const { seen } = follow('a', 600);
    await clock.advance(0);
    files.set('a', 'x'.repeat(1024));
    await clock.advance(200);
    files.set('a', 'x'.repeat(1024 + 64 * 1024));
    await clock.advance(200);
    files.set('a', 'x'.repeat(1024 + 128 * 1024 + 1));
    await clock.advance(200);
    assert.deepEqual(reads, ['a 512 1 1', 'a 512 1 1', 'a 512 2 128', 'a 65536 1 2']);
    assert.equal(seen.text.length, 1024 + 128 * 1024 + 1 - 600);
  });

  it('are read four MiB at a time', async () => {
    files.set('a', 'x'.repeat(9 * 2 ** 20));
    const { seen } = follow('a');
    await clock.advance(0);
    assert.deepEqual(reads, ['a 65536 0 64', 'a 65536 64 64', 'a 65536 128 16']);
    assert.equal(seen.text.length, 9 * 2 ** 20);
  });

  it('leave as much time to others as their readers take, however much has come', async () => {
    files.set('a', 'x'.repeat(2 ** 20));
    const sizes: number[] = [];
    const startMs = clock.now();
    let workMs = 0;
    follows.follow('/runs/a', 0, {
      onBytes: (bytes) => {
        sizes.push(bytes.length);
        workMs += 20;
        clock.pass(20);
      },
      onChange: () => undefined,
      onError: assert.fail,
    });
    await clock.advance(0);
    assert.deepEqual(sizes, [64 * 1024], 'rests after the first slice');
    await clock.advance(10_000);
    assert.deepEqual(new Set(sizes), new Set([64 * 1024]));
    assert.equal(sizes.length, 16);
    assert.ok(clock.now() - startMs >= 2 * workMs);
  });

  it('are read on when the receiver is ready for more', async () => {
    files.set('a', 'x'.repeat(9 * 2 ** 20));
    const ready = Promise.withResolvers<void>();
    follows.follow('/runs/a', 0, {
      onBytes: () => ready.promise,
      onChange: () => undefined,
      onError: assert.fail,
    });
    await clock.advance(0);
    assert.equal(reads.length, 1);
    ready.resolve();
    await clock.advance(0);
    assert.equal(reads.length, 3);
  });

  it('are drained when all of them are read', async () => {
    files.set('a', 'one').set('b', 'two');
    const both = [follow('a'), follow('b')];
    host.answers = (script) =>
      script.startsWith('dd') && !isReadable ? undefined : answer(script);
    isReadable = false;
    let isDrained = false;
    const drained = both[0]?.follow.drain().then(() => (isDrained = true));
    await clock.advance(100);
    assert.equal(isDrained, false);
    isReadable = true;
    host.last.answer(answer);
    await drained;
    assert.deepEqual(
      both.map(({ seen }) => seen.text),
      ['one', 'two'],
    );
  });

  it('tell of changes beside them, and not of their own', async () => {
    files.set('log', 'a').set('exit', '');
    const { seen } = follow('log');
    await clock.advance(0);
    assert.equal(seen.changes, 1);
    files.set('log', 'ab');
    await clock.advance(200);
    assert.equal(seen.changes, 1);
    files.set('exit', 'code=0');
    await clock.advance(200);
    assert.equal(seen.changes, 2);
    files.delete('exit');
    await clock.advance(200);
    assert.equal(seen.changes, 3);
  });

  it('are told once of an outage, however long, and again of the next one', async () => {
    files.set('a', 'one');
    const both = [follow('a'), follow('b')];
    await clock.advance(0);
    for (const outages of [1, 2]) {
      host.refusal = unreachable();
      host.retryAfterMs = 0;
      host.last.lose();
      await clock.advance(20_000);
      for (const { seen } of both) assert.equal(seen.errors.length, outages);
      host.refusal = undefined;
      files.set('a', `one${'!'.repeat(outages)}`);
      await clock.advance(1000);
    }
    assert.equal(both[0]?.seen.text, 'one!!');
  });

  it('are not asked for while the host is not tried, and at most four times a second', async () => {
    let tries = 0;
    host.refusal = unreachable();
    const exec = host.exec.bind(host);
    host.exec = (...call) => {
      tries += 1;
      return exec(...call);
    };
    follow('a');
    await clock.advance(1000);
    assert.equal(tries, 5);
    host.retryAfterMs = 10_000;
    await clock.advance(250);
    assert.equal(tries, 6);
    await clock.advance(9999);
    assert.equal(tries, 6);
    await clock.advance(1);
    assert.equal(tries, 7);
  });

  it('say once what cannot be read, and again after it could', async () => {
    files.set('a', 'one').set('dir', undefined);
    isReadable = false;
    const file = follow('a');
    const folder = follow('dir');
    await clock.advance(3000);
    assert.deepEqual(file.seen.errors, [
      'Cannot read /runs/a: permission denied, or it was deleted.',
    ]);
    assert.deepEqual(folder.seen.errors, ['Cannot read /runs/dir: it is a folder.']);
    const drained = assert.rejects(folder.follow.drain(), { reason: 'io' });
    await clock.advance(0);
    await drained;
    isReadable = true;
    await clock.advance(200);
    assert.equal(file.seen.text, 'one');
    isReadable = false;
    files.set('a', 'one, more');
    await clock.advance(1000);
    assert.equal(file.seen.errors.length, 2);
  });

  it('are let go of with their shell, and cost nothing any more', async () => {
    files.set('a', 'one');
    const one = follow('a');
    const two = follow('b');
    await clock.advance(0);
    one.follow.dispose();
    await clock.advance(200);
    assert.equal(host.last.isLetGo, false);
    two.follow.dispose();
    assert.ok(host.last.isLetGo);
    assert.equal(clock.pendingTimers, 0);
    const before = probes;
    await one.follow.drain();
    await clock.advance(10_000);
    assert.equal(probes, before);
    files.set('a', 'one, more');
    const again = follow('a', 3);
    await clock.advance(0);
    assert.equal(again.seen.text, ', more');
    follows.dispose();
    assert.equal(clock.pendingTimers, 0);
    assert.ok(host.last.isLetGo);
  });

  it('are asked for anew when one of another folder comes, though nothing has changed', async () => {
    files.set('a', 'one');
    follow('a');
    await clock.advance(0);
    const { seen } = follow('b');
    files.set('b', 'two');
    await clock.advance(200);
    assert.equal(seen.text, 'two');
    await heard();
  });

  it('are looked at less often where each look is slow, or has a command of its own', async () => {
    files.set('a', 'one');
    host.answers = (script) => {
      if (script.startsWith('dd')) return answer(script);
      probes += 1;
      return undefined;
    };
    follow('a');
    await heard();
    assert.equal(probes, 1);
    await clock.advance(1000);
    probes = 0;
    host.answers = answer;
    host.last.answer(answer);
    await clock.advance(0);
    probes = 0;
    await clock.advance(3999);
    assert.equal(probes, 0);
    await clock.advance(1);
    assert.equal(probes, 1);
  });
});
