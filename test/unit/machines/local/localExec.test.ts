import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { systemClock, type Clock } from '../../../../src/base/clock.ts';
import { toDisposable } from '../../../../src/base/disposable.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { procFolder } from '../../../setup/proc.ts';

const isAlive = (pid: number): boolean => {
  try {
    // A zombie answers signals; only its state tells.
    return !/\) Z/.test(readFileSync(`${procFolder}/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe('LocalMachine.exec', () => {
  const folder = scratchFolder();
  const machine = (
    env: Record<string, string> = { PATH: process.env.PATH ?? '' },
    clock: Clock = systemClock,
  ): LocalMachine =>
    new LocalMachine({ runsFolder: join(folder(), 'runs'), workFolder: folder(), env, clock });

  it('tells exit codes, signals and output apart', async () => {
    const cases = [
      ['exit 0', { kind: 'exited', code: 0 }],
      ['exit 3', { kind: 'exited', code: 3 }],
      ['exec sh -c "exit 4"', { kind: 'exited', code: 4 }],
      ['set -e; false; echo no', { kind: 'exited', code: 1 }],
      ['no_such_command_here', { kind: 'exited', code: 127 }],
      ['kill -TERM $$', { kind: 'signalled', signal: 'TERM' }],
      ['kill -KILL $$', { kind: 'signalled', signal: 'KILL' }],
    ] as const;
    for (const [command, outcome] of cases)
      assert.deepEqual((await machine().exec(command)).outcome, outcome, command);
  });

  it('runs with bash, in the working folder, with the environment of the command', async () => {
    const here = machine({ PATH: process.env.PATH ?? '', OPENAI_API_KEY: 'secret' });
    const { stdout } = await here.exec('[[ a == a ]] && pwd && env', { env: { LR: '3e-4' } });
    assert.match(stdout, new RegExp(`^${folder()}\n`));
    assert.match(stdout, /^LR=3e-4$/m);
    assert.match(stdout, /^PYTHONUNBUFFERED=1$/m);
    assert.doesNotMatch(stdout, /secret/);
  });

  it('feeds standard input, also to a command that does not read it', async () => {
    assert.equal((await machine().exec('cat', { stdin: 'hello' })).stdout, 'hello');
    assert.deepEqual((await machine().exec('true', { stdin: 'x'.repeat(500_000) })).outcome, {
      kind: 'exited',
      code: 0,
    });
    assert.equal((await machine().exec('cat')).stdout, '');
  });

  it('keeps head and tail of a long output and counts the rest', async () => {
    const { stdout, omittedBytes } = await machine().exec('seq 1 100000', { maxBytes: 200 });
    assert.match(stdout, /^1\n2\n/);
    assert.match(stdout, /99999\n100000\n$/);
    assert.equal(omittedBytes.stdout, 588_895 - 200);
  });

  it('limits the time of compound commands and subshells too', async () => {
    const timely = await machine().exec('cd / && (exit 5)', { timeoutMs: 10_000 });
    assert.deepEqual(timely.outcome, { kind: 'exited', code: 5 });
    const late = await machine().exec('cd / && (echo before; sleep 60; echo after)', {
      timeoutMs: 300,
    });
    assert.deepEqual(late.outcome, { kind: 'timed_out', afterMs: 300 });
    assert.equal(late.stdout, 'before\n');
  });

  it('ends children with the command when its time is over', async () => {
    const { stdout, outcome } = await machine().exec('sleep 60 & echo $!; wait', {
      timeoutMs: 300,
    });
    assert.equal(outcome.kind, 'timed_out');
    await until('child is gone', () => !isAlive(Number(stdout)));
  });

  it('ends a command that ignores TERM', async () => {
    const { outcome } = await machine().exec('trap "" TERM; while :; do sleep 0.05; done', {
      timeoutMs: 100,
    });
    assert.deepEqual(outcome, { kind: 'timed_out', afterMs: 100 });
  });

  it('ends the whole group within a second of an abort', async () => {
    const abort = new AbortController();
    const pidFile = join(folder(), 'pid');
    const exec = machine().exec(
      `trap "" TERM; sleep 60 & echo $! > ${pidFile}.tmp; mv ${pidFile}.tmp ${pidFile}; wait; sleep 60`,
      {
        signal: abort.signal,
      },
    );
    const pid = async (): Promise<number> =>
      Number(
        await machine()
          .exec(`cat ${pidFile}`)
          .then(({ stdout }) => stdout),
      );
    await until('command runs', async () => (await pid()) > 0);
    const child = await pid();
    abort.abort();
    assert.deepEqual((await exec).outcome, { kind: 'aborted' });
    await until('child is gone', () => !isAlive(child));
    assert.deepEqual((await machine().exec('echo no', { signal: abort.signal })).outcome, {
      kind: 'aborted',
    });
  });

  it('runs no start-up files, also where input is given', async () => {
    writeFileSync(join(folder(), '.bashrc'), 'echo noise');
    const at = machine({ PATH: process.env.PATH ?? '', HOME: folder() });
    assert.equal((await at.exec('cat', { stdin: 'input' })).stdout, 'input');
  });

  it('does not wait for children that hold the output open', async () => {
    const { stdout, outcome } = await machine().exec('sleep 600 & echo $!');
    // It is there to be killed, and a signal to what is gone throws.
    process.kill(Number(stdout), 'SIGKILL');
    assert.deepEqual(outcome, { kind: 'exited', code: 0 });
  });

  it('reads what came while this process was given no time', async () => {
    const due: (() => void)[] = [];
    const after: Clock['after'] = (_delayMs, callback) => {
      due.push(callback);
      return toDisposable(() => undefined);
    };
    const ended = machine(undefined, { now: () => 0, after }).exec(
      '(sleep 0.1; echo late; echo >told) & exit 0',
    );
    await until('its end is noticed', () => due.length > 0);
    const told = join(folder(), 'told');
    // Nothing is read meanwhile.
    while (!existsSync(told)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    for (const fire of due.splice(0)) fire();
    assert.equal((await ended).stdout, 'late\n');
  });

  it('keeps what has come for a reader that holds on, long after the end', async () => {
    const clock = new ManualClock();
    const held = Promise.withResolvers<void>();
    const pieces: string[] = [];
    let isOver = false;
    const ended = machine(undefined, clock)
      .stream('printf a; while [ ! -e go ]; do sleep 0.02; done; printf b', {
        onStdout: (bytes) => (pieces.push(String(bytes)) === 1 ? held.promise : undefined),
      })
      .finally(() => (isOver = true));
    await until('it began', () => pieces.length > 0);
    writeFileSync(join(folder(), 'go'), '');
    await until('its end is noticed', () => isOver || clock.pendingTimers > 0);
    await clock.advance(60_000);
    assert.deepEqual([pieces, isOver], [['a'], false]);
    held.resolve();
    await until('it is let go of', async () => {
      await clock.advance(250);
      return isOver;
    });
    assert.deepEqual([(await ended).outcome, pieces], [{ kind: 'exited', code: 0 }, ['a', 'b']]);
    assert.equal(clock.pendingTimers, 0);
  });

  it('says what is wrong when a command cannot be run', async () => {
    await assert.rejects(machine().exec('true', { cwd: join(folder(), 'no') }), {
      reason: 'missing',
      message: /no folder/,
    });
    await assert.rejects(machine().exec(`true ${'x'.repeat(3_000_000)}`), {
      reason: 'io',
      message: /Write it to a file/,
    });
  });
});
