/** What every provider must do, with its real SDK and against a server that speaks its real wire format. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AttachmentBlock, Message, ModelFailureReason, ModelProvider } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import type { JsonObject, WireReply, WireScript, WireServer } from '../../fakes/wire.ts';
import {
  callsIn,
  hear,
  idsIn,
  inputsIn,
  request,
  textOf,
  thinkingOf,
  userSays,
  type Heard,
  type Reading,
} from './conversing.ts';

export interface Subject {
  readonly name: string;
  readonly model: string;
  start(script?: WireScript): Promise<WireServer>;
  create(options: {
    readonly baseUrl: string;
    readonly clock: ManualClock;
    readonly random: () => number;
    readonly apiKey: () => Promise<string | undefined>;
  }): ModelProvider;
  /** Reads an outgoing request back. */
  readonly sent: {
    system(body: JsonObject): string;
    tools(body: JsonObject): string[];
    /** Call ids of the results, in their order. */
    results(body: JsonObject): string[];
    /** The thinking that was sent back. */
    thinking(body: JsonObject): string[];
  };
}

const key = 'sk-test-0123456789';
const manyBytes = 'Größe 10 µm ≤ 3 — 数字の検証 👩‍🔬🇩🇪 𝛼=𝟑·10⁻⁴ ';
const png: AttachmentBlock = { type: 'attachment', mediaType: 'image/png', name: 'loss.png', base64: 'iVBORw0KGgo=' };
const pdf: AttachmentBlock = {
  type: 'attachment',
  mediaType: 'application/pdf',
  name: 'paper.pdf',
  base64: 'JVBERi0=',
};

export function behavesAsAProvider(subject: Subject): void {
  describe(`${subject.name} keeps the contract of a provider`, () => {
    let server: WireServer;
    let clock: ManualClock;
    let provider: ModelProvider;

    beforeEach(async () => {
      server = await subject.start();
      clock = new ManualClock();
      provider = create();
    });
    afterEach(async () => {
      await server.close();
      assert.equal(clock.pendingTimers, 0, 'no timer is left behind');
    });

    const create = (apiKey: () => Promise<string | undefined> = () => Promise.resolve(key)): ModelProvider =>
      subject.create({ baseUrl: server.url, clock, random: () => 0.5, apiKey });
    const ask = (changes = {}, reading: Partial<Reading> = {}): Promise<Heard> =>
      hear((...args) => provider.stream(...args), request({ model: subject.model, ...changes }), { clock, ...reading });
    const answers = (...replies: readonly WireReply[]): void =>
      server.reply(({ index }) => replies[index] ?? { status: 400, message: `nothing is scripted for call ${index}` });

    describe('answers', () => {
      it('streams text and gives it whole, with usage and the model', async () => {
        answers({
          text: 'The loss is 0.83 after 200 steps.',
          usage: { inputTokens: 40, cacheReadTokens: 900, outputTokens: 9 },
        });
        const { events, reply, shown } = await ask();
        assert.ok(events.filter(({ type }) => type === 'text.delta').length > 1);
        assert.equal(shown, 'The loss is 0.83 after 200 steps.');
        assert.deepEqual(reply, {
          content: [{ type: 'text', text: shown }],
          stop: 'stop',
          model: subject.model,
          usage: { inputTokens: 40, cacheReadTokens: 900, cacheWriteTokens: 0, outputTokens: 9 },
        });
      });

      it('keeps characters whole that are split across chunks', async () => {
        const text = manyBytes.repeat(40);
        answers({ text, thinking: manyBytes, toolCalls: [{ name: 'read_file', input: { path: manyBytes } }] });
        const { reply, shown } = await ask();
        assert.equal(shown, text);
        assert.equal(textOf(reply), text);
        assert.equal(thinkingOf(reply), manyBytes);
        assert.deepEqual(callsIn(reply)[0]?.input, { path: manyBytes });
      });

      it('gives parallel calls in their order, each announced once', async () => {
        const inputs = [{ lr: 0.1 }, { lr: 0.2, note: 'a "quoted" {brace}' }, {}];
        answers({ text: 'Three runs.', toolCalls: inputs.map((input) => ({ name: 'launch', input })) });
        const { events, reply } = await ask();
        assert.equal(reply.stop, 'tools');
        const calls = callsIn(reply);
        assert.deepEqual(inputsIn(reply), inputs);
        assert.equal(new Set(calls.map(({ id }) => id)).size, 3);
        assert.deepEqual(
          events.filter(({ type }) => type === 'tool_call.started'),
          calls.map(({ id, name }) => ({ type: 'tool_call.started', id, name })),
        );
      });

      it('gives arguments that are not JSON as their text', async () => {
        answers({ toolCalls: [{ name: 'launch', input: '{"lr": 3e-4,, }' }] });
        const { reply } = await ask();
        assert.equal(reply.stop, 'tools');
        assert.equal(callsIn(reply)[0]?.input, '{"lr": 3e-4,, }');
      });

      it('takes an empty reply as a reply', async () => {
        answers({});
        const { reply } = await ask();
        assert.deepEqual([reply.stop, reply.content], ['stop', []]);
      });

      it('drops the call that the output limit cut, and says so', async () => {
        const whole = { name: 'read_file', input: { path: 'train.py' } };
        answers({ text: 'I will', toolCalls: [whole, { name: 'launch', input: '{"lr": 0.1, "scr' }], stop: 'length' });
        const { reply } = await ask();
        assert.equal(reply.stop, 'length');
        assert.deepEqual(reply.content, [{ type: 'text', text: 'I will' }]);
      });

      it('says that the content filter refused', async () => {
        answers({ text: 'No', stop: 'refused' });
        const { reply } = await ask();
        assert.equal(reply.failure?.reason, 'refused');
        assert.equal(server.requests.length, 1);
      });
    });

    describe('asks', () => {
      it('with the whole system prompt, all tools and the key', async () => {
        answers({ text: 'Yes.' });
        await ask();
        const [sent] = server.requests;
        assert.ok(sent);
        for (const { text } of request().system) assert.ok(subject.sent.system(sent.body).includes(text), text);
        assert.deepEqual(subject.sent.tools(sent.body), ['read_file', 'launch']);
        assert.equal(sent.body.model, subject.model);
        assert.ok(JSON.stringify(sent.headers).includes(key));
      });

      it('with its thinking unchanged and in its place, and with results in the order of their calls', async () => {
        const toolCalls = [1, 2, 3].map((lr) => ({ name: 'launch', input: { lr } }));
        answers({ thinking: 'First the µ-runs.\nThen more.', text: 'Go.', toolCalls }, { text: 'Done.' });
        const first = await ask();
        const messages: Message[] = [
          userSays('Begin.'),
          { role: 'assistant', content: first.reply.content },
          ...callsIn(first.reply).map(({ id }): Message => ({
            role: 'user',
            content: [{ type: 'tool_result', callId: id, text: `run of ${id}`, isError: id.endsWith('2') }],
          })),
          userSays('Go on.'),
        ];
        const second = await ask({ messages });
        assert.equal(second.reply.failure, undefined);
        assert.equal(server.requests.length, 2, 'it was not refused');
        const body = server.requests[1]?.body ?? {};
        assert.deepEqual(subject.sent.thinking(body), ['First the µ-runs.\nThen more.']);
        assert.deepEqual(subject.sent.results(body), idsIn(first.reply));
      });

      it('without thinking of another provider or model, or at the end of a reply', async () => {
        answers({ thinking: 'Mine.', text: 'One.' }, { text: 'Two.' });
        const first = await ask();
        const [own] = first.reply.content;
        assert.ok(own?.type === 'thinking');
        const text = { type: 'text', text: 'One.' } as const;
        const second = await ask({
          model: `${subject.model}-2`,
          messages: [
            userSays('Begin.'),
            { role: 'assistant', content: [{ ...own, provider: 'another' }, own, text, own] },
            userSays('Go on.'),
          ],
        });
        assert.equal(second.reply.failure, undefined);
        assert.deepEqual(subject.sent.thinking(server.requests[1]?.body ?? {}), []);
        server.reply(() => ({ text: 'Three.' }));
        await ask({ messages: [userSays('Begin.'), { role: 'assistant', content: [text, own] }, userSays('Go on.')] });
        assert.deepEqual(subject.sent.thinking(server.requests[2]?.body ?? {}), []);
        assert.equal(server.requests.length, 3, 'none was refused');
      });

      it('with images and documents as such, also inside results', async () => {
        const call = { type: 'tool_call', id: 'call_1', name: 'read_file', input: {} } as const;
        const result = { type: 'tool_result', callId: 'call_1', text: 'the chart', isError: false } as const;
        answers({ text: 'I see.' });
        await ask({
          messages: [
            { role: 'user', content: [{ type: 'text', text: 'Look.' }, pdf] },
            { role: 'assistant', content: [call] },
            { role: 'user', content: [{ ...result, attachments: [png] }] },
          ],
        });
        const sent = JSON.stringify(server.requests[0]?.body);
        for (const { base64 } of [png, pdf]) assert.equal(sent.split(base64).length, 2, `${base64} is sent once`);
      });

      it('a valid request whatever the history holds', async () => {
        const call = { type: 'tool_call', id: 'functions.launch:0', name: 'launch', input: '{"broken' } as const;
        answers({ text: 'Fine.' });
        const { reply } = await ask({
          messages: [
            userSays('Begin.'),
            userSays('  '),
            { role: 'assistant', content: [{ type: 'text', text: '' }] },
            { role: 'assistant', content: [{ type: 'thinking', text: 'cut', provider: provider.id }] },
            userSays('And?'),
            { role: 'assistant', content: [{ type: 'text', text: 'Now.' }, call] },
            { role: 'user', content: [{ type: 'text', text: 'Wait.' }] },
            { role: 'user', content: [{ type: 'tool_result', callId: call.id, text: '', isError: true }] },
          ],
        });
        assert.equal(reply.failure, undefined, reply.failure?.message);
      });
    });

    describe('fails as data', () => {
      const fails = async (error: WireReply, reason: ModelFailureReason): Promise<void> => {
        server.reply(() => error);
        const { reply } = await ask();
        assert.equal(reply.failure?.reason, reason, reply.failure?.message);
        assert.equal(server.requests.length, 1, 'it is not made anew');
        assert.ok(!reply.failure.message.includes(key));
      };

      it('401 and 403: auth, and says how to set the key', async () => {
        await fails({ status: 401, message: `invalid key ${key}` }, 'auth');
        const { reply } = await ask();
        assert.match(reply.failure?.message ?? '', /\[key\].*Set API Key/);
        server.requests.length = 0;
        await fails({ status: 403 }, 'auth');
      });
      it('404: invalid', () => fails({ status: 404, message: 'no such model' }, 'invalid'));
      it('400: invalid', () => fails({ status: 400, message: 'bad field' }, 'invalid'));
      it('413: overflow', () => fails({ status: 413 }, 'overflow'));
      it('a prompt that is too long: overflow', () =>
        fails({ status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' }, 'overflow'));
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
        await server.close();
        const { events, reply } = await ask();
        assert.equal(reply.failure?.reason, 'network');
        assert.match(reply.failure.message, /ECONNREFUSED/);
        assert.equal(events.filter(({ type }) => type === 'attempt.discarded').length, 5);
      });

      it('a key that cannot be read', async () => {
        provider = create(() => Promise.reject(new Error('the secret store is locked')));
        const { reply } = await ask();
        assert.equal(reply.stop, 'error');
        assert.match(reply.failure?.message ?? '', /locked/);
      });
    });

    describe('makes anew what waiting can help', () => {
      const recovers = async (...bad: readonly WireReply[]): Promise<Heard> => {
        answers(...bad, { text: 'The whole answer.' });
        const heard = await ask();
        assert.deepEqual([heard.reply.stop, heard.shown], ['stop', 'The whole answer.']);
        assert.deepEqual(heard.reply.content, [{ type: 'text', text: 'The whole answer.' }]);
        assert.equal(server.requests.length, bad.length + 1);
        return heard;
      };
      const waits = ({ events }: Heard): unknown[] =>
        events.flatMap((event) => (event.type === 'attempt.discarded' ? [[event.failure.reason, event.delayMs]] : []));

      it('429, as long as it asks', async () => {
        const limit = { status: 429, headers: { 'retry-after': '7' } };
        assert.deepEqual(waits(await recovers(limit)), [['rate_limit', 7000]]);
      });
      it('429 until a date', async () => {
        const date = new Date(clock.now() + 90_000).toUTCString();
        assert.deepEqual(waits(await recovers({ status: 429, headers: { 'retry-after': date } })), [
          ['rate_limit', 90_000],
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
        const heard = await recovers({ text: 'The whole', breaks: { at: 'text', how: 'overloaded' } });
        assert.deepEqual(waits(heard), [['rate_limit', 750]]);
      });
      it('a cut in the text, which is not doubled', async () => {
        const heard = await recovers({ text: 'The whole answer, once.', breaks: { at: 'text', how: 'cut' } });
        assert.deepEqual(waits(heard), [['network', 750]]);
        assert.ok(
          heard.events.findIndex(({ type }) => type === 'text.delta') <
            heard.events.findIndex(({ type }) => type === 'attempt.discarded'),
        );
      });
      it('a cut in a call, which is not lost', async () => {
        const toolCalls = [{ name: 'launch', input: { lr: 0.1, script: 'train_with_a_long_name.py' } }];
        answers({ toolCalls, breaks: { at: 'tool_call', how: 'cut' } }, { toolCalls });
        const { reply } = await ask();
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
        const heard = await recovers({ text: 'The whole answer', breaks: { at: 'end', how: 'close' } });
        assert.deepEqual(waits(heard), [['network', 750]]);
      });
      it('a stream that falls silent', async () => {
        answers({ text: 'The whole', breaks: { at: 'text', how: 'hang' } }, { text: 'The whole answer.' });
        let isFirst = true;
        const passTime = async (): Promise<void> => {
          while (isFirst) await clock.advance(60_000);
        };
        const time = server.received(1).then(passTime);
        const heard = await ask({}, { on: ({ type }) => void (isFirst &&= type !== 'attempt.discarded') });
        await Promise.all([time, server.requests[0]?.closed]);
        assert.deepEqual([heard.shown, waits(heard)], ['The whole answer.', [['network', 750]]]);
      });
      it('but not for ever', async () => {
        server.reply(() => ({ status: 500, message: 'still down' }));
        const heard = await ask();
        assert.equal(server.requests.length, 6);
        assert.equal(heard.reply.failure?.reason, 'server');
        assert.deepEqual(
          waits(heard).map((wait) => (wait as [string, number])[1]),
          [750, 1500, 3000, 6000, 12_000],
        );
      });
      it('and not when the wait would be too long', async () => {
        answers({ status: 429, headers: { 'retry-after': '7200' } });
        const { reply } = await ask();
        assert.deepEqual([reply.failure?.reason, reply.failure?.retryAfterMs], ['rate_limit', 7_200_000]);
      });
    });

    describe('stops at once when it is aborted', () => {
      const aborted = async (answer: WireReply, isMoment: (type: string) => boolean): Promise<Heard> => {
        const controller = new AbortController();
        answers(answer);
        if (isMoment('')) void server.received(1).then(() => controller.abort());
        const heard = await ask(
          {},
          { signal: controller.signal, keepsClock: true, on: ({ type }) => abortAfter(type) },
        );
        function abortAfter(type: string): void {
          if (isMoment(type)) setImmediate(() => controller.abort());
        }
        assert.equal(heard.reply.stop, 'aborted');
        assert.equal(server.requests.length, 1, 'nothing more is asked');
        await server.requests[0]?.closed;
        return heard;
      };

      it('before it began', async () => {
        const { reply } = await ask({}, { signal: AbortSignal.abort() });
        assert.deepEqual([reply.stop, reply.content, server.requests.length], ['aborted', [], 0]);
      });
      it('while connecting', async () => {
        await aborted({ breaks: { at: 'connect', how: 'hang' } }, (type) => type === '');
      });
      it('in the text, which is kept as far as it came', async () => {
        const answer = { text: 'I will now explain at length.', breaks: { at: 'text', how: 'hang' } } as const;
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
        answers({ text: 'To whom it may concern.', breaks: { at: 'text', how: 'hang' } });
        for await (const event of provider.stream(request({ model: subject.model }), new AbortController().signal))
          if (event.type === 'text.delta') break;
        await server.requests[0]?.closed;
      });
    });
  });
}
