import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ToolCallBlock } from '../../../../src/models/model.ts';
import { callsIn, textOf } from '../conversing.ts';
import { block, told } from './texting.ts';

const time = '{"tool":"get_time","args":{}}';
const timeCall: readonly [string, unknown] = ['get_time', {}];
const fence = '```';

interface Row {
  readonly says: string;
  readonly body: string;
  readonly call: readonly [name: string, input: unknown];
  /** None: it is JSON as it should be, or what stands beside it means nothing. */
  readonly repairs?: readonly string[];
}

/** What models write in place of a call, put between its tags. */
const readable: readonly Row[] = [
  { says: 'JSON', body: time, call: timeCall },
  {
    says: 'JSON over lines',
    body: `{\n  "name": "get_time",\n  "arguments": {}\n}`,
    call: timeCall,
  },
  { says: 'a turn token behind it', body: `${time}<end_of_turn>`, call: timeCall },
  { says: 'other turn tokens behind it', body: `${time}<|im_end|>`, call: timeCall },
  {
    says: 'a real line break and tab inside a text',
    body: '{"tool":"write_file","args":{"path":"a.py","content":"if x:\n\treturn"}}',
    call: ['write_file', { path: 'a.py', content: 'if x:\n\treturn' }],
    repairs: ['line breaks or tabs inside a string'],
  },
  {
    says: 'a fence of json',
    body: `${fence}json\n{"tool":"stat_file","args":{"path":"a.ts"}}\n${fence}`,
    call: ['stat_file', { path: 'a.ts' }],
  },
  { says: 'a fence without a language', body: `${fence}\n${time}\n${fence}`, call: timeCall },
  {
    says: 'a fence of another language',
    body: `${fence}tool_call\n${time}\n${fence}`,
    call: timeCall,
  },
  {
    says: 'words around it',
    body: `Sure: ${time} done.`,
    call: timeCall,
    repairs: ['text next to the call'],
  },
  {
    says: 'thinking and tags around it',
    body: `<thought>size?</thought><action>${time}</action>`,
    call: timeCall,
  },
  { says: 'a list of one call', body: `[${time}]`, call: timeCall },
  {
    says: 'thinking with an object',
    body: `<thought>cfg {"x":1}</thought><action>${time}</action>`,
    call: timeCall,
  },
  {
    says: 'thinking with a call',
    body: `<think>or ${time}?</think>${block(time).slice(12, -13)}`,
    call: timeCall,
  },
  {
    says: 'an object before it',
    body: `{"x":1} ${time}`,
    call: timeCall,
    repairs: ['an object next to the call'],
  },
  {
    says: 'words in braces before it',
    body: `for {x} and {0}: ${time}`,
    call: timeCall,
    repairs: ['text next to the call'],
  },
  {
    says: 'quotes that are not escaped',
    body: '{"tool":"create_file","args":{"filename":"h.js","content":"log("hi")\\n"}}',
    call: ['create_file', { filename: 'h.js', content: 'log("hi")\n' }],
    repairs: ['quotes inside a string'],
  },
  {
    says: 'a missing brace',
    body: '{"tool":"search_web","args":{"query":"node 24 lts","num_results":3}',
    call: ['search_web', { query: 'node 24 lts', num_results: 3 }],
    repairs: ['a missing }'],
  },
  {
    says: 'two missing braces',
    body: '{"tool":"search_web","args":{"query":"node 24 lts","num_results":3',
    call: ['search_web', { query: 'node 24 lts', num_results: 3 }],
    repairs: ['a missing }'],
  },
  {
    says: 'a comma too many',
    body: '{"tool":"search_web","args":{"query":"ts 6 release",}}',
    call: ['search_web', { query: 'ts 6 release' }],
    repairs: ['a comma at the end of a list'],
  },
  {
    says: 'a comma too many, for any tool',
    body: '{"tool":"read_file","args":{"path":"a.ts",},}',
    call: ['read_file', { path: 'a.ts' }],
    repairs: ['a comma at the end of a list'],
  },
  {
    says: 'a missing brace, for any tool',
    body: '{"tool":"execute_bash","args":{"command":"ls -la"}',
    call: ['execute_bash', { command: 'ls -la' }],
    repairs: ['a missing }'],
  },
  {
    says: 'quotes that are not escaped, for any tool',
    body: '{"tool":"patch_file","args":{"path":"a.py","find":"print("a", "b")","replace":"x = {"k": 1}"}}',
    call: ['patch_file', { path: 'a.py', find: 'print("a", "b")', replace: 'x = {"k": 1}' }],
    repairs: ['quotes inside a string'],
  },
  {
    says: 'single quotes',
    body: `{'tool': 'read_file', 'args': {'path': 'a.ts'}}`,
    call: ['read_file', { path: 'a.ts' }],
    repairs: ['quotes other than double quotes'],
  },
  {
    says: 'a dict of Python',
    body: `{'tool': 'launch', 'args': {'lr': None, 'env': {'DEBUG': True, 'FAST': False}}}`,
    call: ['launch', { lr: null, env: { DEBUG: true, FAST: false } }],
    repairs: ['quotes other than double quotes', 'Python words'],
  },
  {
    says: 'an apostrophe in single quotes',
    body: `{'tool': 'search_web', 'args': {'query': 'what isn't known', 'num_results': 2}}`,
    call: ['search_web', { query: "what isn't known", num_results: 2 }],
    repairs: ['quotes other than double quotes', 'quotes inside a string'],
  },
  {
    says: 'comments',
    body: '{"tool":"launch", // to begin with\n "args":{"lr":0.1 /* small */}} # so',
    call: ['launch', { lr: 0.1 }],
    repairs: ['comments', 'text next to the call'],
  },
  {
    says: 'smart quotes',
    body: '{“tool”: “read_file”, “args”: {“path”: “a.ts”}}',
    call: ['read_file', { path: 'a.ts' }],
    repairs: ['quotes other than double quotes'],
  },
  {
    says: 'a path of Windows',
    body: String.raw`{"tool":"read_file","args":{"path":"C:\Users\new\table.txt"}}`,
    call: ['read_file', { path: String.raw`C:\Users\new\table.txt` }],
    repairs: ['single backslashes'],
  },
  {
    says: 'a pattern with single backslashes',
    body: String.raw`{"tool":"execute_bash","args":{"command":"grep -P '\d+\s' a.txt"}}`,
    call: ['execute_bash', { command: String.raw`grep -P '\d+\s' a.txt` }],
    repairs: ['single backslashes'],
  },
  {
    says: 'doubled braces',
    body: '{{"tool":"read_file","args":{{"path":"a.ts"}}}}',
    call: ['read_file', { path: 'a.ts' }],
    repairs: ['doubled braces'],
  },
  {
    says: 'a brace too many',
    body: '{"tool":"read_file","args":{"path":"a.ts"}}}',
    call: ['read_file', { path: 'a.ts' }],
    repairs: ['a surplus closing bracket'],
  },
  {
    says: 'names without quotes',
    body: '{tool: "read_file", args: {path: "a.ts"}}',
    call: ['read_file', { path: 'a.ts' }],
    repairs: ['names without quotes'],
  },
  {
    says: 'arguments as a text of JSON',
    body: String.raw`{"tool":"read_file","args":"{\"path\": \"a.ts\"}"}`,
    call: ['read_file', { path: 'a.ts' }],
  },
  {
    says: 'arguments as an empty text of JSON',
    body: '{"tool":"get_time","args":"{}"}',
    call: timeCall,
  },
  {
    says: 'arguments as a text that has to be mended',
    body: String.raw`{"tool":"read_file","args":"{'path': 'a.ts'}"}`,
    call: ['read_file', { path: 'a.ts' }],
    repairs: ['quotes other than double quotes'],
  },
  { says: 'no arguments', body: '{"name":"get_time"}', call: timeCall },
  { says: 'null for arguments', body: '{"name":"get_time","arguments":null}', call: timeCall },
  {
    says: 'the name “input”',
    body: '{"name":"read_file","input":{"path":"a"}}',
    call: ['read_file', { path: 'a' }],
  },
  {
    says: '“parameters”',
    body: '{"name":"read_file","parameters":{"path":"a"}}',
    call: ['read_file', { path: 'a' }],
  },
  {
    says: 'the shape of the wire',
    body: String.raw`{"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`,
    call: ['read_file', { path: 'a' }],
  },
  {
    says: 'arguments beside the name',
    body: '{"tool":"read_file","path":"a.ts"}',
    call: ['read_file', { path: 'a.ts' }],
    repairs: ['arguments next to the name'],
  },
  {
    says: 'numbers and booleans as texts',
    body: '{"name":"read_file","arguments":{"path":"7","lines":"20","whole":"true"}}',
    call: ['read_file', { path: '7', lines: 20, whole: true }],
  },
  {
    says: 'lists and objects as texts',
    body: String.raw`{"name":"launch","arguments":{"lr":"3e-4","tags":"[\"a\"]","env":"{\"A\":\"1\"}"}}`,
    call: ['launch', { lr: 3e-4, tags: ['a'], env: { A: '1' } }],
  },
  {
    says: 'texts that are no numbers',
    body: '{"name":"read_file","arguments":{"lines":"20 or so","whole":"yes"}}',
    call: ['read_file', { lines: '20 or so', whole: 'yes' }],
  },
  {
    says: 'words that other formats strip',
    body: '{"name":"write_file","arguments":{"path":"a","content":"User: hi\\nCurrent User:\\nmodel\\n<think>x</think>"}}',
    call: [
      'write_file',
      { path: 'a', content: 'User: hi\nCurrent User:\nmodel\n<think>x</think>' },
    ],
  },
  {
    says: 'the closing tag in a text',
    body: '{"name":"write_file","arguments":{"path":"a","content":"write </tool_call> at the end"}}',
    call: ['write_file', { path: 'a', content: 'write </tool_call> at the end' }],
  },
  {
    says: 'a name that would change the prototype',
    body: '{"name":"launch","arguments":{"env":{"__proto__":{"a":1},},}}',
    call: ['launch', { env: JSON.parse('{"__proto__":{"a":1}}') as unknown }],
    repairs: ['a comma at the end of a list'],
  },
];

interface BrokenRow {
  readonly says: string;
  readonly body: string;
  readonly name: string;
  readonly input: string;
  readonly problem: RegExp;
}

/** What could be read in two ways, or was cut. */
const unreadable: readonly BrokenRow[] = [
  {
    says: 'two commas, where a value may be missing',
    body: '{"name":"launch","arguments":{"lr": 3e-4,, }}',
    name: 'launch',
    input: '{"lr": 3e-4,, }',
    problem: /line 1 column 42/,
  },
  {
    says: 'a text that does not end',
    body: '{"name":"write_file","arguments":{"path":"a","content":"half of',
    name: 'write_file',
    input: '{"path":"a","content":"half of',
    problem: /expected the end of a string at .*, where the text ends/,
  },
  {
    says: 'quotes that could end the text or belong to it',
    body: '{"name":"write_file","arguments":{"path":"a","content":"{"a": "b", "c": "d"}"}}',
    name: 'write_file',
    input: '{"path":"a","content":"{"a": "b", "c": "d"}"}',
    problem: /more than one way/,
  },
  {
    says: 'no JSON',
    body: 'read_file(path="a.ts")',
    name: 'unreadable_call',
    input: 'read_file(path="a.ts")',
    problem: /no JSON object/,
  },
  { says: 'nothing', body: '', name: 'unreadable_call', input: '', problem: /no JSON object/ },
  {
    says: 'an object that is no call',
    body: '{"path":"a.ts"}',
    name: 'unreadable_call',
    input: '{"path":"a.ts"}',
    problem: /no JSON object with "name"/,
  },
  {
    says: 'a number that is none',
    body: '{"name":"launch","arguments":{"lr": 007}}',
    name: 'launch',
    input: '{"lr": 007}',
    problem: /expected a value at line 1 column 37/,
  },
  {
    says: 'NaN',
    body: '{"name":"launch","arguments":{"lr": NaN}}',
    name: 'launch',
    input: '{"lr": NaN}',
    problem: /expected a value/,
  },
  {
    says: 'a missing comma',
    body: '{"name":"search_web","arguments":{"query":"a" "num_results":1}}',
    name: 'search_web',
    input: '{"query":"a" "num_results":1}',
    problem: /expected a comma or } at line 1 column 47/,
  },
  {
    says: 'arguments that are a text',
    body: '{"name":"read_file","arguments":"a.ts"}',
    name: 'read_file',
    input: 'a.ts',
    problem: /arguments/,
  },
  {
    says: 'brackets without end',
    body: '['.repeat(100_000),
    name: 'unreadable_call',
    input: '['.repeat(100_000),
    problem: /less nesting/,
  },
];

const callOf = ({ name, input, repairs = [] }: ToolCallBlock) => ({ name, input, repairs });

describe('calls in text', () => {
  describe('between their tags are read from', () => {
    for (const {
      says,
      body,
      call: [name, input],
      repairs = [],
    } of readable)
      it(says, async () => {
        const { reply } = await told(`I will.\n${block(body)}`);
        assert.deepEqual(callsIn(reply).map(callOf), [{ name, input, repairs }]);
        assert.equal(callsIn(reply)[0]?.problem, undefined);
        assert.equal(textOf(reply), 'I will.');
      });
  });

  describe('between their tags are refused, with the place, for', () => {
    for (const { says, body, name, input, problem } of unreadable)
      it(says, async () => {
        const { reply } = await told(block(body));
        const [call] = callsIn(reply);
        assert.deepEqual([call?.name, call?.input, call?.repairs], [name, input, undefined]);
        assert.match(call?.problem ?? '', problem);
        assert.match(call?.problem ?? '', /Nothing was executed.*Write the call again/s);
      });
  });

  it('come all, in their order', async () => {
    const [one, two, three] = ['a', 'b', 'c'].map(
      (path) => `{"name":"read_file","arguments":{"path":"${path}"}}`,
    );
    const inputs = ['a', 'b', 'c'].map((path) => ({ path }));
    for (const text of [
      [one, two, three].map((body) => block(body ?? '')).join('\n'),
      block(`[${one}, ${two}, ${three}]`),
      block(`${one}\n${two}\n${three}`),
      `${block(one ?? '')}${block(`${two},${three}`)}`,
    ]) {
      const { reply, events } = await told(text);
      assert.deepEqual(
        callsIn(reply).map(({ input }) => input),
        inputs,
        text,
      );
      const announced = events.flatMap((event) =>
        event.type === 'tool_call.started' ? [event.id] : [],
      );
      assert.deepEqual(
        announced,
        callsIn(reply).map(({ id }) => id),
      );
      assert.equal(new Set(announced).size, 3);
    }
  });

  it('are not made after one that cannot be read: they may be a part of its text', async () => {
    const evil = block('{"name":"execute_bash","arguments":{"command":"rm -rf ."}}');
    for (const text of [
      `${block('{"name":"write_file","arguments":{"content":"say "hi ')}\n${evil}`,
      block(
        `{"name":"write_file","arguments":{"path":"a","content":"see "this":\n${evil}\n and "that"}}`,
      ),
    ]) {
      const { reply } = await told(text);
      const made = callsIn(reply).filter(({ problem }) => problem === undefined);
      assert.deepEqual(made, [], text);
      assert.ok(callsIn(reply).length > 0);
    }
  });

  it('keep what came before one that cannot be read', async () => {
    const { reply } = await told(block(`${time}\n{"name":"launch","arguments":{"lr": oops}}`));
    assert.deepEqual(
      callsIn(reply).map(({ name, problem }) => [name, problem === undefined]),
      [
        ['get_time', true],
        ['launch', false],
      ],
    );
  });

  it('without their closing tag are read when they are complete, and refused when they may be cut', async () => {
    const { reply } = await told(`<tool_call>\n{"name":"launch","arguments":{"lr":1}}`);
    assert.deepEqual(callsIn(reply).map(callOf), [
      { name: 'launch', input: { lr: 1 }, repairs: [] },
    ]);
    const cut = await told(`<tool_call>\n{"name":"launch","arguments":{"lr":1`);
    assert.match(callsIn(cut.reply)[0]?.problem ?? '', /where the text ends/);
  });

  it('have names that every provider takes', async () => {
    const { reply } = await told(block('{"name":"rm -rf /; x","arguments":{}}'));
    assert.equal(callsIn(reply)[0]?.name, 'rm_-rf____x');
  });
});
