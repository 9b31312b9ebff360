import assert from 'node:assert/strict';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { UserFacing } from '../../../src/base/errors.ts';
import { Mailbox, sendRequest } from '../../../src/storage/mailbox.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';

describe('a mailbox', () => {
  const folder = scratchFolder();
  const handled: unknown[] = [];
  let box: Mailbox;

  const handle = (body: unknown): Promise<string> => {
    handled.push(body);
    return body === 'no'
      ? Promise.reject(new UserFacing('Not now.', 'Try later.'))
      : Promise.resolve(`did ${JSON.stringify(body)}`);
  };
  beforeEach(() => {
    handled.length = 0;
    box = new Mailbox(folder(), { clock: systemClock, handle });
  });
  afterEach(() => box.dispose());

  it('carries out each request once, and leaves no file', async () => {
    const texts = Array.from({ length: 20 }, (_, number) => ({ number }));
    const replies = await Promise.all(
      texts.map((body) => sendRequest(folder(), body, systemClock)),
    );
    assert.deepEqual(
      replies,
      texts.map((body) => `did ${JSON.stringify(body)}`),
    );
    assert.equal(handled.length, 20);
    assert.deepEqual(readdirSync(folder()), []);
  });

  it('passes a refusal on with its advice', async () => {
    await assert.rejects(
      sendRequest(folder(), 'no', systemClock),
      (error) =>
        error instanceof UserFacing &&
        error.message === 'Not now.' &&
        error.action === 'Try later.',
    );
  });

  it('does not carry out what a sender has given up', async () => {
    box.dispose();
    const file = join(folder(), 'e-old.request');
    writeFileSync(file, '"late"');
    const minuteAgo = Date.now() / 1000 - 60;
    utimesSync(file, minuteAgo, minuteAgo);
    box = new Mailbox(folder(), { clock: systemClock, handle });
    await until('removed', () => !existsSync(file));
    assert.deepEqual(handled, []);
  });

  it('refuses what is no request', async () => {
    writeFileSync(join(folder(), 'e-bad.request'), '{"half');
    writeFileSync(join(folder(), 'e-long.request'), JSON.stringify('x'.repeat(300_000)));
    for (const name of ['e-bad', 'e-long'])
      await until('reply', () => existsSync(join(folder(), `${name}.reply`)));
    assert.deepEqual(handled, []);
  });

  it('gives up, and takes the request back, when nobody replies', async () => {
    box.dispose();
    const clock = new ManualClock();
    let failure = '';
    void sendRequest(folder(), 'hello', clock).catch((error: unknown) => (failure = String(error)));
    await until('request', () => readdirSync(folder()).length === 1);
    await until('end', () => {
      void clock.advance(1_000);
      return failure !== '';
    });
    assert.match(failure, /did not reply/);
    assert.deepEqual(readdirSync(folder()), []);
  });
});
