import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { Attempt } from '../../../src/models/guarded.ts';
import type { ModelReply } from '../../../src/models/model.ts';
import { readResponses } from '../../../src/models/openai/openaiResponsesStream.ts';

type Json = Readonly<Record<string, unknown>>;

async function replyOf(
  events: readonly Json[],
  attempt: Attempt = {} as Attempt,
): Promise<ModelReply | undefined> {
  const source = (async function* () {
    for (const event of events)
      yield await Promise.resolve(event as unknown as ResponseStreamEvent);
  })();
  let reply: ModelReply | undefined;
  for await (const event of readResponses(source, {
    provider: 'openai',
    model: 'gpt-5.4',
    attempt,
  }))
    if (event.type === 'finished') reply = event.reply;
  return reply;
}

const completed = (usage?: Json, more: Json = {}): Json => ({
  type: 'response.completed',
  response: { model: 'gpt-5.4', status: 'completed', ...(usage && { usage }), ...more },
});
const said = (index: number, text: string): Json => ({
  type: 'response.output_item.done',
  output_index: index,
  item: { type: 'message', content: [{ type: 'output_text', text }] },
});

describe('the stream of the Responses API', () => {
  it('keeps its items in their order, in whichever they are done', async () => {
    const reply = await replyOf([said(10, 'c'), said(2, 'b'), said(0, 'a'), completed()]);
    assert.deepEqual(
      reply?.content.map((block) => block.type === 'text' && block.text),
      ['a', 'b', 'c'],
    );
  });

  const counts: readonly (readonly [
    what: string,
    told: Json | undefined,
    counted: readonly number[],
  ])[] = [
    ['nothing cached', { input_tokens: 100, output_tokens: 7 }, [100, 0, 0, 7]],
    [
      'read and written',
      {
        input_tokens: 100,
        output_tokens: 7,
        input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      },
      [10, 60, 30, 7],
    ],
    [
      'more cached than there is',
      { input_tokens: 100, output_tokens: 7, input_tokens_details: { cached_tokens: 128 } },
      [0, 128, 0, 7],
    ],
    ['nothing told', undefined, [0, 0, 0, 0]],
  ];
  for (const [what, told, counted] of counts)
    it(`counts each token of the input once: ${what}`, async () => {
      const attempt = {} as Attempt;
      const usage = (await replyOf([completed(told)], attempt))?.usage;
      assert.deepEqual(
        [usage?.inputTokens, usage?.cacheReadTokens, usage?.cacheWriteTokens, usage?.outputTokens],
        counted,
      );
      assert.deepEqual(attempt.usage, usage);
    });

  it('has no reply when it was cut', async () => {
    assert.equal(await replyOf([said(0, 'a')]), undefined);
  });

  it('tells what was cut short from what was refused and what failed', async () => {
    const ended = (response: Json) => replyOf([completed(undefined, response)]);
    const incomplete = (reason: string): Json => ({
      status: 'incomplete',
      incomplete_details: { reason },
    });
    assert.equal((await ended({}))?.stop, 'stop');
    assert.equal((await ended(incomplete('max_output_tokens')))?.stop, 'length');
    await assert.rejects(ended(incomplete('content_filter')), {
      message: /content filter refused/,
    });
    await assert.rejects(ended({ status: 'failed', error: { message: 'No GPU' } }), {
      message: 'No GPU',
    });
  });

  it('can say again only reasoning that came with its encrypted content', async () => {
    const thought = (index: number, more: Json): Json => ({
      type: 'response.output_item.done',
      output_index: index,
      item: { type: 'reasoning', summary: [{ text: 'Hm' }, { text: 'so' }], ...more },
    });
    const reply = await replyOf([
      thought(0, {}),
      thought(1, { encrypted_content: 'e' }),
      completed(),
    ]);
    assert.deepEqual(
      reply?.content.map((block) => [
        block.type === 'thinking' && block.text,
        Object.keys(block).length,
      ]),
      [
        ['Hm\n\nso', 3],
        ['Hm\n\nso', 4],
      ],
    );
  });
});
