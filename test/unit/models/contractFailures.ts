/** The part of the contract on what goes wrong: failures, retries, aborts. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ModelFailureReason } from '../../../src/models/model.ts';
import type { WireReply } from '../../fakes/wire.ts';
import { key, type Bench, type Subject } from './bench.ts';
import { inputsIn, request, textOf, type Heard } from './conversing.ts';

export function failsWell(bench: () => Bench, subject: Subject): void {
  describe('fails as data', () => {
    const fails = async (error: WireReply, reason: ModelFailureReason): Promise<void> => {
      bench().server.reply(() => error);
      const { reply } = await bench().ask();
      assert.equal(reply.failure?.reason, reason, reply.failure?.message);
      if (!(subject.looksTwice && reason === 'invalid'))
        assert.equal(bench().server.requests.length, 1, 'it is not made anew');
      assert.ok(!reply.failure.message.includes(key));
    };

    it('401 and 403: auth, and says how to set the key', async () => {
      await fails({ status: 401, message: `invalid key ${key}` }, 'auth');
      const { reply } = await bench().ask();
      assert.match(
        reply.failure?.message ?? '',
        bench().subject.whenRefused ?? /\[key\].*Set API Key/,
      );
      bench().server.requests.length = 0;
      await fails({ status: 403 }, 'auth');
    });
    it('404: invalid', () => fails({ status: 404, message: 'no such model' }, 'invalid'));
    it('400: invalid', () => fails({ status: 400, message: 'bad field' }, 'invalid'));
    it('413: overflow', () => fails({ status: 413 }, 'overflow'));
    it('a prompt that is too long: overflow', () =>
      fails(
        { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
        'overflow',
      ));
    it('a context that is too long: overflow', () =>
      fails(
        {
          status: 400,
          message: "This model's maximum context length is 8192 tokens",
          kind: 'context_length_exceeded',
        },
        'overflow',
      ));

    it('no server: network, after its retries', async () => {
      await bench().server.close();
      const { events, reply } = await bench().ask();
      assert.equal(reply.failure?.reason, 'network');
      assert.match(reply.failure.message, /ECONNREFUSED/);
      assert.equal(events.filter(({ type }) => type === 'attempt.discarded').length, 5);
    });

    if (!subject.hasOwnKey)
      it('a key that cannot be read', async () => {
        bench().provider = bench().create(() =>
          Promise.reject(new Error('the secret store is locked')),
        );
        const { reply } = await bench().ask();
        assert.equal(reply.stop, 'error');
        assert.match(reply.failure?.message ?? '', /locked/);
      });
  });

  describe('makes anew what waiting can help', () => {
    const recovers = async (...bad: readonly WireReply[]): Promise<Heard> => {
      bench().answers(...bad, { text: 'The whole answer.' });
      const heard = await bench().ask();
      const { stop, failure } = heard.reply;
      assert.deepEqual(
        [stop, failure?.message, heard.shown],
        ['stop', undefined, 'The whole answer.'],
      );
      assert.deepEqual(heard.reply.content, [{ type: 'text', text: 'The whole answer.' }]);
      assert.equal(bench().asked.length, bad.length + 1);
      return heard;
    };
    const waits = ({ events }: Heard): unknown[] =>
      events.flatMap((event) =>
        event.type === 'attempt.discarded' ? [[event.failure.reason, event.delayMs]] : [],
      );

    const asked = (ms: number): number => (subject.hidesWaits ? 750 : ms);
    it('429, as long as it asks', async () => {
      const limit = { status: 429, headers: { 'retry-after': '7' } };
      assert.deepEqual(waits(await recovers(limit)), [['rate_limit', asked(7000)]]);
    });
    it('429 until a date', async () => {
      const date = new Date(bench().clock.now() + 90_000).toUTCString();
      assert.deepEqual(waits(await recovers({ status: 429, headers: { 'retry-after': date } })), [
        ['rate_limit', asked(90_000)],
      ]);
    });
    it('500 and 503', async () => {
      assert.deepEqual(waits(await recovers({ status: 500 }, { status: 503 })), [
        ['server', 750],
        ['server', 1500],
      ]);
    });
    it('529', async () => {
      assert.deepEqual(waits(await recovers({ status: 529 })), [['rate_limit', 750]]);
    });
    it('an overload told in the stream', async () => {
      const heard = await recovers({
        text: 'The whole',
        breaks: { at: 'text', how: 'overloaded' },
      });
      assert.deepEqual(waits(heard), [['rate_limit', 750]]);
    });
    it('a cut in the text, which is not doubled', async () => {
      const heard = await recovers({
        text: 'The whole answer, once.',
        breaks: { at: 'text', how: 'cut' },
      });
      assert.deepEqual(waits(heard), [['network', 750]]);
      if (subject.losesCutText) return;
      assert.ok(
        heard.events.findIndex(({ type }) => type === 'text.delta') <
          heard.events.findIndex(({ type }) => type === 'attempt.discarded'),
      );
    });
    it('a cut in a call, which is not lost', async () => {
      const toolCalls = [
        { name: 'launch', input: { lr: 0.1, script: 'train_with_a_long_name.py' } },
      ];
      bench().answers({ toolCalls, breaks: { at: 'tool_call', how: 'cut' } }, { toolCalls });
      const { reply } = await bench().ask();
      assert.deepEqual(
        inputsIn(reply),
        toolCalls.map(({ input }) => input),
      );
    });
    it('a cut before anything, and one before the end', async () => {
      await recovers(
        { breaks: { at: 'connect', how: 'cut' } },
        { text: 'The whole', breaks: { at: 'end', how: 'cut' } },
      );
    });
    it('a stream that a proxy closed as if it were whole', async () => {
      const heard = await recovers({
        text: 'The whole answer',
        breaks: { at: 'end', how: 'close' },
      });
      assert.deepEqual(waits(heard), [['network', 750]]);
    });
    it('a stream that falls silent', async () => {
      bench().answers(
        { text: 'The whole', breaks: { at: 'text', how: 'hang' } },
        { text: 'The whole answer.' },
      );
      let isFirst = true;
      const passTime = async (): Promise<void> => {
        while (isFirst) await bench().clock.advance(60_000);
      };
      const time = bench().server.received(1).then(passTime);
      const heard = await bench().ask(
        {},
        { on: ({ type }) => void (isFirst &&= type !== 'attempt.discarded') },
      );
      await Promise.all([time, bench().server.requests[0]?.closed]);
      assert.deepEqual([heard.shown, waits(heard)], ['The whole answer.', [['network', 750]]]);
    });
    it('but not for ever', async () => {
      bench().server.reply(() => ({ status: 500, message: 'still down' }));
      const heard = await bench().ask();
      assert.equal(bench().asked.length, 6);
      assert.equal(heard.reply.failure?.reason, 'server');
      assert.deepEqual(
        waits(heard).map((wait) => (wait as [string, number])[1]),
        [750, 1500, 3000, 6000, 12_000],
      );
    });
    if (!subject.hidesWaits)
      it('and not when the wait would be too long', async () => {
        bench().answers({ status: 429, headers: { 'retry-after': '7200' } });
        const { reply } = await bench().ask();
        assert.deepEqual(
          [reply.failure?.reason, reply.failure?.retryAfterMs],
          ['rate_limit', 7_200_000],
        );
      });
  });

  describe('stops at once when it is aborted', () => {
    const aborted = async (
      answer: WireReply,
      isMoment: (type: string) => boolean,
    ): Promise<Heard> => {
      const controller = new AbortController();
      bench().answers(answer);
      if (isMoment(''))
        void bench()
          .server.received(1)
          .then(() => controller.abort());
      const heard = await bench().ask(
        {},
        { signal: controller.signal, keepsClock: true, on: ({ type }) => abortAfter(type) },
      );
      function abortAfter(type: string): void {
        if (isMoment(type)) setImmediate(() => controller.abort());
      }
      assert.equal(heard.reply.stop, 'aborted');
      assert.equal(bench().server.requests.length, 1, 'nothing more is asked');
      await bench().server.requests[0]?.closed;
      return heard;
    };

    it('before it began', async () => {
      const { reply } = await bench().ask({}, { signal: AbortSignal.abort() });
      assert.deepEqual(
        [reply.stop, reply.content, bench().server.requests.length],
        ['aborted', [], 0],
      );
    });
    it('while connecting', async () => {
      await aborted({ breaks: { at: 'connect', how: 'hang' } }, (type) => type === '');
    });
    it('in the text, which is kept as far as it came', async () => {
      const answer = {
        text: 'I will now explain at length.',
        breaks: { at: 'text', how: 'hang' },
      } as const;
      const { reply } = await aborted(answer, (type) => type === 'text.delta');
      assert.ok(textOf(reply).length > 0 && answer.text.startsWith(textOf(reply)), textOf(reply));
    });
    it('in a call, which is dropped', async () => {
      const toolCalls = [{ name: 'launch', input: { script: 'a long name of a script.py' } }];
      const answer = { text: 'Now:', toolCalls, breaks: { at: 'tool_call', how: 'hang' } } as const;
      const { reply } = await aborted(answer, (type) => type === 'tool_call.started');
      assert.deepEqual(reply.content, [{ type: 'text', text: 'Now:' }]);
    });
    it('in the wait before an attempt', async () => {
      const { reply } = await aborted({ status: 500 }, (type) => type === 'attempt.discarded');
      assert.deepEqual(reply.content, []);
    });
    it('and when nobody reads on', async () => {
      bench().answers({ text: 'To whom it may concern.', breaks: { at: 'text', how: 'hang' } });
      for await (const event of bench().provider.stream(
        request({ model: bench().subject.model }),
        new AbortController().signal,
      ))
        if (event.type === 'text.delta') break;
      await bench().server.requests[0]?.closed;
    });
  });
}
