import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Engine } from '../../../../src/agent/contract/engine.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { createEngine } from '../../../../src/compose/engine.ts';
import { assetsFolder, eventsOf, eventually } from '../../../fakes/testEngine.ts';
import {
  list,
  type JsonObject,
  type WireCall,
  type WireReply,
  type WireServer,
} from '../../../fakes/wire.ts';
import { startWireAnthropic } from '../../../fakes/wireAnthropic.ts';
import { startWireOpenaiChat } from '../../../fakes/wireOpenaiChat.ts';
import { startWireOpenaiResponses } from '../../../fakes/wireOpenaiResponses.ts';

type Id = 'claude' | 'openai' | 'compatible';
const models: Readonly<Record<Id, string>> = {
  claude: 'claude-opus-4-6',
  openai: 'gpt-5.4',
  compatible: 'local-1',
};

const call = (name: string, input: unknown, id?: string): WireCall => ({
  name,
  input,
  ...(id !== undefined && { id }),
});
const quit: WireReply = { toolCalls: [call('finish', { outcome: 'blocked', summary: 'ok' })] };
/** One pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('another model in the midst of a session', () => {
  let folder: string;
  let work: string;
  let engine: Engine;
  let session: Session;
  let servers: Readonly<Record<Id, WireServer>>;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-switch-'));
    work = path.join(folder, 'work');
    await mkdir(work);
    await writeFile(path.join(work, 'chart.png'), Buffer.from(png, 'base64'));
    servers = {
      claude: await startWireAnthropic(),
      openai: await startWireOpenaiResponses(),
      compatible: await startWireOpenaiChat(),
    };
    engine = await createEngine({
      ...{ home: path.join(folder, 'home'), assetsFolder },
      settings: () => ({
        ...{ provider: 'claude', permissionMode: 'allow', idleTurns: 50, effort: 'high' },
        ...{ anthropicBaseUrl: servers.claude.url, openaiBaseUrl: servers.openai.url },
        compatibleBaseUrl: servers.compatible.url,
      }),
      ports: { secret: () => Promise.resolve('test-key'), approve: () => Promise.resolve('deny') },
    });
  });
  afterEach(async () => {
    await engine.close();
    for (const server of Object.values(servers)) await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const begin = async (provider: Id): Promise<void> => {
    session = await engine.sessions.start({
      ...{
        goal: 'bring loss < 1',
        budget: {},
        workFolder: work,
        provider,
        model: models[provider],
      },
    });
  };

  interface Step {
    readonly by: Id;
    readonly reply: WireReply;
    /** Done while the model replies. */
    meanwhile?(): Promise<unknown>;
  }

  /**
   * Each server gives its own steps in their order; whose step is next is switched to while the one
   * before replies.
   */
  async function play(steps: readonly Step[]): Promise<void> {
    for (const by of Object.keys(servers) as Id[])
      servers[by].reply(async ({ index }) => {
        const own = steps.flatMap((step, at) => (step.by === by ? [at] : []));
        const at = own[index] ?? -1;
        const [step, next] = [steps[at], steps[at + 1]];
        if (step === undefined) return quit;
        await step.meanwhile?.();
        if (next !== undefined && next.by !== by) await session.useModel(next.by, models[next.by]);
        return step.reply;
      });
    await begin(steps[0]?.by ?? 'claude');
    assert.equal(await session.ended, 'blocked', JSON.stringify(session.state.end));
    assert.deepEqual(
      eventsOf(session, 'model.replied').map(({ provider, stop }) => [provider, stop]),
      steps.map(({ by }) => [by, 'tools']),
    );
  }

  const bodies = (by: Id): JsonObject[] => servers[by].requests.map(({ body }) => body);
  const last = (by: Id): string => JSON.stringify(bodies(by).at(-1));

  it('is told all of it, in words that it takes, through every provider and back', async () => {
    const long = `chatcmpl-tool-${'0123456789abcdef'.repeat(5)}`;
    await play([
      {
        by: 'claude',
        reply: {
          ...{ thinking: 'thought of claude', text: 'I look first.' },
          toolCalls: [
            call('read_file', { path: 'chart.png' }),
            call('memory_write', { path: '/best', gist: 'lr 0.1 is best' }),
          ],
        },
      },
      {
        by: 'openai',
        reply: {
          thinking: 'thought of openai',
          toolCalls: [call('remote_exec', { command: 'echo forty-two' })],
        },
      },
      {
        by: 'compatible',
        reply: {
          ...{ thinking: 'thought of local', text: 'Odd ids.' },
          toolCalls: [
            call('memory_ls', {}, 'functions.memory_ls:0'),
            call('memory_ls', {}, 'functions:memory_ls.0'),
            call('read_file', '{"path": "chart', long),
          ],
        },
      },
      { by: 'openai', reply: { toolCalls: [call('memory_ls', {})] } },
      { by: 'claude', reply: { thinking: 'more of claude', toolCalls: [call('memory_ls', {})] } },
      { by: 'claude', reply: quit },
    ]);
    for (const by of ['openai', 'compatible', 'claude'] as const)
      for (const words of ['bring loss < 1', 'I look first.', 'forty-two', 'lr 0.1 is best'])
        assert.ok(last(by).includes(words), `${by}: ${words}`);
    // The image has been read twice when openai is called again, and left with the broken cache.
    for (const by of ['openai', 'compatible'] as const)
      assert.ok(JSON.stringify(bodies(by)[0]).includes(png.slice(0, 40)), by);
    for (const by of ['openai', 'claude'] as const)
      for (const words of ['Odd ids.', 'functions', 'arguments_not_an_object'])
        assert.ok(last(by).includes(words), `${by}: ${words}`);
    assert.match(last('claude'), /thought of claude.*more of claude/);
    assert.doesNotMatch(last('claude'), /thought of (openai|local)/);
    assert.match(last('openai'), /thought of openai/);
    assert.doesNotMatch(last('openai'), /thought of (claude|local)/);
    assert.doesNotMatch(last('compatible'), /thought of/);
  });

  it('keeps the notes, the ledger and the runs where they are', async () => {
    let before = '';
    // What the calls cost goes on growing.
    const withoutCost = (key: string, value: unknown): unknown =>
      key === 'cost' ? undefined : value;
    const seen = (): string =>
      JSON.stringify([session.ledger, [...session.state.runs.keys()], session.folder], withoutCost);
    await play([
      {
        by: 'claude',
        reply: {
          toolCalls: [
            call('memory_write', { path: '/best', gist: 'lr 0.1 is best' }),
            call('remote_exec_background', { command: 'echo loss=0.5', label: 'lr=0.1' }),
          ],
        },
      },
      {
        by: 'claude',
        reply: {
          toolCalls: [
            call('sleep', { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }] }),
          ],
        },
      },
      {
        by: 'claude',
        meanwhile: () => Promise.resolve((before = seen())),
        reply: { toolCalls: [call('memory_ls', {})] },
      },
      { by: 'openai', reply: { toolCalls: [call('memory_read', { path: '/best' })] } },
      { by: 'compatible', reply: { toolCalls: [call('show_metrics', { runs: [1] })] } },
      { by: 'claude', reply: quit },
    ]);
    assert.match(before, /0\.5/);
    assert.equal(seen(), before);
    assert.match(last('compatible'), /lr 0\.1 is best/);
    assert.match(last('claude'), /loss/);
  });

  it('takes over after a halt, with the call that was under way told as interrupted', async () => {
    servers.claude.reply(({ index }) =>
      index === 0
        ? {
            thinking: 'hm',
            toolCalls: [call('memory_ls', {}), call('remote_exec', { command: 'sleep 30' })],
          }
        : quit,
    );
    servers.openai.reply(() => ({ toolCalls: [call('memory_ls', {})] }));
    servers.compatible.reply(() => ({ toolCalls: [call('memory_ls', {})] }));
    await begin('claude');
    await eventually(session, 'tool.started', ({ name }) => name === 'remote_exec');
    await session.interrupt();
    await session.useModel('openai', 'gpt-5.4');
    const replied = eventually(session, 'model.replied', ({ provider }) => provider === 'openai');
    await session.say('Go on with the other model.');
    await replied;
    await session.interrupt();
    await session.useModel('compatible', 'local-1');
    const again = eventually(session, 'model.replied', ({ provider }) => provider === 'compatible');
    await session.say('And another.');
    await again;
    await session.interrupt();
    await session.useModel('claude', models.claude);
    await session.say('Back.');
    assert.equal(await session.ended, 'blocked');
    for (const by of ['openai', 'compatible', 'claude'] as const)
      assert.match(last(by), /[Ii]nterrupted.*Go on with the other model/, by);
    assert.deepEqual(
      eventsOf(session, 'model.replied').flatMap(({ failure }) => (failure ? [failure] : [])),
      [],
    );
  });

  it('thinks as hard as it is told from the next call on, and the journal says so', async () => {
    const use = (effort: 'low' | undefined) => () => session.useEffort(effort);
    await play([
      { by: 'claude', reply: { toolCalls: [call('memory_ls', {})] }, meanwhile: use('low') },
      { by: 'claude', reply: { toolCalls: [call('memory_ls', {})] } },
      { by: 'openai', reply: { toolCalls: [call('memory_ls', {})] }, meanwhile: use(undefined) },
      { by: 'openai', reply: quit },
    ]);
    assert.deepEqual(
      bodies('claude').map(({ output_config: sent }) => (sent as JsonObject).effort),
      ['high', 'low'],
    );
    assert.deepEqual(
      bodies('openai').map(({ reasoning }) => (reasoning as JsonObject).effort),
      ['low', 'high'],
    );
    assert.deepEqual(
      eventsOf(session, 'session.effort_changed').map(({ effort }) => effort),
      ['low', undefined],
    );
  });

  it('of a smaller window gets a briefing in time, and no request that it would refuse', async () => {
    await writeFile(path.join(work, 'big.txt'), `${'word '.repeat(200)}\n`.repeat(200));
    const read: Step = {
      by: 'claude',
      reply: { toolCalls: [call('read_file', { path: 'big.txt' })] },
    };
    await play([
      ...Array.from({ length: 8 }, () => read),
      { by: 'compatible', reply: { toolCalls: [call('memory_ls', {})] } },
      { by: 'claude', reply: quit },
    ]);
    const [large, small] = [
      JSON.stringify(bodies('claude')[7]),
      JSON.stringify(bodies('compatible')[0]),
    ];
    assert.ok(large.length / 4 > 32_768, `${large.length} characters`);
    assert.ok(small.length / 4 < 32_768, `${small.length} characters`);
    assert.match(small, /bring loss < 1/);
    const types = session.events().map(({ type }) => type);
    const checkpoint = types.indexOf('context.checkpointed');
    const switched = types.indexOf('session.model_changed');
    assert.ok(switched !== -1 && checkpoint > switched, 'shortened for the smaller window');
    assert.ok(list(bodies('claude').at(-1)?.messages).length > 0);
  });
});
