import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, it } from 'mocha';
import { createClaudeCliProvider } from '../../../src/models/claudeCli/claudeCli.ts';
import type {
  AttachmentBlock,
  Message,
  ModelProvider,
  ModelReply,
  ModelRequest,
} from '../../../src/models/model.ts';
import { createClaudeUser, type ClaudeUser } from '../../fakes/claudeUser.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { until } from '../../fakes/testEngine.ts';
import { list, text, type JsonObject, type WireReply, type WireServer } from '../../fakes/wire.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';
import { suiteNeeds } from '../../setup/needs.ts';
import { key } from './bench.ts';
import {
  callsIn,
  hear,
  inputsIn,
  request,
  textOf,
  userSays,
  type Heard,
  type Reading,
} from './conversing.ts';

const png: AttachmentBlock = {
  type: 'attachment',
  mediaType: 'image/png',
  name: 'dot.png',
  base64:
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};
const pdf: AttachmentBlock = {
  ...png,
  mediaType: 'application/pdf',
  name: 'paper.pdf',
  base64: 'JVBERi0=',
};

const launch = (lr: number) => ({ name: 'launch', input: { lr } });
const parts = (body: JsonObject | undefined): JsonObject[] =>
  list(body?.['messages']).flatMap(({ content }) => list(content));
const resultsIn = (body: JsonObject | undefined): [string, string][] =>
  parts(body)
    .filter(({ type }) => type === 'tool_result')
    .map((part) => [
      text(part['tool_use_id']),
      list(part['content'])
        .map((block) => text(block['text']))
        .join(''),
    ]);
const answered = (reply: ModelReply, say: (id: string) => string, more: object = {}): Message => ({
  role: 'user',
  content: callsIn(reply).map(({ id }) => ({
    type: 'tool_result' as const,
    callId: id,
    text: say(id),
    isError: false,
    ...more,
  })),
});

suiteNeeds('linux')('claude-cli in a conversation', () => {
  let user: ClaudeUser;
  let server: WireServer;
  let clock: ManualClock;
  let provider: ModelProvider;
  let messages: Message[];

  beforeEach(async () => {
    user = await createClaudeUser();
    server = await startWireAnthropic();
    clock = new ManualClock();
    provider = create();
    messages = [userSays('Begin.')];
  });
  afterEach(async () => {
    await provider.release?.('c1');
    await server.close();
    await user.dispose();
    assert.equal(clock.pendingTimers, 0, 'no timer is left behind');
  });

  const create = (
    changes: { readonly claudePath?: string; readonly env?: Record<string, string> } = {},
  ) =>
    createClaudeCliProvider({
      claudePath: user.claude,
      folder: user.folder,
      env: user.env(server.url, key),
      clock,
      random: () => 0.5,
      ...changes,
    });
  const answers = (...replies: readonly WireReply[]): void =>
    server.reply(
      ({ index }) => replies[index] ?? { status: 400, message: `nothing is scripted for ${index}` },
    );
  const body = (index: number): JsonObject | undefined => server.requests[index]?.body;

  async function ask(
    changes: Partial<ModelRequest> = {},
    reading: Partial<Reading> = {},
  ): Promise<Heard> {
    const asked = request({
      model: 'claude-opus-4-6',
      conversation: 'c1',
      messages: [...messages],
      ...changes,
    });
    const heard = await hear((...args) => provider.stream(...args), asked, { clock, ...reading });
    messages.push({ role: 'assistant', content: heard.reply.content });
    return heard;
  }

  it('gives each result to its call by its id, though the names are the same, in one process', async () => {
    answers(
      { thinking: 'First µ.', text: 'Go.', toolCalls: [3, 1, 2].map(launch) },
      { text: 'Done.' },
      { text: 'Yes.' },
    );
    const first = await ask();
    const [pid] = await user.running();
    messages.push(answered(first.reply, (id) => `result of ${id}`));
    const second = await ask();
    assert.equal(textOf(second.reply), 'Done.');
    const ids = callsIn(first.reply).map(({ id }) => id);
    assert.deepEqual(
      resultsIn(body(1)),
      ids.map((id) => [id, `result of ${id}`]),
    );
    assert.equal(parts(body(1)).filter(({ type }) => type === 'thinking').length, 1);
    messages.push(userSays('And?'));
    assert.equal(textOf((await ask()).reply), 'Yes.');
    assert.deepEqual(await user.running(), [pid]);
    assert.equal(server.requests.length, 3);
    assert.deepEqual(
      [second.reply.usage.inputTokens > 0, second.reply.model],
      [true, 'claude-opus-4-6'],
    );
  });

  it('keeps conversations apart that go on at once, with their models, calls and ends', async () => {
    const said = ({ body: { messages: told } }: { readonly body: JsonObject }): string =>
      JSON.stringify(told);
    server.reply((asked) => {
      const who = said(asked).includes('I am two') ? 2 : 1;
      return said(asked).includes('result for')
        ? { text: `Done, ${who}.` }
        : { toolCalls: [launch(who)] };
    });
    const conversations = [1, 2].map((number) => ({
      conversation: `c${number}`,
      model: number === 1 ? 'claude-opus-4-6' : 'claude-haiku-4-5',
      messages: [userSays(number === 1 ? 'I am one.' : 'I am two.')],
    }));
    const both = (): Promise<Heard[]> => Promise.all(conversations.map((each) => ask(each)));
    const firsts = await both();
    for (const [index, { reply }] of firsts.entries()) {
      assert.deepEqual(inputsIn(reply), [{ lr: index + 1 }]);
      const name = index === 0 ? 'one' : 'two';
      conversations[index]?.messages.push(
        { role: 'assistant', content: reply.content },
        answered(reply, () => `result for ${name}`),
      );
    }
    await provider.release?.('c9');
    const seconds = await both();
    assert.deepEqual(
      seconds.map(({ reply }) => textOf(reply)),
      ['Done, 1.', 'Done, 2.'],
    );
    for (const { body: sent } of server.requests) {
      const isTwo = JSON.stringify(sent['messages']).includes('I am two');
      assert.equal(sent['model'], isTwo ? 'claude-haiku-4-5' : 'claude-opus-4-6');
      assert.ok(
        !JSON.stringify(sent['messages']).includes(isTwo ? 'result for one' : 'result for two'),
      );
    }
    await provider.release?.('c2');
  });

  it('gives images as images, and begins anew for what cannot be handed over', async () => {
    answers({ toolCalls: [launch(1)] }, { toolCalls: [launch(2)] }, { text: 'I see.' });
    messages.push(answered((await ask()).reply, () => 'a chart', { attachments: [png] }));
    const [before] = await user.running();
    messages.push(answered((await ask()).reply, () => 'a paper', { attachments: [pdf] }));
    assert.deepEqual(await user.running(), [before]);
    await ask();
    assert.notDeepEqual(await user.running(), [before]);
    for (const [index, kinds] of [['image'], ['image', 'document']].entries()) {
      const shown = parts(body(index + 1)).flatMap((part) => list(part['content']));
      assert.deepEqual(
        shown.map((block) => text(block['type'])).filter((type) => type !== 'text'),
        kinds,
      );
    }
  });

  it('says beside results what the user says, in its place', async () => {
    answers({ toolCalls: [launch(1)] }, { text: 'Yes.' });
    const { reply } = await ask();
    messages.push(
      answered(reply, () => 'loss 0.5'),
      userSays('Stop after this one.'),
    );
    await ask();
    const said = JSON.stringify(body(1)?.['messages']);
    assert.ok(said.indexOf('loss 0.5') < said.indexOf('Stop after this one.'));
    assert.equal(said.split('Stop after this one.').length, 2);
  });

  it('sends the whole prompt, every schema as it is, the effort, and nothing of the computer’s own', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        lr: { anyOf: [{ type: 'number' }, { type: 'array', items: { type: 'number' } }] },
      },
      required: ['lr'],
      additionalProperties: false,
    };
    const tools = [
      { name: 'launch', description: `Starts a run. ${'x'.repeat(5000)}`, inputSchema },
    ];
    await writeFile(path.join(user.folder, 'CLAUDE.md'), 'SECRET INSTRUCTIONS');
    answers({ text: 'Yes.' });
    const system = [
      { text: 'Skill: measure twice.'.repeat(2000), isStable: true },
      ...request().system,
    ];
    await ask({ tools, system, effort: 'low', maxOutputTokens: 9000 });
    const sent = body(0);
    const prompt = list(sent?.['system'])
      .map((part) => text(part['text']))
      .join('');
    for (const part of system) assert.ok(prompt.includes(part.text));
    assert.deepEqual(
      list(sent?.['tools']).map(({ name, description, input_schema: schema }) => ({
        name,
        description,
        inputSchema: schema,
      })),
      tools,
    );
    assert.deepEqual([sent?.['output_config'], sent?.['max_tokens']], [{ effort: 'low' }, 9000]);
    assert.doesNotMatch(JSON.stringify(sent), /SECRET INSTRUCTIONS/);
  });

  it('begins a shorter conversation when the messages were shortened', async () => {
    answers({ text: 'long '.repeat(5000) }, { text: 'Short.' }, { text: 'On.' });
    await ask();
    messages.push(userSays('And?'));
    messages = [userSays('The briefing.')];
    await ask();
    assert.doesNotMatch(JSON.stringify(body(1)), /long long|Begin\./);
    messages.push(userSays('Go on.'));
    await ask();
    assert.ok(JSON.stringify(body(2)).length < 'long '.length * 5000);
    assert.doesNotMatch(JSON.stringify(body(2)), /long long/);
  });

  for (const [what, changes] of [
    ['model', { model: 'claude-sonnet-4-6' }],
    ['effort', { effort: 'max' }],
    ['prompt', { system: [{ text: 'Another prompt.', isStable: true }] }],
    [
      'tools',
      { tools: [{ name: 'other', description: 'Another.', inputSchema: { type: 'object' } }] },
    ],
  ] as const)
    it(`takes over the whole conversation when the ${what} changes`, async () => {
      answers({ text: 'One.', toolCalls: [launch(1)] }, { text: 'Two.' });
      messages.push(answered((await ask()).reply, () => 'loss 0.5'));
      assert.equal(textOf((await ask(changes)).reply), 'Two.');
      assert.equal(server.requests.length, 2, 'the one before is ended without another question');
      const said = JSON.stringify(body(1));
      for (const words of ['Begin.', 'One.', 'loss 0.5']) assert.ok(said.includes(words), words);
      assert.equal((await user.running()).length, 1);
    });

  it('takes a conversation up in another process, with real calls and results', async () => {
    answers({ thinking: 'Hm.', text: 'One.', toolCalls: [launch(1), launch(2)] }, { text: 'Two.' });
    const { reply } = await ask();
    messages.push(answered(reply, (id) => `result of ${id}`));
    messages = JSON.parse(JSON.stringify(messages)) as Message[];
    await provider.release?.('c1');
    assert.deepEqual(await user.running(), []);
    provider = create();
    assert.equal(textOf((await ask()).reply), 'Two.');
    assert.deepEqual(
      resultsIn(body(1)),
      callsIn(reply).map(({ id }) => [id, `result of ${id}`]),
    );
    assert.equal(parts(body(1)).filter(({ type }) => type === 'thinking').length, 1);
    const left = await readdir(user.folder);
    assert.deepEqual(
      left.filter((name) => name.endsWith('.jsonl')),
      [],
    );
  });

  it('lets go of a process that nobody asked for ten minutes, and goes on all the same', async () => {
    answers({ text: 'One.', toolCalls: [launch(1)] }, { text: 'Two.' });
    messages.push(answered((await ask()).reply, () => 'loss 0.5'));
    await clock.advance(10 * 60_000);
    await until(() => clock.pendingTimers === 0);
    await gone();
    assert.equal(textOf((await ask()).reply), 'Two.');
    assert.equal(server.requests.length, 2);
  });

  async function gone(): Promise<void> {
    while ((await user.running()).length > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  it('makes anew what a claude that was killed in mid-stream did not say', async () => {
    answers(
      { text: 'The whole answer, at length.', breaks: { at: 'text', how: 'hang' } },
      { text: 'The whole answer.' },
    );
    let isKilled = false;
    const heard = await ask(
      {},
      {
        on: async ({ type }) => {
          if (type !== 'text.delta' || isKilled) return;
          isKilled = true;
          for (const pid of await user.running()) process.kill(pid, 'SIGKILL');
        },
      },
    );
    assert.deepEqual(
      [heard.shown, textOf(heard.reply)],
      ['The whole answer.', 'The whole answer.'],
    );
    const lost = heard.events.find((event) => event.type === 'attempt.discarded');
    assert.deepEqual(
      [lost?.failure.reason, /SIGKILL/.test(lost?.failure.message ?? '')],
      ['network', true],
    );
  });

  it('does not miss a claude that was killed while our tools worked', async () => {
    answers({ text: 'One.', toolCalls: [launch(1)] }, { text: 'Two.' });
    messages.push(answered((await ask()).reply, () => 'loss 0.5'));
    for (const pid of await user.running()) process.kill(pid, 'SIGKILL');
    await gone();
    const { reply } = await ask();
    assert.equal(textOf(reply), 'Two.');
    assert.match(JSON.stringify(body(1)), /loss 0\.5/);
  });

  it('ends at once when it is aborted, and asks nothing more', async () => {
    answers(
      { text: 'One.', toolCalls: [launch(1)] },
      { text: 'I will now explain at length.', breaks: { at: 'text', how: 'hang' } },
    );
    messages.push(answered((await ask()).reply, () => 'loss 0.5'));
    const controller = new AbortController();
    const on = ({ type }: { readonly type: string }): void => {
      if (type === 'text.delta') controller.abort();
    };
    const { reply } = await ask({}, { signal: controller.signal, on });
    assert.equal(reply.stop, 'aborted');
    await gone();
    assert.equal(server.requests.length, 2);
  });

  it('tells which key is missing and who signs in', async () => {
    provider = create({ env: user.env(server.url) });
    assert.equal(provider.billing, 'plan');
    const readiness = await provider.readiness?.();
    assert.ok(readiness?.isReady === false);
    assert.match(readiness.action, /\/login/);
    const { reply } = await ask();
    assert.equal(reply.failure?.reason, 'auth');
    assert.match(reply.failure.message, /\/login.*ANTHROPIC_API_KEY/);
    assert.equal(server.requests.length, 0);
  });

  it('is ready with a key, which then pays, or with credentials of its own', async () => {
    assert.deepEqual(
      [await provider.readiness?.(), provider.billing],
      [{ isReady: true }, 'metered'],
    );
    await mkdir(path.join(user.home, '.claude'));
    await writeFile(path.join(user.home, '.claude/.credentials.json'), '{}');
    provider = create({ env: user.env(server.url) });
    assert.deepEqual([await provider.readiness?.(), provider.billing], [{ isReady: true }, 'plan']);
  });

  it('says that there is no claude, and what to do', async () => {
    const nowhere = create({ claudePath: '/nowhere/claude' });
    provider = nowhere;
    assert.equal((await nowhere.readiness?.())?.isReady, false);
    const { reply } = await ask();
    assert.deepEqual(
      [reply.failure?.reason, /\/nowhere\/claude/.test(reply.failure?.message ?? '')],
      ['invalid', true],
    );
  });

  for (const [what, script, expected] of [
    ['an old version', 'echo "1.0.88 (Claude Code)"', /version 1\.0\.88.*claude update/],
    [
      'an unknown option',
      '[ "$1" = --version ] && echo 2.1.9 || { echo "error: unknown option" >&2; exit 1; }',
      /too old.*claude update/,
    ],
    [
      'root',
      '[ "$1" = --version ] && echo 2.1.9 || { echo "cannot be used with root/sudo privileges" >&2; exit 1; }',
      /as root.*another user/,
    ],
  ] as const)
    it(`says what to do about ${what}`, async () => {
      const claudePath = path.join(user.home, 'claude');
      await writeFile(claudePath, `#!/bin/sh\n${script}\n`);
      await chmod(claudePath, 0o755);
      provider = create({ claudePath });
      const { reply } = await ask();
      assert.equal(reply.failure?.reason, 'invalid');
      assert.match(reply.failure.message, expected);
    });
});
