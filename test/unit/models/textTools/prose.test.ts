import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Message } from '../../../../src/models/model.ts';
import { callsIn, textOf, thinkingOf, userSays } from '../conversing.ts';
import { block, told } from './texting.ts';

const removal = '{"tool":"execute_bash","args":{"command":"rm -rf build"}}';
const fence = '```';

/** What is no call, whatever it looks like; and whether the model is told how calls are written. */
const talk: readonly (readonly [says: string, text: string, isReminded: boolean])[] = [
  ['prose', 'The loss is 0.83; I suggest a smaller step.', false],
  ['a bare object', removal, true],
  ['a bare object behind a turn token', `${removal}<end_of_turn>`, true],
  [
    'an object with a real line break',
    '{"tool":"write_file","args":{"path":"a","content":"x\ny"}}',
    true,
  ],
  ['an object in words', `Sure: ${removal} done.`, true],
  [
    'an explanation with an example',
    `Running ${removal} would delete the folder build for good.`,
    true,
  ],
  ['an object in a fence', `${fence}json\n${removal}\n${fence}`, true],
  ['an object in a fence of another language', `${fence}tool_call\n${removal}\n${fence}`, true],
  ['a list of one call', `[${removal}]`, true],
  ['tags of another format', `<thought>size?</thought><action>${removal}</action>`, true],
  [
    'unescaped quotes',
    '{"tool":"create_file","args":{"filename":"h.js","content":"log("hi")\\n"}}',
    true,
  ],
  ['a missing brace', '{"tool":"search_web","args":{"query":"node 24 lts","num_results":3}', true],
  ['a comma too many', '{"tool":"search_web","args":{"query":"ts 6 release",}}', true],
  [
    'words that a tool has',
    'Use the tool search_web with the query "node 24 lts" and num_results 3.',
    false,
  ],
  ['JSON that was asked for', '{"loss": 0.83, "steps": 200}', false],
  ['JSON with the word tool', '{"tool": "hammer", "price": 12}', false],
  ['a block in a fence', `An example:\n${fence}\n${block(removal)}\n${fence}\nThat is all.`, true],
  ['a block in a fence with a language', `${fence}xml\n${block(removal)}\n${fence}`, true],
  ['a block in a fence of tildes', `~~~\n${block(removal)}\n~~~`, true],
  [
    'a block in a longer fence that holds a shorter one',
    `${fence}${fence}\n${fence}\n${block(removal)}\n${fence}${fence}`,
    true,
  ],
  ['a block in a fence of a list', `1. So:\n   ${fence}\n   ${block(removal)}\n   ${fence}`, true],
  ['a block in a quoted fence', `> ${fence}\n> ${block(removal)}\n> ${fence}`, true],
  ['a block in a fence that never ends', `${fence}\n${block(removal)}`, true],
  ['a block in a code span', `Write \`${block(removal)}\` to delete it.`, true],
  ['a block in a code span over lines', `Write \`\n${block(removal)}\n\` to delete it.`, true],
  [
    'a block in a code span of two ticks',
    `Write \`\`\n${block(removal)}\n\`\` to delete it.`,
    true,
  ],
  ['an indented block', `So:\n\n    ${block(removal)}`, true],
  ['a block indented by a tab', `So:\n\n\t${block(removal)}`, true],
  ['a quoted block', `They wrote:\n> ${block(removal).replaceAll('\n', '\n> ')}`, true],
  [
    'a block inside of a sentence',
    `If I wrote <tool_call>${removal}</tool_call> it would be gone.`,
    true,
  ],
  ['a block in quotation marks', `"${block(removal)}"`, true],
  ['a closing tag alone', `${removal}\n</tool_call>`, true],
  ['a tag that goes on otherwise', '<tool_caller>no</tool_caller>', false],
  ['words that other formats strip', 'User: x\nCurrent User:\nmodel\nUser:\n', false],
  ['white space at both ends', '\n\n  The end. \n\n', false],
];

const spoken = (text: string): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
});

describe('text outside of calls', () => {
  for (const [says, text, isReminded] of talk)
    it(`is left as it is: ${says}`, async () => {
      for (const chunks of [[text], [...text]]) {
        const { reply } = await told(chunks);
        assert.deepEqual(callsIn(reply), []);
        const kept = text.replace('<thought>size?</thought>', '');
        assert.equal(textOf(reply), kept);
        const { asked } = await told('Next.', {
          messages: [userSays('Go.'), spoken(kept), userSays('Well?')],
        });
        assert.equal(JSON.stringify(asked.messages.at(-1)).includes('holds no call'), isReminded);
      }
    });

  it('is shown as it comes, and nothing of a call is', async () => {
    const text = `First this.\n\nThen\n${block('{"name":"read_file","arguments":{"path":"train.py"}}')}\n`;
    for (const size of [1, 2, 3, 7, 1000]) {
      const chunks = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
      const { events, reply } = await told(chunks);
      const shown = events
        .flatMap((event) => (event.type === 'text.delta' ? [event.text] : []))
        .join('');
      assert.equal(shown, 'First this.\n\nThen');
      assert.equal(textOf(reply), shown);
      assert.equal(callsIn(reply).length, 1);
    }
    const live = await told(['First this.', ' And that.']);
    assert.equal(live.events[0]?.type, 'text.delta');
  });

  it('may be followed by a call after a tick that means nothing, or in the next paragraph', async () => {
    const call = block('{"name":"get_time","arguments":{}}');
    for (const text of [
      `It is \`x\`.\n${call}`,
      `A stray \` here.\n\n${call}`,
      `${fence}\ncode\n${fence}\n${call}`,
      `- one\n- two\n${call}`,
    ]) {
      const { reply } = await told(text);
      assert.equal(callsIn(reply).length, 1, text);
    }
  });

  it('after a call is kept, but not what the model makes up as its result', async () => {
    const call = block('{"name":"get_time","arguments":{}}');
    const kept = await told(`${call}\nI wait for it.`);
    assert.deepEqual(
      kept.reply.content.map(({ type }) => type),
      ['tool_call', 'text'],
    );
    const invented = await told(
      `${call}\n<tool_result id="1">\nnoon\n</tool_result>\n${block('{"name":"launch","arguments":{}}')}`,
    );
    assert.deepEqual(
      callsIn(invented.reply).map(({ name }) => name),
      ['get_time'],
    );
    assert.equal(textOf(invented.reply), '');
  });

  describe('that is thinking', () => {
    const call = block('{"name":"get_time","arguments":{}}');
    for (const [says, text, thinking] of [
      [
        'is told as such',
        `<think>\nHm. ${removal}\n</think>\n\nSo.\n${call}`,
        `\nHm. ${removal}\n`,
      ],
      [
        'is never read for calls',
        `<think>Maybe\n${block(removal)}\nor not.</think>So.\n${call}`,
        `Maybe\n${block(removal)}\nor not.`,
      ],
      [
        'may come without its opening tag',
        `Maybe\n${block(removal)}\nor not.\n</think>\n\nSo.\n${call}`,
        `Maybe\n${block('{"name": "execute_bash", "arguments": {"command":"rm -rf build"}}')}\nor not.`,
      ],
      ['may be called thought', `<thought>Hm.</thought>\nSo.\n${call}`, 'Hm.'],
    ] as const)
      it(says, async () => {
        for (const chunks of [[text], [...text]]) {
          const { reply } = await told(chunks);
          assert.equal(thinkingOf(reply), thinking);
          assert.equal(textOf(reply), 'So.');
          assert.deepEqual(
            callsIn(reply).map(({ name }) => name),
            ['get_time'],
          );
        }
      });

    it('is all that there is where it does not end', async () => {
      const { reply } = await told(`<think>Maybe\n${block(removal)}`);
      assert.deepEqual(
        reply.content.map(({ type }) => type),
        ['thinking'],
      );
    });
  });

  it('is all that there is when no tools are offered', async () => {
    const { reply, asked } = await told(block(removal), { tools: [] });
    assert.deepEqual(reply.content, [{ type: 'text', text: block(removal) }]);
    assert.equal(asked.system.length, 3);
  });
});
