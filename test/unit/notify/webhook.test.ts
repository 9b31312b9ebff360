import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { NotifyFailure } from '../../../src/notify/channel.ts';
import { webhookChannel } from '../../../src/notify/channels/webhookChannel.ts';
import type { WebhookSettings } from '../../../src/notify/settings.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { notifySite, type NotifySite, type Reply } from '../../fakes/notifySite.ts';
import { until } from '../../fakes/testEngine.ts';
import { message } from './message.ts';

/** Tells what it was asked to wait for. */
class WatchedClock extends ManualClock {
  readonly delays: number[] = [];
  override after(delayMs: number, callback: () => void): { dispose(): void } {
    this.delays.push(delayMs);
    return super.after(delayMs, callback);
  }
}

describe('the webhook channel', () => {
  let site: NotifySite;
  let clock: WatchedClock;
  before(async () => (site = await notifySite()));
  after(() => site.close());
  beforeEach(() => {
    site.calls.length = 0;
    site.replies.length = 0;
    clock = new WatchedClock();
  });
  afterEach(() => assert.equal(clock.pendingTimers, 0, 'timers are left'));

  const channel = (settings: Partial<WebhookSettings> = {}) =>
    webhookChannel(
      { type: 'webhook', url: `${site.url}/hook`, ...settings },
      {
        fetch,
        clock,
        resolve: (text) =>
          Promise.resolve(
            text.replace('${env:HOOK}', `${site.url}/s3cr3t`).replace('${secret:t}', 'Bearer xyz'),
          ),
        redact: (text) => text.replaceAll('s3cr3t', '[redacted]'),
      },
    );
  const bodyOf = (index = 0): unknown => JSON.parse(site.calls[index]?.body ?? '');

  it('reads only the beginning of an answer', async () => {
    let bytes = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (bytes >= 20_000_000) return controller.close();
        bytes += 100_000;
        controller.enqueue(new Uint8Array(100_000).fill(120));
      },
      cancel: () => void (isCancelled = true),
    });
    const one = webhookChannel(
      { type: 'webhook', url: 'https://x.test/' },
      {
        fetch: () => Promise.resolve(new Response(body, { status: 400 })),
        clock,
        resolve: (text) => Promise.resolve(text),
        redact: (text) => text,
      },
    );
    await assert.rejects(one.send(message()), /The service answered 400 \(xxx/);
    assert.ok(bytes < 1_000_000, `${bytes} bytes were read`);
    assert.ok(isCancelled);
  });

  it('sends the notification as it is', async () => {
    await channel({ method: 'PUT', headers: { Authorization: '${secret:t}' } }).send(message());
    const [call] = site.calls;
    assert.equal(call?.method, 'PUT');
    assert.equal(call?.headers['content-type'], 'application/json');
    assert.equal(call?.headers.authorization, 'Bearer xyz');
    assert.deepEqual(bodyOf(), {
      event: 'task_complete',
      title: 'Run 7: ok',
      body: 'lr=3e-4 <b>&',
      sessionId: 's-1',
      goal: 'loss < 1',
      machineId: 'gpu1',
      pid: 4521,
      run: 'run 7',
      metrics: { loss: 0.83, grad: 'NaN' },
      timestamp: '2026-01-02T03:04:05.000Z',
    });
  });

  it('sends no body with GET', async () => {
    await channel({ method: 'GET' }).send(message());
    assert.deepEqual([site.calls[0]?.method, site.calls[0]?.body], ['GET', '']);
  });

  const formats: readonly (readonly [WebhookSettings['format'], string, string, unknown])[] = [
    ['slack', '/hook', '/hook', { text: '*Run 7: ok*\nlr=3e-4 &lt;b&gt;&amp;\nGoal: loss &lt; 1' }],
    [
      'discord',
      '/hook',
      '/hook',
      {
        username: 'Helios',
        content: '**Run 7: ok**\nlr=3e-4 <b>&\nGoal: loss < 1',
        allowed_mentions: { parse: [] },
      },
    ],
    [
      'ntfy',
      '/lab/my-topic',
      '/lab',
      {
        topic: 'my-topic',
        title: 'Run 7: ok',
        message: 'lr=3e-4 <b>&\nGoal: loss < 1',
        priority: 3,
        tags: ['test_tube'],
      },
    ],
  ];
  for (const [format, path, asked, expected] of formats)
    it(`speaks to ${format}`, async () => {
      await channel({ url: site.url + path, ...(format && { format }) }).send(message());
      assert.equal(site.calls[0]?.path, asked);
      assert.deepEqual(bodyOf(), expected);
    });

  it('tells ntfy what is urgent', async () => {
    await channel({ url: `${site.url}/a/b/my%20topic`, format: 'ntfy' }).send(
      message({ event: 'alarm' }),
    );
    const { priority, tags, topic } = bodyOf() as {
      priority: number;
      tags: unknown;
      topic: string;
    };
    assert.deepEqual(
      [site.calls[0]?.path, topic, priority, tags],
      ['/a/b', 'my topic', 4, ['warning']],
    );
  });

  it('keeps within what Discord takes, and mentions nobody', async () => {
    await channel({ format: 'discord' }).send(message({ body: '@everyone '.repeat(500) }));
    const { content, allowed_mentions: mentions } = bodyOf() as {
      content: string;
      allowed_mentions: unknown;
    };
    assert.ok(content.length <= 2_000);
    assert.deepEqual(mentions, { parse: [] });
  });

  /** Between attempts; each attempt has a limit of its own. */
  const waits = (): number[] => clock.delays.filter((ms) => ms !== 10_000);

  /** Sends, and moves the clock by each of the waits before the next attempt. */
  async function sendWaiting(
    replies: readonly (Reply | 'cut')[],
    waitsMs: readonly number[],
  ): Promise<void> {
    site.replies.push(...replies);
    const sent = channel().send(message());
    for (const [index, waitMs] of waitsMs.entries()) {
      await site.taken(index + 1);
      await until(() => waits().length > index);
      assert.equal(waits()[index], waitMs);
      await clock.advance(waitMs - 1);
      assert.equal(site.calls.length, index + 1, 'not before its time');
      await clock.advance(1);
    }
    await sent;
  }

  for (const format of ['discord', 'slack'] as const)
    it(`cuts no character in half for ${format}`, async () => {
      for (const body of ['🦓'.repeat(2_000), `x${'🦓'.repeat(2_000)}`])
        await channel({ format }).send(message({ body }));
      for (const index of [0, 1]) assert.ok(JSON.stringify(bodyOf(index)).isWellFormed());
      assert.doesNotMatch(site.calls.map(({ body }) => body).join(), /\\ud83e"|\\ud83e\\n/i);
    });

  it('comes back when it is told to', async () => {
    await sendWaiting([{ status: 429, headers: { 'retry-after': '7' } }], [7_000]);
    assert.equal(site.calls.length, 2);
  });

  const asked: readonly (readonly [what: string, after: () => string, waitMs: number])[] = [
    ['no longer than a minute', () => '3600', 60_000],
    ['until a date', () => new Date(clock.now() + 7_000).toUTCString(), 7_000],
    ['not for a date that is over', () => new Date(clock.now() - 7_000).toUTCString(), 0],
    ['as ever for what is neither', () => 'soon', 1_000],
  ];
  for (const [what, retryAfter, waitMs] of asked)
    it(`waits ${what} when it is told to come back`, async () => {
      await sendWaiting([{ status: 429, headers: { 'retry-after': retryAfter() } }], [waitMs]);
      assert.equal(site.calls.length, 2);
    });

  it('tries again after faults of the other side and of the way', async () => {
    await sendWaiting([{ status: 503 }, 'cut'], [1_000, 2_000]);
    assert.equal(site.calls.length, 3);
  });

  it('gives up after three attempts', async () => {
    await assert.rejects(
      sendWaiting(
        [{ status: 500 }, { status: 500 }, { status: 500, body: 's3cr3t went wrong' }],
        [1_000, 2_000],
      ),
      (error) =>
        error instanceof NotifyFailure &&
        error.reason === 'refused' &&
        error.message === 'The service answered 500 ([redacted] went wrong).',
    );
    assert.equal(site.calls.length, 3);
  });

  for (const status of [300, 301, 399, 400, 401, 404])
    it(`does not try again after ${status}, and goes nowhere else`, async () => {
      site.replies.push({ status, headers: { location: `${site.url}/elsewhere` } });
      await assert.rejects(
        channel().send(message()),
        (error) =>
          error instanceof NotifyFailure &&
          error.reason === 'refused' &&
          error.message.includes('The address has moved') === status < 400,
      );
      assert.equal(site.calls.length, 1);
    });

  it('waits ten seconds for an answer, three times', async () => {
    site.replies.push('hang', 'hang', 'hang');
    const sent = assert.rejects(
      channel().send(message()),
      (error) =>
        error instanceof NotifyFailure &&
        error.reason === 'unreachable' &&
        /10 s/.test(error.message),
    );
    for (const [index, waitMs] of [1_000, 2_000, 0].entries()) {
      await site.taken(index + 1);
      await clock.advance(10_000);
      if (waitMs > 0) await until(() => clock.delays.includes(waitMs));
      await clock.advance(waitMs);
    }
    await sent;
  });

  it('refuses an address that is none, and shows no secret in its name', async () => {
    const byName = channel({ url: '${env:HOOK}' });
    assert.equal(byName.name, 'webhook (address from a variable)');
    await byName.send(message());
    assert.equal(site.calls[0]?.path, '/s3cr3t');
    await assert.rejects(
      channel({ url: '${secret:t}' }).send(message()),
      (error) =>
        error instanceof NotifyFailure &&
        error.reason === 'settings' &&
        !error.message.includes('xyz'),
    );
  });
});
