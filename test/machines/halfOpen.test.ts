import assert from 'node:assert/strict';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { MachineFailure } from '../../src/machines/machine.ts';
import { SshConnection, type SshState } from '../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../src/machines/ssh/sshMachine.ts';
import { NetHost } from '../fakes/netHost.ts';
import { scratchFolder, until } from '../fakes/scratch.ts';
import { scriptedPrompts } from '../fakes/sshd.ts';

/** Four signs of life at intervals of 5 s stay away. */
const noticedWithinMs = 20_000;
/**
 * TCP itself gives up after a quarter of an hour: what is late on a busy machine is still far from
 * that.
 */
const slackMs = 40_000;

describe('a link on which nothing arrives any more', function () {
  this.timeout(120_000);
  const folder = scratchFolder();
  let host: NetHost;
  let machine: SshMachine;
  let states: SshState['kind'][];
  before(async () => {
    host = await NetHost.start(0);
  });
  after(() => host?.dispose());
  const newMachine = (): void => {
    const connection = new SshConnection(host.sshd.target(), scriptedPrompts());
    machine = new SshMachine({ id: 'gpu1', connection, homeFolder: folder() });
    states = [];
    connection.onDidChange(({ kind }) => states.push(kind));
  };
  afterEach(async () => {
    machine.dispose();
    machine.connection.dispose();
    await host.restore();
  });

  async function failsInTime(what: Promise<unknown>, sinceMs: number): Promise<void> {
    await assert.rejects(what, { reason: 'unreachable' });
    const tookMs = performance.now() - sinceMs;
    assert.ok(tookMs < noticedWithinMs + slackMs, `${tookMs} ms`);
  }

  it('is noticed in time by all that goes on there, and loses and doubles no byte', async () => {
    newMachine();
    const log = join(folder(), 'log');
    const begun = join(folder(), 'begun');
    let read = Buffer.alloc(0);
    const errors: MachineFailure[] = [];
    machine.follow(log, 0, {
      onBytes: (bytes, offset) => {
        assert.equal(offset, read.length);
        read = Buffer.concat([read, bytes]);
      },
      onChange: () => undefined,
      onError: (error) => errors.push(error),
    });
    let written = '';
    const write = (): void => {
      const line = `${written.length} ${'x'.repeat(1000)}\n`;
      appendFileSync(log, line);
      written += line;
    };
    writeFileSync(join(folder(), 'large'), Buffer.alloc(50_000_000));
    write();
    await until('it is followed', () => read.length === written.length);
    const running = machine.exec(`echo >${begun}; sleep 300`, { cwd: '/' });
    running.catch(() => undefined);
    await until('a command runs', () => existsSync(begun));
    const sinceMs = performance.now();
    await host.drop();
    const going = [
      running,
      machine.exec('true', { cwd: '/' }),
      machine.query('echo'),
      machine.stream('cat', { cwd: '/', stdin: zeros(), onStdout: () => undefined }),
      machine.readFile(join(folder(), 'large')),
      machine.stat('/'),
      machine.writeFile(join(folder(), 'new'), Buffer.alloc(10_000_000)),
    ];
    const writing = setInterval(write, 500);
    try {
      await Promise.all(going.map((each) => failsInTime(each, sinceMs)));
      assert.deepEqual([...new Set(states)].slice(0, 3), ['connecting', 'connected', 'down']);
      assert.ok(errors.length > 0 && errors.every(({ reason }) => reason === 'unreachable'));
      assert.ok(!existsSync(join(folder(), 'new')));
      // What comes now waits for nothing.
      const askedMs = performance.now();
      await assert.rejects(machine.stat('/'), ({ reason }: MachineFailure) =>
        /unreachable|timeout/.test(reason),
      );
      assert.ok(performance.now() - askedMs < 15_000 + slackMs);
    } finally {
      clearInterval(writing);
    }
    await host.restore();
    await until('it is followed again', () => read.length === written.length, 60_000);
    assert.equal(read.toString(), written);
    assert.equal(states.at(-1), 'connected');
  });

  it('goes on as it was when that is over soon', async () => {
    const before = host.sshd.logins;
    newMachine();
    const asked = machine.exec('sleep 2; echo through', { cwd: '/' });
    await until('it is connected', () => machine.connection.state.kind === 'connected');
    await until('the login is in the log', () => host.sshd.logins > before);
    await host.drop();
    await new Promise((resolve) => setTimeout(resolve, 4000));
    await host.restore();
    assert.equal((await asked).stdout, 'through\n');
    assert.equal(host.sshd.logins, before + 1);
    assert.deepEqual(states, ['connecting', 'connected']);
  });

  it('is noticed when the cable is pulled out, and found when it is put in', async () => {
    newMachine();
    await machine.stat('/');
    await host.pull();
    await until('it is known', () => states.includes('down'), noticedWithinMs + slackMs);
    await host.restore();
    await until('it is known', () => states.at(-1) === 'connected', 60_000);
  });
});

async function* zeros(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield await Promise.resolve(Buffer.alloc(65_536));
  }
}
