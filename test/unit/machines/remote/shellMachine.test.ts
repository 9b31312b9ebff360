import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { MachineKind } from '../../../../src/machines/machine.ts';
import {
  ShellMachine,
  type ShellMachineOptions,
} from '../../../../src/machines/remote/shellMachine.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { heard, ScriptedHost, unreachable } from '../../../fakes/scriptedHost.ts';

interface Limits {
  readonly cpus?: number;
  readonly memoryMb?: number;
}

class AnyMachine extends ShellMachine {
  readonly kind: MachineKind = 'ssh';
  readonly #limits: Limits;

  constructor(host: ScriptedHost, options: ShellMachineOptions, limits: Limits = {}) {
    super(host, options);
    this.#limits = limits;
  }

  protected override get place(): string {
    return 'ada@gpu1';
  }

  protected override get limits(): Limits {
    return this.#limits;
  }
}

describe('a machine behind a shell', () => {
  let clock: ManualClock;
  let host: ScriptedHost;
  beforeEach(() => {
    clock = new ManualClock();
    host = new ScriptedHost();
  });
  const machine = (limits?: Limits): AnyMachine =>
    new AnyMachine(host, { id: 'gpu1', runsFolder: '/runs', workFolder: '/work', clock }, limits);
  /** The command that was begun last prints this and ends. */
  const ends = async (stdout: string, code = 0, stderr = ''): Promise<void> => {
    await heard();
    host.last.begin();
    host.last.say(stdout);
    await heard();
    host.last.stderr.write(stderr);
    await heard();
    host.last.exit(code);
    await clock.advance(1000);
  };

  const described: readonly (readonly [printed: string, limits: Limits, text: string])[] = [
    ['16\n137438953472\nA100\nA100\nL4\n', {}, 'ada@gpu1 · 16 CPUs · 128 GB · 2 × A100 · 1 × L4'],
    ['1\n1072693248\n', {}, 'ada@gpu1 · 1 CPU · 1023 MB'],
    ['1\n1073741824\n', {}, 'ada@gpu1 · 1 CPU · 1 GB'],
    ['0\n0\n', {}, 'ada@gpu1'],
    ['16\n137438953472\n', { cpus: 2, memoryMb: 512 }, 'ada@gpu1 · 2 CPUs · 512 MB'],
  ];
  for (const [printed, limits, text] of described)
    it(`says what it is: ${text}`, async () => {
      const one = machine(limits);
      const both = [one.describe(), one.describe()];
      await ends(printed);
      assert.deepEqual(await Promise.all(both), [text, text]);
      assert.equal(host.channels.length, 1);
    });

  it('takes no longer answer than it asked for', async () => {
    const one = machine();
    const range = { offset: 0, maxBytes: 10 };
    const whole = one.readFile('/f', range);
    await ends('0123456789');
    assert.equal(String(await whole), '0123456789');
    const reading = one.readFile('/f', range);
    await heard();
    const channel = host.last;
    const refused = assert.rejects(reading, {
      reason: 'io',
      message: /^The answer of .* is longer than .* MiB\. Ask for less\.$/,
    });
    channel.begin();
    channel.say('0123456789a');
    await heard();
    assert.equal(host.last.options.use, 'urgent', 'the command is ended');
    channel.exit(null, 'TERM');
    await clock.advance(1000);
    await refused;
  });

  it('says so the next time where it was not to be reached', async () => {
    host.refusal = unreachable();
    const one = machine();
    await assert.rejects(one.describe(), { reason: 'unreachable' });
    host.refusal = undefined;
    const described = one.describe();
    await ends('2\n0\n');
    assert.equal(await described, 'ada@gpu1 · 2 CPUs');
  });

  it('runs commands where it works unless told otherwise, and keeps half a MiB of what they print', async () => {
    const one = machine();
    const here = one.exec('yes');
    assert.match(host.last.line, /cd -- \/work /);
    await ends('x'.repeat(600 * 1024));
    const { stdout, omittedBytes } = await here;
    assert.deepEqual(omittedBytes, { stdout: 88 * 1024, stderr: 0 });
    assert.ok(stdout.length >= 512 * 1024);
    const there = one.exec('yes', { cwd: '/there', maxBytes: 10 });
    assert.match(host.last.line, /cd -- \/there /);
    await ends('y'.repeat(30), 3, 'z'.repeat(40));
    const { outcome, omittedBytes: omitted } = await there;
    assert.deepEqual(
      [outcome, omitted],
      [
        { kind: 'exited', code: 3 },
        { stdout: 20, stderr: 30 },
      ],
    );
    const stream = one.stream('cat', { onStdout: () => undefined });
    assert.match(host.last.line, /cd -- \/work /);
    await ends('', 1, 'why');
    assert.deepEqual(await stream, { outcome: { kind: 'exited', code: 1 }, stderr: 'why' });
  });

  it('says why something did not start', async () => {
    const one = machine();
    for (const [code, said, message] of [
      [
        127,
        'it was not found\n',
        /could not be started: <untrusted from="the machine">it was not found<\/untrusted>\.$/,
      ],
      [1, '', /could not be started: exited\.$/],
    ] as const) {
      const started = one.spawnDetached(['run.sh', 'a b'], { cwd: '/work', env: {} });
      const failed = assert.rejects(started, { reason: 'io', message });
      await ends('', code, said);
      await failed;
    }
    const started = one.spawnDetached(['run.sh'], { cwd: '/work', env: {} });
    await ends('');
    await started;
  });

  it('follows and asks by shells of their own, and lets go of both', async () => {
    host.answers = (script) => (script.includes('echo hi') ? 'hi' : '');
    const one = machine();
    assert.equal(await one.query('echo hi'), 'hi');
    const sink = { onBytes: () => undefined, onChange: () => undefined, onError: () => undefined };
    one.follow('/work/log', 0, sink);
    await heard();
    await heard();
    assert.equal(host.channels.length, 2);
    one.dispose();
    assert.ok(host.channels.every(({ isLetGo }) => isLetGo));
    await clock.advance(60_000);
    assert.equal(clock.pendingTimers, 0);
    await assert.rejects(one.query('echo hi'), { reason: 'unreachable' });
  });
});
