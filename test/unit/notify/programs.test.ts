import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger, type Logger } from '../../../src/base/logger.ts';
import { NotifyFailure } from '../../../src/notify/channel.ts';
import { commandChannel } from '../../../src/notify/channels/commandChannel.ts';
import { desktopChannel } from '../../../src/notify/channels/desktopChannel.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { until } from '../../fakes/testEngine.ts';
import { message } from './message.ts';

describe('programs that tell', () => {
  const folder = scratchFolder();
  const file = (name: string): string => path.join(folder(), name);

  /** A program of this name on PATH that writes down its arguments. */
  function program(name: string, script = 'printf "%s\\0" "$@" > "$OUT"'): NodeJS.ProcessEnv {
    writeFileSync(file(name), `#!/bin/sh\n${script}\n`);
    chmodSync(file(name), 0o755);
    return { PATH: `${folder()}:/usr/bin:/bin`, OUT: file('out'), LAB_TOKEN: 'hidden' };
  }
  const written = (): string[] => readFileSync(file('out'), 'utf8').split('\0').slice(0, -1);

  it('asks notify-send, with what could be markup or an option made harmless', async () => {
    const env = program('notify-send');
    await desktopChannel({ env, clock: systemClock }, 'linux').send(
      message({ event: 'alarm', title: '--help <b>' }),
    );
    assert.deepEqual(written(), [
      '--app-name=Helios',
      '--urgency=critical',
      '--',
      '--help <b>',
      'lr=3e-4 &lt;b&gt;&amp;\nGoal: loss &lt; 1',
    ]);
  });

  it('asks osascript on a Mac, with the texts as arguments', async () => {
    const env = program('osascript');
    await desktopChannel({ env, clock: systemClock }, 'darwin').send(
      message({ title: '" & (do shell script "id")' }),
    );
    const [option, script, ...texts] = written();
    assert.equal(option, '-e');
    assert.doesNotMatch(script ?? '', /do shell script/);
    assert.deepEqual(texts, ['" & (do shell script "id")', 'lr=3e-4 <b>& Goal: loss < 1']);
  });

  it('cuts what a desktop has no room for', async () => {
    const long = message({ title: 't'.repeat(500), body: 'b'.repeat(5000), goal: '' });
    await desktopChannel({ env: program('osascript'), clock: systemClock }, 'darwin').send(long);
    assert.deepEqual(
      written()
        .slice(2)
        .map((text) => text.length),
      [120, 400],
    );
    await desktopChannel({ env: program('notify-send'), clock: systemClock }, 'linux').send(long);
    assert.equal(written()[1], '--urgency=normal');
    assert.equal(written()[3]?.length, 120);
  });

  it('says that there is no desktop', async () => {
    await assert.rejects(
      desktopChannel({ env: { PATH: folder() }, clock: systemClock }, 'linux').send(message()),
      (error) =>
        error instanceof NotifyFailure &&
        error.reason === 'absent' &&
        /notify-send is not installed/.test(error.message),
    );
  });

  it('says how the program of the desktop ended', async () => {
    const env = program('notify-send', 'echo no bus >&2; exit 3');
    await assert.rejects(
      desktopChannel({ env, clock: systemClock }, 'linux').send(message()),
      /ended with code 3: no bus/,
    );
  });

  const command = (
    text: string,
    { logger = silentLogger, clock = systemClock, timeoutSeconds = 30 } = {},
  ) =>
    commandChannel(
      { type: 'command', command: text, timeoutSeconds },
      {
        env: { PATH: '/usr/bin:/bin', LAB_TOKEN: 'hidden', OTHER_TOKEN: 'too' },
        ...{ clock, logger },
        redact: (output) => output.replaceAll('hidden', '[redacted]'),
      },
    );

  it('runs a command that finds what it is about around it, and no secret that it does not name', async () => {
    const names = 'EVENT TITLE BODY SESSION GOAL MACHINE PID RUN TIMESTAMP'
      .split(' ')
      .map((name) => `HELIOS_${name}`);
    const echo = names.map((name) => `printf '%s\\0' "$${name}"`).join('; ');
    await command(
      `{ ${echo}; printf '%s\\0' "$LAB_TOKEN" "$(env | grep -c OTHER_TOKEN)"; } > ${file('out')}`,
    ).send(message({ title: '$(touch x); `id`' }));
    assert.deepEqual(written(), [
      'task_complete',
      '$(touch x); `id`',
      'lr=3e-4 <b>&',
      's-1',
      'loss < 1',
      'gpu1',
      '4521',
      'run 7',
      '2026-01-02T03:04:05.000Z',
      'hidden',
      '0',
    ]);
    assert.equal(existsSync('x'), false);
  });

  it('logs what it prints, and tells of its failure, without secrets', async () => {
    const lines: string[] = [];
    const logger: Logger = { ...silentLogger, info: (text) => lines.push(text) };
    await assert.rejects(
      command('echo "the $LAB_TOKEN is out"; exit 4', { logger }).send(message()),
      (error) =>
        error instanceof NotifyFailure &&
        error.message === 'The command ended with code 4: the [redacted] is out',
    );
    assert.deepEqual(lines, ['Notification command: the [redacted] is out']);
  });

  it('ends a command and its children at the time limit', async () => {
    const clock = new ManualClock();
    const sent = assert.rejects(
      command(`sleep 600 & echo $! > ${file('pid')}; wait`, { clock, timeoutSeconds: 5 }).send(
        message(),
      ),
      /was ended after 5 s/,
    );
    await until(() => existsSync(file('pid')) && readFileSync(file('pid'), 'utf8').endsWith('\n'));
    await clock.advance(5_000);
    await sent;
    const pid = Number(readFileSync(file('pid'), 'utf8'));
    await until(() => !isAlive(pid));
  });
});

/** A child that nobody waits for any more is as good as gone. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
