import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { beforeEach, describe, it } from 'mocha';
import type { ExecOutcome } from '../../../../src/machines/machine.ts';
import { execRemote, type RemoteExec } from '../../../../src/machines/remote/remoteExec.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import {
  heard,
  ScriptedHost,
  unreachable,
  type ScriptedChannel,
} from '../../../fakes/scriptedHost.ts';

describe('a command on a host', () => {
  let clock: ManualClock;
  let host: ScriptedHost;
  let out: string;
  let err: string;
  beforeEach(() => {
    clock = new ManualClock();
    host = new ScriptedHost();
    out = err = '';
  });

  /** Begins it; `channel` is its way, on which the test says what happens. */
  const begun = (
    options: Partial<RemoteExec> = {},
  ): { ended: Promise<ExecOutcome>; channel: ScriptedChannel } => {
    const sinks = {
      onStdout: (bytes: Uint8Array) => void (out += String(bytes)),
      onStderr: (bytes: Uint8Array) => void (err += String(bytes)),
    };
    const ended = execRemote(
      host,
      'python train.py',
      { cwd: '/work', ...sinks, ...options },
      clock,
    );
    ended.catch(() => undefined);
    return { ended, channel: host.last };
  };
  const kills = (): ScriptedChannel[] =>
    host.channels.filter(({ options }) => options.use === 'urgent');
  /** It has ended, and its way is closed as a host closes it. */
  const over = async (
    channel: ScriptedChannel,
    code: number | null,
    signal?: string,
  ): Promise<void> => {
    channel.exit(code, signal);
    await clock.advance(1000);
  };

  it('prints nothing of what start-up files print, in whatever pieces it comes', async () => {
    const { ended, channel } = begun();
    const marker = /helios-[0-9a-f]{16}/.exec(channel.line)?.[0] ?? '';
    for (const byte of Buffer.from(`Welcome\n${marker}loss 0.5\n`))
      channel.say(Uint8Array.of(byte));
    for (const byte of Buffer.from(`motd\n${marker} 4711\nwarning\n`))
      channel.stderr.write(Uint8Array.of(byte));
    await heard();
    assert.deepEqual([out, err], ['loss 0.5\n', 'warning\n']);
    await over(channel, 0);
    assert.deepEqual(await ended, { kind: 'exited', code: 0 });
    assert.equal(clock.pendingTimers, 0);
  });

  it('prints what comes together with its beginning', async () => {
    const { ended, channel } = begun();
    const marker = /helios-[0-9a-f]{16}/.exec(channel.line)?.[0] ?? '';
    channel.say(`Welcome\n${marker}loss 0.5\n`);
    channel.stderr.write(`motd\n${marker} 4711\nwarning\n`);
    await heard();
    await over(channel, 0);
    await ended;
    assert.deepEqual([out, err], ['loss 0.5\n', 'warning\n']);
  });

  it('gives nothing for nothing', async () => {
    const pieces: number[] = [];
    const count = (bytes: Uint8Array): void => void pieces.push(bytes.length);
    const { ended, channel } = begun({ onStdout: count, onStderr: count });
    channel.begin();
    await heard();
    await over(channel, 0);
    await ended;
    assert.deepEqual(pieces, []);
  });

  it('is given its environment, and what is long of it, where nobody can list it', async () => {
    const { channel } = begun({ env: { TOKEN: 's3cret' } });
    assert.doesNotMatch(channel.line, /s3cret/);
    assert.match(channel.line, /python train.py/);
    assert.match(channel.written, /^export TOKEN=s3cret\n$/);
    const plain = begun({});
    assert.equal(plain.channel.written, '');
    const run = (command: string): ScriptedChannel => {
      const exec = { cwd: '/', onStdout: () => undefined, onStderr: () => undefined };
      execRemote(host, command, exec, clock).catch(() => undefined);
      return host.last;
    };
    assert.match(run('x'.repeat(3000)).line, /xxx/);
    const long = run('x'.repeat(3001));
    assert.doesNotMatch(long.line, /xxx/);
    assert.match(long.written, /^c=x{3001}\n$/);
    run('x'.repeat(120 * 1024));
    const before = host.channels.length;
    const tooLong = execRemote(
      host,
      'x'.repeat(120 * 1024 + 1),
      { cwd: '/', onStdout: () => undefined, onStderr: () => undefined },
      clock,
    );
    await assert.rejects(tooLong, { reason: 'io', message: /too long/ });
    assert.equal(host.channels.length, before);
  });

  it('reads what it is given, and else the end of a file at once', async () => {
    const none = begun();
    assert.match(none.channel.line, / <\/dev\/null/);
    assert.ok(none.channel.writableEnded);
    for (const stdin of ['text', Buffer.from('text')]) {
      const { channel } = begun({ stdin, env: { A: 'b' } });
      assert.doesNotMatch(channel.line, / <\/dev\/null/);
      await heard();
      assert.equal(channel.written, 'export A=b\ntext');
      assert.ok(channel.writableEnded);
    }
    await heard();
  });

  it('leaves nothing on the signal that could have called it off', async () => {
    const { signal } = new AbortController();
    const { ended, channel } = begun({ signal });
    channel.begin();
    await heard();
    assert.equal(getEventListeners(signal, 'abort').length, 1);
    await over(channel, 0);
    await ended;
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  const ends: readonly (readonly [
    code: number | null,
    signal: string | undefined,
    outcome: ExecOutcome,
  ])[] = [
    [3, undefined, { kind: 'exited', code: 3 }],
    [null, 'SIGKILL', { kind: 'signalled', signal: 'KILL' }],
    [null, 'TERM@openssh.com', { kind: 'signalled', signal: 'TERM' }],
    [null, undefined, { kind: 'signalled', signal: 'unknown' }],
  ];
  for (const [code, signal, outcome] of ends)
    it(`ends with ${code ?? signal ?? 'a signal that has no name'}`, async () => {
      const { ended, channel } = begun();
      channel.begin();
      await over(channel, code, signal);
      assert.deepEqual(await ended, outcome);
    });

  it('is not known to have ended where the way was lost, not even after its time was over', async () => {
    for (const timeoutMs of [undefined, 5000]) {
      const { ended, channel } = begun(timeoutMs === undefined ? {} : { timeoutMs });
      channel.begin();
      await heard();
      await clock.advance(5000);
      channel.lose();
      await assert.rejects(ended, {
        reason: 'unreachable',
        message: /It started; whether it ended, and how, is unknown/,
      });
    }
    assert.equal(kills().length, 1);
  });

  it('is not known to have begun where nothing was heard of it', async () => {
    const { ended, channel } = begun();
    channel.lose();
    await assert.rejects(ended, {
      reason: 'unreachable',
      message: /Whether it started is unknown/,
    });
  });

  it('has timed out when its end is told, and is ended with all its group', async () => {
    const { ended, channel } = begun({ timeoutMs: 5000 });
    channel.begin(99);
    await heard();
    await clock.advance(4999);
    assert.equal(kills().length, 0);
    await clock.advance(1);
    const [kill] = kills();
    assert.match(kill?.line ?? '', /g=-99 /);
    assert.match(kill?.line ?? '', /-lt 40 /, 'two seconds between TERM and KILL');
    // Nothing of the ending is of use, nor may it fail.
    assert.deepEqual([kill?.readableFlowing, kill?.stderr.readableFlowing], [true, true]);
    kill?.destroy(new Error('lost'));
    await heard();
    await over(channel, null, 'TERM');
    assert.deepEqual(await ended, { kind: 'timed_out', afterMs: 5000 });
    assert.equal(kills().length, 1);
  });

  it('is ended as soon as it has begun where it was called off before', async () => {
    const abort = new AbortController();
    const { ended, channel } = begun({ signal: abort.signal });
    abort.abort();
    await heard();
    assert.equal(kills().length, 0, 'nothing is known to end');
    channel.begin(99);
    await heard();
    assert.match(kills()[0]?.line ?? '', /g=-99 /);
    assert.match(kills()[0]?.line ?? '', /-lt 10 /, 'half a second for who waits');
    await over(channel, null, 'TERM');
    assert.deepEqual(await ended, { kind: 'aborted' });
  });

  it('keeps its own end where its time is over, or it is called off, a moment later', async () => {
    const abort = new AbortController();
    const { ended, channel } = begun({ signal: abort.signal, timeoutMs: 5000 });
    channel.begin();
    await clock.advance(4500);
    channel.exit(0);
    abort.abort();
    await clock.advance(1000);
    assert.deepEqual(await ended, { kind: 'exited', code: 0 });
    assert.equal(kills().length, 0);
  });

  it('is given up when nobody confirms its end', async () => {
    for (const [options, waitMs] of [
      [{ timeoutMs: 5000 }, 5000 + 12_000],
      [{ signal: AbortSignal.abort() }, 10_500],
    ] as const) {
      host = new ScriptedHost();
      const abort = new AbortController();
      const { ended, channel } = begun('signal' in options ? { signal: abort.signal } : options);
      channel.begin();
      await heard();
      if ('signal' in options) abort.abort();
      await clock.advance(waitMs - 1);
      assert.equal(channel.isLetGo, false);
      await clock.advance(1);
      assert.ok(channel.isLetGo);
      await assert.rejects(ended, {
        reason: 'timeout',
        message: /did not confirm that the killed command has ended/,
      });
      assert.equal(clock.pendingTimers, 0);
    }
  });

  it('is read until it was silent for a second, when children hold its output', async () => {
    const { ended, channel } = begun();
    channel.begin();
    channel.exit(0);
    for (const text of ['a', 'b', 'c']) {
      await clock.advance(999);
      channel.say(text);
      await heard();
    }
    assert.equal(channel.isLetGo, false);
    await clock.advance(999);
    assert.equal(channel.isLetGo, false);
    await clock.advance(1);
    assert.deepEqual([await ended, out], [{ kind: 'exited', code: 0 }, 'abc']);
  });

  it('waits for who takes its output, however late that is', async () => {
    const taken = Promise.withResolvers<void>();
    let pieces = 0;
    const { ended, channel } = begun({
      onStdout: () => (pieces++ === 0 ? taken.promise : undefined),
    });
    channel.begin();
    channel.say('first');
    await heard();
    channel.say('second');
    channel.exit(0);
    await clock.advance(10_000);
    assert.deepEqual([pieces, channel.isLetGo], [1, false]);
    taken.resolve();
    await heard();
    await clock.advance(1000);
    assert.deepEqual([await ended, pieces], [{ kind: 'exited', code: 0 }, 2]);
  });

  it('says what is missing, and who does not let it run', async () => {
    const folder = begun();
    const marker = /helios-[0-9a-f]{16}/.exec(folder.channel.line)?.[0] ?? '';
    folder.channel.stderr.write(`${marker} nofolder\n`);
    await heard();
    await over(folder.channel, 1);
    await assert.rejects(folder.ended, { reason: 'missing', message: /no folder \/work/ });
    const refused = begun();
    refused.channel.stderr.write('This account is currently not available.\n');
    await heard();
    await over(refused.channel, 1);
    await assert.rejects(refused.ended, {
      reason: 'denied',
      message: /does not run commands.*: <untrusted[^>]*>This account is/,
    });
    host.refusal = unreachable();
    const begin = execRemote(
      host,
      'x',
      { cwd: '/', onStdout: () => undefined, onStderr: () => undefined },
      clock,
    );
    await assert.rejects(begin, { reason: 'unreachable' });
  });

  it('is not begun once it was called off', async () => {
    const signal = AbortSignal.abort();
    const exec = { cwd: '/', signal, onStdout: () => undefined, onStderr: () => undefined };
    assert.deepEqual(await execRemote(host, 'x', exec, clock), { kind: 'aborted' });
    assert.equal(host.channels.length, 0);
  });
});
