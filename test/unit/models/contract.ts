/**
 * What every provider must do, with its real SDK and against a server that speaks its real wire
 * format.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AttachmentBlock, Message } from '../../../src/models/model.ts';
import { Bench, key, type Subject } from './bench.ts';
import { failsWell } from './contractFailures.ts';
import { callsIn, idsIn, inputsIn, request, textOf, thinkingOf, userSays } from './conversing.ts';

const manyBytes = 'Größe 10 µm ≤ 3 — 数字の検証 👩‍🔬🇩🇪 𝛼=𝟑·10⁻⁴ ';
const png: AttachmentBlock = {
  type: 'attachment',
  mediaType: 'image/png',
  name: 'loss.png',
  base64: 'iVBORw0KGgo=',
};
const pdf: AttachmentBlock = {
  type: 'attachment',
  mediaType: 'application/pdf',
  name: 'paper.pdf',
  base64: 'JVBERi0=',
};

export function behavesAsAProvider(subject: Subject): void {
  describe(`${subject.name} keeps the contract of a provider`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await Bench.open(subject);
    });
    afterEach(() => bench.close());

    describe('answers', () => {
      it('streams text and gives it whole, with usage and the model', async () => {
        bench.answers({
          text: 'The loss is 0.83 after 200 steps.',
          usage: { inputTokens: 40, cacheReadTokens: 900, outputTokens: 9 },
        });
        const { events, reply, shown } = await bench.ask();
        assert.ok(events.filter(({ type }) => type === 'text.delta').length > 1);
        assert.equal(shown, 'The loss is 0.83 after 200 steps.');
        assert.deepEqual(reply, {
          content: [{ type: 'text', text: shown }],
          stop: 'stop',
          model: bench.subject.model,
          usage: { inputTokens: 40, cacheReadTokens: 900, cacheWriteTokens: 0, outputTokens: 9 },
        });
      });

      it('keeps characters whole that are split across chunks', async () => {
        const text = manyBytes.repeat(40);
        bench.answers({
          text,
          thinking: manyBytes,
          toolCalls: [{ name: 'read_file', input: { path: manyBytes } }],
        });
        const { reply, shown } = await bench.ask();
        assert.equal(shown, text);
        assert.equal(textOf(reply), text);
        assert.equal(thinkingOf(reply), manyBytes);
        assert.deepEqual(callsIn(reply)[0]?.input, { path: manyBytes });
      });

      it('gives parallel calls in their order, each announced once', async () => {
        const inputs = [{ lr: 0.1 }, { lr: 0.2, note: 'a "quoted" {brace}' }, {}];
        bench.answers({
          text: 'Three runs.',
          toolCalls: inputs.map((input) => ({ name: 'launch', input })),
        });
        const { events, reply } = await bench.ask();
        assert.equal(reply.stop, 'tools');
        const calls = callsIn(reply);
        assert.deepEqual(inputsIn(reply), inputs);
        assert.equal(new Set(calls.map(({ id }) => id)).size, 3);
        assert.deepEqual(
          events.filter(({ type }) => type === 'tool_call.started'),
          calls.map(({ id, name }) => ({ type: 'tool_call.started', id, name })),
        );
      });

      if (subject.hasParsedArguments !== true)
        it('gives arguments that are not JSON as their text', async () => {
          bench.answers({ toolCalls: [{ name: 'launch', input: '{"lr": 3e-4,, }' }] });
          const { reply } = await bench.ask();
          assert.equal(reply.stop, 'tools');
          assert.equal(callsIn(reply)[0]?.input, '{"lr": 3e-4,, }');
        });

      it('takes an empty reply as a reply', async () => {
        bench.answers({});
        const { reply } = await bench.ask();
        assert.deepEqual([reply.stop, reply.content], ['stop', []]);
      });

      it('drops the call that the output limit cut, and says so', async () => {
        const whole = { name: 'read_file', input: { path: 'train.py' } };
        bench.answers({
          text: 'I will',
          toolCalls: [whole, { name: 'launch', input: '{"lr": 0.1, "scr' }],
          stop: 'length',
        });
        const { reply } = await bench.ask();
        assert.equal(reply.stop, 'length');
        assert.deepEqual(reply.content, [{ type: 'text', text: 'I will' }]);
      });

      it('says that the content filter refused', async () => {
        bench.answers({ text: 'No', stop: 'refused' });
        const { reply } = await bench.ask();
        assert.equal(reply.failure?.reason, 'refused');
        assert.equal(bench.server.requests.length, 1);
      });
    });

    describe('asks', () => {
      it('with the whole system prompt, all tools and the key', async () => {
        bench.answers({ text: 'Yes.' });
        await bench.ask();
        const [sent] = bench.server.requests;
        assert.ok(sent);
        for (const { text } of request().system)
          assert.ok(bench.subject.sent.system(sent.body).includes(text), text);
        const tools = bench.subject.sent.tools(sent.body);
        assert.deepEqual(
          tools,
          subject.sortsTools ? ['launch', 'read_file'] : ['read_file', 'launch'],
        );
        assert.equal(subject.sent.model?.(sent.path) ?? sent.body.model, subject.model);
        assert.ok(JSON.stringify(sent.headers).includes(key));
      });

      it('with its thinking unchanged and in its place, and with results in the order of their calls', async () => {
        const toolCalls = [1, 2, 3].map((lr) => ({ name: 'launch', input: { lr } }));
        bench.answers(
          { thinking: 'First the µ-runs.\nThen more.', text: 'Go.', toolCalls },
          { text: 'Done.' },
        );
        const first = await bench.ask();
        const messages: Message[] = [
          userSays('Begin.'),
          { role: 'assistant', content: first.reply.content },
          ...callsIn(first.reply).map(({ id }): Message => ({
            role: 'user',
            content: [
              { type: 'tool_result', callId: id, text: `run of ${id}`, isError: id.endsWith('2') },
            ],
          })),
          userSays('Go on.'),
        ];
        const second = await bench.ask({ messages });
        assert.equal(second.reply.failure, undefined);
        assert.equal(bench.server.requests.length, 2, 'it was not refused');
        const body = bench.server.requests[1]?.body ?? {};
        assert.deepEqual(bench.subject.sent.thinking(body), ['First the µ-runs.\nThen more.']);
        assert.deepEqual(bench.subject.sent.results(body), idsIn(first.reply));
      });

      it('without thinking of another provider or model, or at the end of a reply', async () => {
        bench.answers({ thinking: 'Mine.', text: 'One.' }, { text: 'Two.' });
        const first = await bench.ask();
        const [own] = first.reply.content;
        assert.ok(own?.type === 'thinking');
        const text = { type: 'text', text: 'One.' } as const;
        const second = await bench.ask({
          model: `${bench.subject.model}-2`,
          messages: [
            userSays('Begin.'),
            { role: 'assistant', content: [{ ...own, provider: 'another' }, own, text, own] },
            userSays('Go on.'),
          ],
        });
        assert.equal(second.reply.failure, undefined);
        assert.deepEqual(bench.subject.sent.thinking(bench.server.requests[1]?.body ?? {}), []);
        bench.server.reply(() => ({ text: 'Three.' }));
        await bench.ask({
          messages: [
            userSays('Begin.'),
            { role: 'assistant', content: [text, own] },
            userSays('Go on.'),
          ],
        });
        assert.deepEqual(bench.subject.sent.thinking(bench.server.requests[2]?.body ?? {}), []);
        assert.equal(bench.server.requests.length, 3, 'none was refused');
      });

      it('with images and documents as such, also inside results', async () => {
        const call = { type: 'tool_call', id: 'call_1', name: 'read_file', input: {} } as const;
        const result = {
          type: 'tool_result',
          callId: 'call_1',
          text: 'the chart',
          isError: false,
        } as const;
        bench.answers({ text: 'I see.' });
        await bench.ask({
          messages: [
            { role: 'user', content: [{ type: 'text', text: 'Look.' }, pdf] },
            { role: 'assistant', content: [call] },
            { role: 'user', content: [{ ...result, attachments: [png] }] },
          ],
        });
        const sent = JSON.stringify(bench.server.requests[0]?.body);
        for (const { base64 } of [png, pdf])
          assert.equal(sent.split(base64).length, 2, `${base64} is sent once`);
      });

      it('a valid request whatever the history holds', async () => {
        const call = {
          type: 'tool_call',
          id: 'functions.launch:0',
          name: 'launch',
          input: '{"broken',
        } as const;
        bench.answers({ text: 'Fine.' });
        const { reply } = await bench.ask({
          messages: [
            userSays('Begin.'),
            userSays('  '),
            { role: 'assistant', content: [{ type: 'text', text: '' }] },
            {
              role: 'assistant',
              content: [{ type: 'thinking', text: 'cut', provider: bench.provider.id }],
            },
            userSays('And?'),
            { role: 'assistant', content: [{ type: 'text', text: 'Now.' }, call] },
            { role: 'user', content: [{ type: 'text', text: 'Wait.' }] },
            {
              role: 'user',
              content: [{ type: 'tool_result', callId: call.id, text: '', isError: true }],
            },
          ],
        });
        assert.equal(reply.failure, undefined, reply.failure?.message);
      });
    });

    failsWell(() => bench, subject);
  });
}
