import assert from 'node:assert/strict';
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Engine } from '../../../../src/agent/contract/engine.ts';
import type { EngineSettings } from '../../../../src/agent/contract/settings.ts';
import { createEngine } from '../../../../src/compose/engine.ts';
import { backends, inner, secretFor, type Backend } from '../../../fakes/backends.ts';
import { assetsFolder, eventsOf, eventually } from '../../../fakes/testEngine.ts';
import type { JsonObject, WireReply, WireServer } from '../../../fakes/wire.ts';

const quit: WireReply = {
  toolCalls: [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }],
};
const tools =
  'remote_exec remote_exec_background task_output kill_task list_machines read_file write_file patch_file memory_ls memory_read memory_write memory_rm show_metrics compare_runs clear_metrics sleep start_monitor stop_monitor web_search web_fetch consult sweep env_snapshot finish'.split(
    ' ',
  );

describe('every backend', () => {
  let folder: string;
  let work: string;
  let engine: Engine;
  const servers = new Map<string, WireServer>();
  const addresses = (): Partial<EngineSettings> =>
    backends.reduce((all, each) => ({ ...all, ...each.settings(server(each.id).url) }), {});
  const start = async (settings: Partial<EngineSettings> = {}): Promise<void> => {
    const chosen: EngineSettings = {
      ...{ provider: 'claude', permissionMode: 'allow', idleTurns: 5, effort: 'high' },
      ...addresses(),
      ...settings,
    };
    engine = await createEngine({
      ...{ home: path.join(folder, 'home'), assetsFolder, settings: () => chosen },
      ports: {
        secret: secretFor,
        storeSecret: () => Promise.resolve(),
        approve: () => Promise.resolve('deny'),
      },
    });
  };
  const server = (id: string): WireServer => {
    const found = servers.get(id);
    assert.ok(found);
    return found;
  };
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-backends-'));
    work = path.join(folder, 'work');
    await mkdir(work);
    await writeFile(path.join(work, 'helios.json'), '{"instructions": "Use bf16 only."}');
    for (const { id, start: serve } of backends) servers.set(id, await serve());
    await start();
  });
  afterEach(async () => {
    await engine.close();
    for (const one of servers.values()) await one.close();
    await rm(folder, { recursive: true, force: true });
  });
  const begin = ({ id, model }: Backend) =>
    engine.sessions.start({
      goal: 'bring loss < 1',
      budget: {},
      workFolder: work,
      provider: id,
      model,
    });

  for (const backend of backends) {
    const { id } = backend;

    it(`${id} is sent the whole system prompt, every tool and the effort, in every request`, async () => {
      server(id).reply(({ index }) =>
        index === 0
          ? {
              thinking: 'hm',
              text: 'I note it.',
              toolCalls: [
                { name: 'memory_write', input: { path: '/best', gist: 'lr 0.1 is best' } },
              ],
            }
          : quit,
      );
      const session = await begin(backend);
      assert.equal(await session.ended, 'blocked');
      const bodies = server(id).requests.map(({ body }) => body);
      assert.equal(bodies.length, 2);
      for (const request of server(id).requests)
        assert.equal(backend.sentModel(request), backend.model);
      for (const body of bodies) {
        const system = backend.system(body);
        for (const part of [
          /^You are Helios/,
          /How you work/,
          /Only measured values count/,
          /^Tools$/m,
          /^Memory$/m,
        ])
          assert.match(system, part);
        assert.match(system, /About this project, from its owner\nUse bf16 only\./);
        assert.match(system, /Machines:\n- local: this computer/);
        assert.ok(system.includes(work));
        const sent = backend.tools(body);
        assert.deepEqual(
          tools.filter((name) => !sent.some((tool) => tool.name === name)),
          [],
        );
        for (const tool of sent) {
          assert.ok(String(tool.description).length > 20);
          assert.equal(inner(tool.parameters, 'type'), 'object');
        }
        assert.equal(backend.effort(body), backend.high);
      }
      assert.match(JSON.stringify(bodies[1]), /I note it\./);
      await engine.close();
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      const texts = await Promise.all(
        files
          .filter((entry) => entry.isFile())
          .map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1')),
      );
      assert.ok(texts.some((text) => text.includes('session.ended')));
      assert.deepEqual(
        texts.filter((text) => /test-key-0123|access-4711|refresh-4711/.test(text)),
        [],
        'no secret is kept',
      );
    });

    it(`${id} is sent less when it says that the prompt is too long, and the notes and stickies with it`, async () => {
      server(id).reply(({ index }) => {
        if (index === 0)
          return {
            toolCalls: [
              { name: 'memory_write', input: { path: '/best', gist: 'lr 0.1 is best' } },
              { name: 'read_file', input: { path: 'big.txt' } },
            ],
          };
        if (index === 1)
          return {
            status: 400,
            kind: 'context_length_exceeded',
            message: 'prompt is too long: 300000 tokens',
          };
        return quit;
      });
      await writeFile(path.join(work, 'big.txt'), 'word '.repeat(300).concat('\n').repeat(30));
      const session = await begin(backend);
      await session.pin('never touch data/');
      assert.equal(await session.ended, 'blocked');
      assert.equal(eventsOf(session, 'context.checkpointed').length, 1);
      const [, long, short] = server(id).requests.map(({ body }) => body);
      assert.ok(long && short);
      assert.ok(JSON.stringify(short).length < JSON.stringify(long).length - 10_000);
      const system = backend.system(short);
      assert.match(JSON.stringify(short), /\/best.*lr 0\.1 is best/);
      assert.match(system, /never touch data\//);
      assert.match(JSON.stringify(short), /bring loss < 1/);
    });
  }

  it('takes over a session in its midst, with its history, its notes and its costs', async () => {
    const [claude, openai, compatible] = ['claude', 'openai', 'compatible'].map((id) =>
      backends.find((each) => each.id === id),
    );
    assert.ok(claude && openai && compatible);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    server('claude').reply(async ({ index }) => {
      if (index === 0)
        return {
          thinking: 'secret of claude',
          text: 'First words.',
          toolCalls: [
            { name: 'memory_write', input: { path: '/best', gist: 'lr 0.1 is best' } },
            { name: 'remote_exec', input: { command: 'echo forty-two' } },
          ],
        };
      await held;
      return { toolCalls: [{ name: 'list_machines', input: {} }] };
    });
    server('openai').reply(() => ({
      thinking: 'secret of openai',
      toolCalls: [{ name: 'memory_ls', input: {} }],
    }));
    server('compatible').reply(() => quit);
    const session = await begin(claude);
    const { id, memory } = session;
    await server('claude').received(2);
    await session.useModel('openai', 'gpt-5.4');
    const switching = eventually(
      session,
      'model.replied',
      (event) => event.provider === 'openai',
    ).then(() => session.useModel('compatible', 'local-1'));
    release();
    await switching;
    assert.equal(await session.ended, 'blocked');
    assert.equal(session.id, id);
    assert.equal(session.memory, memory);
    for (const other of [openai, compatible]) {
      const body = server(other.id).requests[0]?.body;
      assert.ok(body);
      const sent = JSON.stringify(body);
      for (const words of ['First words.', 'forty-two', 'bring loss < 1', 'lr 0.1 is best'])
        assert.ok(sent.includes(words), words);
      assert.doesNotMatch(sent, /secret of claude/);
      assert.match(backend(other, body), /^You are Helios/);
    }
    assert.deepEqual(
      eventsOf(session, 'model.replied').map(({ provider, cost }) => [
        provider,
        'usd' in cost && cost.usd > 0,
      ]),
      [
        ['claude', true],
        ['claude', true],
        ['openai', true],
        ['compatible', false],
      ],
    );
    assert.equal(session.state.hasUnknownCost, true);
    await engine.close();
    await start();
    const again = await engine.sessions.resume(id);
    assert.deepEqual([again.state.provider, again.state.model], ['compatible', 'local-1']);
  });
});

const backend = ({ system }: Backend, body: JsonObject): string => system(body);
