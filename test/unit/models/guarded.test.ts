import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { CallFailed, guarded, type RawStream } from '../../../src/models/guarded.ts';
import { noUsage, type ModelEvent, type ModelReply } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { hear, request, type Heard, type Reading } from './conversing.ts';

const reply: ModelReply = { content: [], stop: 'stop', usage: noUsage, model: 'm' };
const said = (text: string): ModelEvent => ({ type: 'text.delta', text });
const thought = (text: string): ModelEvent => ({ type: 'thinking.delta', text });
const finished = (changes: Partial<ModelReply> = {}): ModelEvent => ({
  type: 'finished',
  reply: { ...reply, ...changes },
});
const never = new Promise<never>(() => undefined);

describe('guarded', () => {
  const clock = new ManualClock();
  const run = (raw: RawStream, reading: Partial<Reading> = {}): Promise<Heard> =>
    hear(guarded(raw, { provider: 'p', clock }), request({ model: 'm' }), { clock, ...reading });

  /** The raw stream of a list of events, then of what `end` does. */
  const stream = (
    events: readonly ModelEvent[],
    end: () => Promise<void> = () => Promise.resolve(),
  ): RawStream =>
    async function* () {
      yield* events;
      await end();
    };

  it('passes on what keeps the contract', async () => {
    const events = [said('a'), thought('b'), finished({ content: [{ type: 'text', text: 'a' }] })];
    assert.deepEqual((await run(stream(events))).events, events);
  });

  it('turns a throw into a failure and keeps what was streamed, in its order', async () => {
    const raw = stream([said('a'), said('b'), thought('c'), said('d')], () =>
      Promise.reject(new Error('broken')),
    );
    const heard = await run(raw);
    assert.deepEqual(heard.reply, {
      content: [
        { type: 'text', text: 'ab' },
        { type: 'thinking', text: 'c', provider: 'p' },
        { type: 'text', text: 'd' },
      ],
      stop: 'error',
      failure: { reason: 'invalid', message: 'broken' },
      usage: noUsage,
      model: 'm',
    });
  });

  it('turns a throw before the stream exists into a failure', async () => {
    const heard = await run(() => {
      throw new CallFailed({ reason: 'overflow', message: 'too long' });
    });
    assert.deepEqual(heard.reply.failure, { reason: 'overflow', message: 'too long' });
  });

  it('turns a missing end into a failure of the network', async () => {
    const heard = await run(stream([said('a')]));
    assert.equal(heard.reply.failure?.reason, 'network');
  });

  it('stops reading at the first end', async () => {
    const heard = await run(stream([finished(), said('late'), finished()]));
    assert.equal(heard.events.length, 1);
  });

  it('reports usage and model as far as they are known, and no key', async () => {
    const usage = { ...noUsage, inputTokens: 7 };
    const heard = await run(async function* (_request, _signal, attempt) {
      Object.assign(attempt, { usage, model: 'm-2026', secret: 'k3y-of-mine' });
      yield said('a');
      await Promise.reject(new Error('k3y-of-mine is wrong: k3y-of-mine'));
    });
    assert.deepEqual([heard.reply.usage, heard.reply.model], [usage, 'm-2026']);
    assert.equal(heard.reply.failure?.message, '[key] is wrong: [key]');
  });

  it('is aborted although the raw stream hangs and ignores the signal', async () => {
    const controller = new AbortController();
    const heard = await run(
      stream([said('a')], () => never),
      {
        signal: controller.signal,
        on: () => void setImmediate(() => controller.abort()),
      },
    );
    assert.deepEqual(
      [heard.reply.stop, heard.reply.content],
      ['aborted', [{ type: 'text', text: 'a' }]],
    );
    assert.equal(clock.pendingTimers, 0);
  });

  it('reads nothing more once it is aborted', async () => {
    const controller = new AbortController();
    const heard = await run(stream([said('a'), said('b'), finished()]), {
      signal: controller.signal,
      on: () => controller.abort(),
    });
    assert.deepEqual(
      heard.events.map(({ type }) => type),
      ['text.delta', 'finished'],
    );
    assert.equal(heard.reply.stop, 'aborted');
  });

  it('tells the raw stream to let go, however it ends', async () => {
    const signals: AbortSignal[] = [];
    const keeping =
      (raw: RawStream): RawStream =>
      (asked, signal, attempt) => {
        signals.push(signal);
        return raw(asked, signal, attempt);
      };
    await run(keeping(stream([finished()])));
    await run(keeping(stream([])));
    for await (const event of guarded(keeping(stream([said('a')], () => never)), {
      provider: 'p',
      clock,
    })(request(), new AbortController().signal))
      if (event.type === 'text.delta') break;
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true, true],
    );
    assert.equal(clock.pendingTimers, 0);
  });

  it('holds the rule that calls are there exactly when results are wanted', async () => {
    const call = { type: 'tool_call', id: '1', name: 'launch', input: {} } as const;
    const stops = async (
      stop: ModelReply['stop'],
      content: ModelReply['content'],
    ): Promise<unknown> => {
      const heard = await run(stream([finished({ stop, content })]));
      return [heard.reply.stop, heard.reply.content.length];
    };
    assert.deepEqual(await stops('stop', [call]), ['tools', 1]);
    assert.deepEqual(await stops('tools', []), ['stop', 0]);
    assert.deepEqual(await stops('length', [call]), ['length', 0]);
    assert.deepEqual(await stops('error', [call]), ['error', 0]);
  });
});
