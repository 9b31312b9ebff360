import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { MachineFailure } from '../../../../src/machines/machine.ts';
import { commandRunner } from '../../../../src/machines/remote/commandRunner.ts';
import { Queries } from '../../../../src/machines/remote/queries.ts';
import { RemoteShell } from '../../../../src/machines/remote/remoteShell.ts';
import { StandingShell } from '../../../../src/machines/remote/standingShell.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import {
  heard,
  ScriptedHost,
  unreachable,
  type ScriptedChannel,
} from '../../../fakes/scriptedHost.ts';

const noRoom = (): MachineFailure =>
  new MachineFailure('denied', 'gpu1 allows too few sessions to keep one open.');
const silent = (): undefined => undefined;

describe('a shell that stays', () => {
  let clock: ManualClock;
  let host: ScriptedHost;
  beforeEach(() => {
    clock = new ManualClock();
    host = new ScriptedHost();
    host.answers = silent;
  });
  const open = (): Promise<RemoteShell> => RemoteShell.open(host, clock);
  const kills = (): ScriptedChannel[] =>
    host.channels.filter(({ options }) => options.use === 'urgent');

  it('ends an answer by its word alone, in however many pieces that comes', async () => {
    const shell = await open();
    const { word } = host.last;
    const texts = ['', '1\n', `almost${word.slice(0, -3)}!`, '\n\n', 'ä'.repeat(100)];
    for (const chunk of [
      1,
      2,
      3,
      7,
      word.length - 1,
      word.length,
      word.length + 1,
      word.length + 10,
      10_000,
    ]) {
      const answers = Promise.all(
        texts.map(async (_, index) => (await shell.run(`echo ${index}`)).toString()),
      );
      answers.catch(() => undefined);
      const bytes = Buffer.from(texts.map((text) => text + word).join(''));
      for (let at = 0; at < bytes.length; at += chunk)
        host.last.say(bytes.subarray(at, at + chunk));
      // An answer whose end was not seen is late by then.
      await clock.advance(30_000);
      assert.deepEqual(await answers, texts, `${chunk} bytes at a time`);
    }
    assert.equal(clock.pendingTimers, 0);
  });

  it('is a session that gives way, and says its word where nobody can list it', async () => {
    await open();
    assert.equal(host.last.options.use, 'stream');
    assert.equal(host.last.stderr.readableFlowing, true, 'what nobody reads holds it up');
    assert.ok(!host.last.line.includes(host.last.word.trim()));
  });

  it('takes an answer that is as long as it may be, and no longer one', async () => {
    const shell = await open();
    const { word } = host.last;
    const maxBytes = word.length + 5;
    const whole = shell.run('a', { maxBytes });
    host.last.say(`12345${word}`);
    assert.equal((await whole).toString(), '12345');
    const long = shell.run('b', { maxBytes });
    const behind = shell.run('c');
    host.last.say('x'.repeat(maxBytes));
    await heard();
    assert.equal(shell.isOver, false);
    host.last.say('y');
    await assert.rejects(long, { reason: 'io', message: /longer than .* MiB\. Ask for less/ });
    await assert.rejects(behind, { reason: 'unreachable' });
    assert.ok(shell.isOver);
  });

  it('has a limit where none is named, and one for what nobody asked', async () => {
    const shell = await open();
    const long = shell.run('a');
    const piece = Buffer.alloc(2 ** 20, 'x');
    for (let mib = 0; mib < 17; mib += 1) host.last.say(piece);
    await assert.rejects(long, { reason: 'io', message: /longer than 16 MiB/ });
    assert.ok(shell.isOver);
    const idle = await open();
    for (let mib = 0; mib < 17; mib += 1) host.last.say(piece);
    await heard();
    assert.ok(idle.isOver);
  });

  it('counts what comes behind an answer for the next question', async () => {
    const shell = await open();
    const { word } = host.last;
    const first = shell.run('a', { maxBytes: 3 });
    const second = shell.run('b', { maxBytes: 3 });
    host.last.say(`1${word}2345`);
    assert.equal((await first).toString(), '1');
    await assert.rejects(second, { reason: 'io' });
  });

  it('knows the end of an answer that began behind another one', async () => {
    const shell = await open();
    const { word } = host.last;
    const both = Promise.all([shell.run('a'), shell.run('b')]);
    both.catch(() => undefined);
    host.last.say(`1${word}2${word.slice(0, 5)}`);
    host.last.say(word.slice(5));
    await clock.advance(30_000);
    assert.deepEqual((await both).map(String), ['1', '2']);
  });

  it('is ended with what it runs when an answer is late, each question by its own time', async () => {
    const shell = await open();
    const quick = shell.run('a', { timeoutMs: 400 });
    const usual = shell.run('b');
    quick.catch(() => undefined);
    usual.catch(() => undefined);
    await clock.advance(399);
    assert.equal(shell.isOver, false);
    await clock.advance(1);
    await assert.rejects(quick, { reason: 'timeout', message: /within 400 ms/ });
    await assert.rejects(usual, { reason: 'unreachable' });
    assert.match(kills()[0]?.line ?? '', /g=-4711 /);
    assert.equal(clock.pendingTimers, 0);
    const late = (await open()).run('c');
    late.catch(() => undefined);
    await clock.advance(30_000);
    await assert.rejects(late, { reason: 'timeout', message: /within 30 s/ });
  });

  it('ends nothing where it has no group of its own', async () => {
    // It says so by a line without a number.
    const opening = open();
    await heard();
    host.last.answers = undefined;
    assert.equal(kills().length, 0);
    await opening;
    const unled = new ScriptedHost();
    const shell = RemoteShell.open(unled, clock);
    await heard();
    unled.last.say(`\n4711\n${unled.last.word}`);
    const late = (await shell).run('x', { timeoutMs: 1 });
    late.catch(() => undefined);
    await clock.advance(1);
    await assert.rejects(late, { reason: 'timeout' });
    assert.equal(unled.channels.length, 1);
  });

  it('is let go of without a word when it is idle, and ended when it is not', async () => {
    const idle = await open();
    idle.dispose();
    assert.ok(host.last.isLetGo);
    assert.equal(kills().length, 0);
    await assert.rejects(idle.run('a'), { reason: 'unreachable' });
    const busy = await open();
    const asked = busy.run('sleep 60');
    busy.dispose();
    await assert.rejects(asked, { reason: 'unreachable' });
    assert.equal(kills().length, 1);
  });

  it('is denied where a user gets none, and lost where it answered before', async () => {
    host.answers = undefined;
    const opening = open();
    await heard();
    host.last.exit(1);
    host.last.lose();
    await assert.rejects(opening, { reason: 'denied', message: /does not keep a shell open/ });
    const lost = open();
    await heard();
    host.last.lose();
    await assert.rejects(lost, { reason: 'unreachable' });
    host.answers = silent;
    const shell = await open();
    const asked = shell.run('a');
    host.last.exit(1);
    host.last.lose();
    await assert.rejects(asked, { reason: 'unreachable' });
  });
});

describe('a shell that is opened when it is needed', () => {
  let clock: ManualClock;
  let host: ScriptedHost;
  beforeEach(() => {
    clock = new ManualClock();
    host = new ScriptedHost();
    host.answers = (script) => `${host.channels.length}: ${script}`;
  });
  const standing = (other?: () => StandingShell): StandingShell =>
    new StandingShell(host, clock, other);
  const ask = async (shell: StandingShell, script: string): Promise<string> =>
    String(await shell.run(script));
  /** The question is on its way, and the shell is gone. */
  const lostWhileAsking = async (shell: StandingShell): Promise<Promise<string>> => {
    host.last.answers = undefined;
    const asked = ask(shell, 'b');
    asked.catch(() => undefined);
    await heard();
    host.last.lose();
    return asked.then((text) => text);
  };

  it('is one for all that is asked at a time', async () => {
    const shell = standing();
    assert.equal(shell.stays, false);
    assert.deepEqual(await Promise.all([ask(shell, 'a'), ask(shell, 'b')]), ['1: a', '1: b']);
    assert.equal(host.channels.length, 1);
    assert.equal(shell.stays, true);
  });

  it('asks once more where the shell is gone that was there before', async () => {
    const shell = standing();
    await ask(shell, 'a');
    host.last.answers = undefined;
    const asked = ask(shell, 'b');
    await heard();
    host.last.lose();
    assert.equal(await asked, '2: b');
    assert.equal(host.channels.length, 2);
  });

  it('asks nothing once more where the host is down, or the shell was let go of', async () => {
    const shell = standing();
    await ask(shell, 'a');
    host.retryAfterMs = 500;
    await assert.rejects(lostWhileAsking(shell), { reason: 'unreachable' });
    host.retryAfterMs = 0;
    await ask(shell, 'c');
    host.last.answers = undefined;
    const asked = ask(shell, 'd');
    asked.catch(() => undefined);
    await heard();
    shell.dispose();
    await assert.rejects(asked, { reason: 'unreachable' });
    assert.equal(host.channels.filter(({ options }) => options.use === 'stream').length, 2);
  });

  it('asks nothing once more of a shell that was opened for it, nor what was too late or too long', async () => {
    const shell = standing();
    host.answers = silent;
    const first = ask(shell, 'a');
    first.catch(() => undefined);
    await heard();
    host.last.lose();
    await assert.rejects(first, { reason: 'unreachable' });
    assert.equal(host.channels.length, 1);
    const late = shell.run('b', { timeoutMs: 100 });
    late.catch(() => undefined);
    await clock.advance(100);
    await assert.rejects(late, { reason: 'timeout' });
    assert.equal(host.channels.filter(({ options }) => options.use === 'stream').length, 2);
  });

  it('answers by a command each while there is no room for it, and tries again after a minute', async () => {
    const shell = standing();
    const command = async (script: string): Promise<string> => {
      const asked = ask(shell, script);
      await heard();
      assert.equal(host.last.options.use, undefined);
      host.last.begin();
      host.last.say(`by itself: ${script}`);
      await heard();
      host.last.exit(0);
      await clock.advance(1000);
      return asked;
    };
    const exec = host.exec.bind(host);
    let streams = 0;
    host.exec = (line, options, listen) => {
      if (options.use === 'stream' && ++streams > 0) return Promise.reject(noRoom());
      return exec(line, options, listen);
    };
    host.answers = undefined;
    assert.equal(await command('a'), 'by itself: a');
    assert.equal(await command('b'), 'by itself: b');
    assert.equal(streams, 1, 'it is not tried each time');
    assert.equal(shell.stays, false);
    await clock.advance(60_000);
    host.exec = exec;
    host.answers = (script) => `shell: ${script}`;
    assert.equal(await ask(shell, 'c'), 'shell: c');
  });

  it('leans on the shell of another while there is no room, and looks for its own when that is gone', async () => {
    const one: StandingShell = standing();
    const two = standing(() => one);
    await ask(one, 'a');
    const exec = host.exec.bind(host);
    host.exec = () => Promise.reject(noRoom());
    assert.equal(await ask(two, 'b'), '1: b');
    assert.deepEqual([two.stays, two.own], [true, undefined]);
    host.exec = exec;
    assert.equal(await ask(two, 'c'), '1: c', 'it waits before it tries again');
    host.last.lose();
    assert.equal(await ask(two, 'd'), '2: d');
    assert.notEqual(two.own, undefined);
  });

  it('lets go of a shell that was still being opened when it was disposed', async () => {
    host.answers = undefined;
    const shell = standing();
    const asked = ask(shell, 'a');
    asked.catch(() => undefined);
    await heard();
    shell.dispose();
    host.last.answer((script) => `1: ${script}`);
    await asked.catch(() => undefined);
    assert.ok(host.last.isLetGo);
    assert.equal(shell.own, undefined);
  });

  it('fails as opening it fails', async () => {
    host.refusal = unreachable();
    await assert.rejects(ask(standing(), 'a'), { reason: 'unreachable' });
  });
});

describe('a command for each script', () => {
  const limits: readonly (readonly [
    what: string,
    limit: object,
    printed: string,
    waitMs: number,
    failure: object,
  ])[] = [
    ['prints too much', { maxBytes: 5 }, '123456', 0, { reason: 'io', message: /Ask for less/ }],
    ['is late', { timeoutMs: 400 }, '1', 400, { reason: 'timeout', message: /within 400 ms/ }],
    ['is late by default', {}, '1', 30_000, { reason: 'timeout', message: /within 30 s/ }],
  ];
  for (const [what, limit, printed, waitMs, failure] of limits)
    it(`is ended when it ${what}`, async () => {
      const clock = new ManualClock();
      const host = new ScriptedHost();
      const answer = commandRunner(host, clock).run('yes', limit);
      answer.catch(() => undefined);
      const [channel] = host.channels;
      channel?.begin();
      channel?.say(printed);
      await heard();
      await clock.advance(Math.max(0, waitMs - 1));
      assert.equal(host.channels.length, waitMs === 0 ? 2 : 1);
      await clock.advance(1);
      assert.equal(host.last.options.use, 'urgent');
      channel?.exit(null, 'TERM');
      await clock.advance(1000);
      await assert.rejects(answer, failure);
    });

  it('may print as much as it is allowed', async () => {
    const clock = new ManualClock();
    const host = new ScriptedHost();
    const answer = commandRunner(host, clock).run('yes', { maxBytes: 5 });
    host.last.begin();
    for (const text of ['12', '345']) host.last.say(text);
    await heard();
    host.last.exit(0);
    await clock.advance(1000);
    assert.equal(String(await answer), '12345');
  });
});

describe('queries', () => {
  it('are asked one after the other, past one that fails, and no more after the end', async () => {
    const asked: string[] = [];
    let isDisposed = false;
    const answers = [Promise.withResolvers<Buffer>(), Promise.withResolvers<Buffer>()];
    const queries = new Queries({
      run: (script) => {
        asked.push(script);
        return answers[asked.length - 1]?.promise ?? Promise.resolve(Buffer.from('third'));
      },
      dispose: () => void (isDisposed = true),
    });
    const all = ['a', 'b', 'c'].map((script) => queries.ask(script));
    await heard();
    assert.equal(asked.length, 1);
    answers[0]?.reject(unreachable());
    await assert.rejects(all[0] ?? Promise.resolve(), { reason: 'unreachable' });
    answers[1]?.resolve(Buffer.from('ä'));
    assert.deepEqual(await Promise.all(all.slice(1)), ['ä', 'third']);
    queries.dispose();
    assert.ok(isDisposed);
    await assert.rejects(queries.ask('d'), { reason: 'unreachable', message: /was closed/ });
    assert.equal(asked.length, 3);
  });
});
