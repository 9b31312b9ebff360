import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Message, ToolCallBlock } from '../../../../src/models/model.ts';
import { random as randomFrom } from '../../../fakes/random.ts';
import { callsIn, textOf, userSays } from '../conversing.ts';
import { block, told } from './texting.ts';

const words = [
  'a',
  'User:',
  '"',
  "'",
  '\\',
  '\n',
  '\t',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '`',
  '```\n',
  '<tool_call>',
  '</tool_call>',
  '“',
  'µ',
  '👩‍🔬',
  '//',
  '#',
  ' ',
  'n',
  'u0041',
  'None',
];

type Random = () => number;
const below = (random: Random, count: number): number => Math.floor(random() * count);
const textFrom = (random: Random): string =>
  Array.from({ length: below(random, 12) }, () => words[below(random, words.length)]).join('');

function valueFrom(random: Random, depth = 0): unknown {
  const kind = below(random, depth > 3 ? 5 : 7);
  switch (kind) {
    case 0:
      return below(random, 2000) / 8 - 100;
    case 1:
      return random() < 0.5;
    case 2:
      return null;
    case 3:
    case 4:
      return textFrom(random);
    case 5:
      return Array.from({ length: below(random, 4) }, () => valueFrom(random, depth + 1));
    default:
      return objectFrom(random, depth + 1);
  }
}

const objectFrom = (random: Random, depth = 0): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: below(random, 5) }, (_, index) => [
      `k${index}${textFrom(random)}`,
      valueFrom(random, depth),
    ]),
  );

/**
 * What models do to JSON without changing its meaning. Each takes the JSON of a call and gives it
 * as they would write it.
 */
const mutations: Readonly<Record<string, (value: unknown, json: string) => string>> = {
  nothing: (_, json) => json,
  'lay it out': (value) => JSON.stringify(value, null, 2),
  'leave out the last brace': (_, json) => json.slice(0, -1),
  'leave out the last two braces': (_, json) => json.slice(0, -2),
  'put it into a fence': (_, json) => `\`\`\`json\n${json}\n\`\`\``,
  'put it into a list': (_, json) => `[${json}]`,
  'double the outer braces': (_, json) => `{${json}}`,
  'add commas': (value) => python(value, { comma: ',', quote: '"', words: false }),
  'write Python': (value) => python(value, { comma: '', quote: "'", words: true }),
  'write real line breaks': (_, json) =>
    json.replaceAll(/(?<!\\)((?:\\\\)*)\\n/g, '$1\n').replaceAll(/(?<!\\)((?:\\\\)*)\\t/g, '$1\t'),
  'write the arguments as text': (value) => {
    const { name, arguments: input } = value as { name: string; arguments: unknown };
    return JSON.stringify({ tool: name, args: JSON.stringify(input) });
  },
};

interface Style {
  readonly comma: string;
  readonly quote: string;
  readonly words: boolean;
}

function python(value: unknown, style: Style): string {
  if (typeof value === 'string') return quoted(value, style.quote);
  if (Array.isArray(value))
    return list(
      value.map((item) => python(item, style)),
      '[]',
      style,
    );
  if (typeof value === 'object' && value !== null)
    return list(
      Object.entries(value).map(
        ([key, item]) => `${quoted(key, style.quote)}: ${python(item, style)}`,
      ),
      '{}',
      style,
    );
  const word = JSON.stringify(value);
  const inPython: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' };
  return style.words ? (inPython[word] ?? word) : word;
}

const list = (items: readonly string[], [open, close]: string, { comma }: Style): string =>
  `${open}${items.join(', ')}${items.length > 0 ? comma : ''}${close}`;

function quoted(text: string, quote: string): string {
  if (quote === '"') return JSON.stringify(text);
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

const chunksOf = (text: string, random: Random): string[] => {
  const chunks: string[] = [];
  for (let at = 0; at < text.length;) {
    const size = 1 + below(random, 9);
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
};

describe('calls in text, with random arguments', () => {
  const rounds = 60;

  for (const [name, mutate] of Object.entries(mutations))
    it(`mean the same when models ${name}`, async () => {
      const random = randomFrom(7);
      for (let round = 0; round < rounds; round += 1) {
        const input = objectFrom(random);
        const call = { name: 'unlisted', arguments: input };
        const body = mutate(call, JSON.stringify(call));
        const { reply } = await told(chunksOf(`So:\n${block(body)}\n`, random));
        const found = callsIn(reply);
        assert.deepEqual(
          found.map((each) => each.problem ?? each.input),
          [input],
          body,
        );
        assert.equal(textOf(reply), 'So:');
      }
    });

  it('come back as they were sent from the history, and results cannot pretend to be more', async () => {
    const random = randomFrom(3);
    for (let round = 0; round < rounds; round += 1) {
      const calls = [1, 2].map((index): ToolCallBlock => ({
        type: 'tool_call',
        id: `call_${round}_${index}`,
        name: 'launch',
        input: objectFrom(random),
      }));
      const messages: Message[] = [
        userSays('Go.'),
        { role: 'assistant', content: [{ type: 'text', text: 'Two.' }, ...calls] },
        {
          role: 'user',
          content: calls.map(({ id }) => ({
            type: 'tool_result',
            callId: id,
            text: textFrom(random),
            isError: false,
          })),
        },
      ];
      const { asked } = await told('Fine.', { messages });
      const [, written] = asked.messages;
      const text =
        written?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
      const { reply } = await told(chunksOf(text, random));
      assert.equal(textOf(reply), 'Two.');
      assert.deepEqual(
        callsIn(reply).map(({ name, input, repairs }) => ({ name, input, repairs })),
        calls.map(({ name, input }) => ({ name, input, repairs: undefined })),
      );
    }
  });

  it('end neither in an endless search nor in a fault, whatever is written', async () => {
    const random = randomFrom(11);
    for (let round = 0; round < 300; round += 1) {
      const body = Array.from(
        { length: below(random, 80) },
        () => words[below(random, words.length)],
      ).join('');
      const { reply } = await told(chunksOf(`<tool_call>${body}`, random));
      assert.ok(['stop', 'tools'].includes(reply.stop));
    }
    const texts = Array.from({ length: 3000 }, (_, index) => `x "b", "k${index}": "d" `).join('');
    const many = `{"name":"x","arguments":{"a":"${texts}"}}`;
    const { reply } = await told(block(many));
    assert.notEqual(callsIn(reply)[0]?.problem, undefined);
  });
});
