import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'mocha';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { silentLogger, type Logger } from '../../../src/base/logger.ts';
import { NotifyFailure } from '../../../src/notify/channel.ts';
import { commandChannel } from '../../../src/notify/channels/commandChannel.ts';
import { desktopChannel } from '../../../src/notify/channels/desktopChannel.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { until } from '../../fakes/testEngine.ts';
import { FakeWindows } from '../../fakes/windowsPrograms.ts';
import { suiteNeeds } from '../../setup/needs.ts';
import { message } from './message.ts';

suiteNeeds('posix')('programs that tell', () => {
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

suiteNeeds('posix')('programs that tell, on Windows', () => {
  const folder = scratchFolder();
  const hostile = '"; calc & $(calc) `calc` %PATH% <b>';
  const powershell = 'WindowsPowerShell\\v1.0\\powershell.exe';

  it('shows a toast of PowerShell, whose script holds nothing of the texts', async () => {
    const windows = new FakeWindows(folder());
    windows.program(powershell, `printf '%s\\0' "$HELIOS_TITLE" "$HELIOS_BODY" > "$OUT"`);
    const { env } = windows.system();
    const channel = desktopChannel({ env, clock: systemClock }, 'win32');
    await channel.send(message({ title: `${hostile}\u0000\u001b[1m` }));
    const scripts = windows.calls(powershell).map((args) => {
      assert.deepEqual(args.slice(-2, -1), ['-EncodedCommand']);
      return Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le');
    });
    assert.match(scripts.join(), /CreateTextNode\(\$env:HELIOS_TITLE\)/);
    assert.doesNotMatch(scripts.join(), /calc/);
    assert.deepEqual(readFileSync(`${folder()}/Windows`, 'utf8').split('\0').slice(0, -1), [
      hostile,
      'lr=3e-4 <b>& Goal: loss < 1',
    ]);
  });

  it('says how PowerShell ended, and that it is missing', async () => {
    const windows = new FakeWindows(folder());
    const { env } = windows.system();
    const channel = desktopChannel({ env, clock: systemClock }, 'win32');
    await assert.rejects(channel.send(message()), { reason: 'absent', message: /not installed/ });
    windows.program(powershell, 'echo blocked by policy >&2; exit 1');
    await assert.rejects(channel.send(message()), /ended with code 1: blocked by policy/);
  });

  const command = (text: string, env: NodeJS.ProcessEnv, clock: Clock = systemClock) =>
    commandChannel(
      { type: 'command', command: text, timeoutSeconds: 5 },
      { env, clock, logger: silentLogger, redact: (output) => output },
      'win32',
    );

  it('runs a command by cmd.exe, with the secrets that it names in the way of cmd', async () => {
    const windows = new FakeWindows(folder());
    windows.program(
      'cmd.exe',
      `printf '%s\\0' "$LAB_TOKEN" "$OTHER_TOKEN" "$HELIOS_TITLE" > "$OUT"`,
    );
    const { env } = windows.system({ LAB_TOKEN: 'lab', OTHER_TOKEN: 'other' });
    const text = 'notify.exe "%lab_token%" !HELIOS_TITLE!';
    await command(text, env).send(message({ title: hostile }));
    assert.deepEqual(windows.calls('cmd.exe'), [['/d', '/v:on', '/s', '/c', `"${text}"`]]);
    assert.deepEqual(readFileSync(`${folder()}/Windows`, 'utf8').split('\0').slice(0, -1), [
      'lab',
      '',
      hostile,
    ]);
  });

  it('refuses a command in which cmd.exe would run the text of a message', async () => {
    const windows = new FakeWindows(folder());
    windows.program('cmd.exe');
    const { env } = windows.system();
    for (const name of ['HELIOS_TITLE', 'helios_body'])
      await assert.rejects(command(`echo %${name}%`, env).send(message()), {
        reason: 'settings',
        message: `The command uses %${name}%, whose text cmd.exe would run. Write !${name}! instead.`,
      });
    assert.deepEqual(windows.calls('cmd.exe'), []);
  });

  it('ends a command and its children with taskkill at the time limit', async () => {
    const windows = new FakeWindows(folder());
    windows.program('cmd.exe', 'exec sleep 600');
    windows.program('taskkill.exe', 'kill -9 "$2"');
    const clock = new ManualClock();
    const sent = assert.rejects(
      command('train', windows.system().env, clock).send(message()),
      /was ended after 5 s/,
    );
    await until(() => windows.calls('cmd.exe').length > 0);
    await clock.advance(5_000);
    await sent;
    const [[flag, , ...flags] = []] = windows.calls('taskkill.exe');
    assert.deepEqual([flag, ...flags], ['/pid', '/t', '/f']);
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
