import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { systemClock, type Clock } from '../../../../src/base/clock.ts';
import type { Follow } from '../../../../src/machines/machine.ts';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import type { CommandChannel } from '../../../../src/machines/remote/commandHost.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';

const minuteMs = 60_000;

describe('what stays open on a host', () => {
  const folder = scratchFolder();
  let sshd: TestSshd;
  let machine: SshMachine;
  let follow: Follow;
  let read: string;
  afterEach(async () => {
    machine.dispose();
    machine.connection.dispose();
    await sshd.dispose();
  });

  async function start(clock: Clock, ...config: string[]): Promise<void> {
    sshd = await TestSshd.start(config);
    const connection = new SshConnection(sshd.target(), { ...scriptedPrompts(), clock });
    machine = new SshMachine({ id: 'gpu1', connection, homeFolder: folder(), clock });
    read = '';
  }
  const log = (): string => join(folder(), 'log');
  function beginFollow(onError: (error: Error) => void = () => undefined): void {
    writeFileSync(log(), '');
    const onBytes = (bytes: Uint8Array): void => void (read += Buffer.from(bytes).toString());
    follow = machine.follow(log(), 0, { onBytes, onChange: () => undefined, onError });
  }
  /** Commands that these looks and questions cost. */
  async function costOf(probes: number): Promise<number> {
    const before = sshd.sessions;
    for (let refresh = 0; refresh < probes; refresh += 1) {
      appendFileSync(log(), `${refresh}\n`);
      await follow.drain();
      assert.ok(read.endsWith(`${refresh}\n`));
      assert.equal(await machine.query(`echo ${refresh}`), `${refresh}\n`);
    }
    // The last of them is told of a moment later.
    await machine.exec('true', { cwd: '/' });
    await until('the last is counted', () => sshd.sessions > before);
    return sshd.sessions - before - 1;
  }

  /** Soon: a shell is opened first, and its host tells of that late. */
  const costsNothing = (): Promise<void> =>
    until('looks and questions cost nothing', async () => (await costOf(5)) === 0);

  it('comes back when a server that refused once has room again', async () => {
    const clock = new ManualClock();
    await start(clock);
    const { connection } = machine;
    const going: CommandChannel[] = [];
    const hold = (): Promise<unknown> =>
      connection.exec('cat', { use: 'urgent' }, (channel) => void going.push(channel.resume()));
    await Promise.all(Array.from({ length: 10 }, hold));
    const refused = machine.exec('echo through', { cwd: '/' });
    await until('it is refused', () => sshd.log.includes('no more sessions'));
    for (const channel of going) channel.end();
    let isThrough = false;
    refused.then(() => (isThrough = true)).catch(() => undefined);
    await until('it gets through', async () => {
      await clock.advance(100);
      return isThrough;
    });
    beginFollow();
    assert.ok((await costOf(5)) >= 5);
    await clock.advance(minuteMs);
    await costsNothing();
    follow.dispose();
  });

  for (const sessions of [2, 3])
    it(`is one shell for all that is asked where there is room for ${sessions} sessions`, async () => {
      await start(systemClock, `MaxSessions ${sessions}`);
      const errors: string[] = [];
      beginFollow(({ message }) => errors.push(message));
      const words = await Promise.all(
        Array.from(
          { length: 10 },
          async (_, index) => (await machine.exec(`echo ${index}`, { cwd: '/' })).stdout,
        ),
      );
      assert.deepEqual(
        words,
        words.map((_, index) => `${index}\n`),
      );
      await costsNothing();
      // Who had the shell of the other goes on without it.
      follow.dispose();
      assert.equal(await machine.query('echo alone'), 'alone\n');
      beginFollow(({ message }) => errors.push(message));
      await costsNothing();
      assert.deepEqual(errors, []);
      follow.dispose();
    });
});
