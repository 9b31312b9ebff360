import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import type { MachineFailure } from '../../../../src/machines/machine.ts';
import { atPace } from '../../../fakes/pace.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';

describe('a link that breaks', () => {
  const folder = scratchFolder();
  const path = (name: string): string => join(folder(), name);
  let sshd: TestSshd;
  let machine: SshMachine;
  before(async () => {
    sshd = await TestSshd.start();
  });
  after(() => sshd.dispose());
  const newMachine = (): void => {
    const connection = new SshConnection(sshd.target(), { ...scriptedPrompts(), random: () => 0 });
    machine = new SshMachine({ id: 'gpu1', connection, homeFolder: folder() });
  };
  afterEach(() => {
    machine.dispose();
    machine.connection.dispose();
  });

  it('never becomes an exit code of the command that it cut', async () => {
    newMachine();
    const wait = `while [ ! -e ${path('go')} ]; do sleep 0.05; done`;
    const running = machine.exec(
      `echo begun > ${path('begun')}; ${wait}; echo done > ${path('done')}`,
    );
    const waiting = machine.exec('sleep 20', { timeoutMs: 15_000 });
    for (const exec of [running, waiting]) exec.catch(() => undefined);
    await until('it runs', () => existsSync(path('begun')));
    // What it said as it began comes before the answer to this.
    await machine.exec('true');
    sshd.cut();
    await assert.rejects(running, {
      reason: 'unreachable',
      message: /whether it ended, and how, is unknown/,
    });
    await assert.rejects(waiting, { reason: 'unreachable' });
    writeFileSync(path('go'), '');
    await until('it ran on', () => existsSync(path('done')));
  });

  it('breaks streams in the middle, whichever way they go, and lets go of their source', async () => {
    newMachine();
    let isReturned = false;
    const endless = async function* () {
      try {
        for (;;) {
          await Promise.resolve();
          yield Buffer.alloc(1000);
        }
      } finally {
        isReturned = true;
      }
    };
    const nothing = { onStdout: () => undefined };
    const streams = [
      machine.stream(`: > ${path('in')}; cat >/dev/null`, { ...nothing, stdin: endless() }),
      machine.stream(`: > ${path('out')}; yes`, nothing),
      machine.stream(`: > ${path('held')}; yes`, {
        onStdout: () => new Promise((resolve) => setTimeout(resolve, 50)),
      }),
    ];
    for (const stream of streams) stream.catch(() => undefined);
    await until('they run', () => ['in', 'out', 'held'].every((name) => existsSync(path(name))));
    sshd.cut();
    for (const stream of streams) await assert.rejects(stream, { reason: 'unreachable' });
    await until('the source is let go of', () => isReturned);
  });

  it('leaves the old content of a file that was being written', async () => {
    newMachine();
    writeFileSync(path('f'), 'old');
    await machine.exec('true');
    const writing = machine.writeFile(path('f'), Buffer.alloc(30_000_000, 'x'));
    writing.catch(() => undefined);
    sshd.cut();
    await assert.rejects(writing, { reason: 'unreachable' });
    assert.equal(readFileSync(path('f'), 'utf8'), 'old');
  });

  it('loses and doubles no byte of followed files, however often it breaks', async () => {
    newMachine();
    const files = ['a', 'b'].map((name) => {
      const seen = { bytes: Buffer.alloc(0), errors: [] as MachineFailure[] };
      machine.follow(path(name), 0, {
        onBytes: (bytes, offset) => {
          assert.equal(offset, seen.bytes.length);
          seen.bytes = Buffer.concat([seen.bytes, bytes]);
        },
        onChange: () => undefined,
        onError: (error) => seen.errors.push(error),
      });
      return { name, seen };
    });
    let written = '';
    const write = (text: string): void => {
      for (const { name } of files) appendFileSync(path(name), text);
      written += text;
    };
    const isRead = (): boolean => files.every(({ seen }) => seen.bytes.length === written.length);
    for (let cut = 0; cut < 3; cut++) {
      write(`before cut ${cut} ${'x'.repeat(100_000)}\n`);
      if (cut % 2 === 0) await until('it is read', isRead);
      sshd.cut();
      write(`after cut ${cut}\n`);
    }
    await until('everything is read', isRead);
    // A link that is back before anybody looks is not told of; an outage is.
    await sshd.stop();
    write('during an outage\n');
    await until('the outage is told', () => files.every(({ seen }) => seen.errors.length > 0));
    await sshd.start();
    await until('what came meanwhile is read', isRead);
    for (const { seen } of files) {
      assert.equal(seen.bytes.toString(), written);
      assert.ok(seen.errors.every(({ reason }) => reason === 'unreachable'));
    }
  });

  it('does not hold a drain, and does not keep others of the dead host waiting', async () => {
    newMachine();
    mkdirSync(path('runs'));
    writeFileSync(path('runs/log'), 'x');
    const follow = machine.follow(path('runs/log'), 0, {
      onBytes: () => undefined,
      onChange: () => undefined,
      onError: () => undefined,
    });
    await follow.drain();
    await sshd.stop();
    await assert.rejects(
      async () => {
        for (;;) await follow.drain();
      },
      { reason: 'unreachable' },
    );
    const startMs = performance.now();
    await Promise.all(
      Array.from({ length: 50 }, () =>
        assert.rejects(machine.stat('/'), { reason: 'unreachable' }),
      ),
    );
    assert.ok(performance.now() - startMs < atPace(2000));
    await sshd.start();
    await until('it is back', () =>
      follow.drain().then(
        () => true,
        () => false,
      ),
    );
  });
});
