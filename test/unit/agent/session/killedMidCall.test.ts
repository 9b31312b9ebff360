import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Engine } from '../../../../src/agent/contract/engine.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { createEngine } from '../../../../src/compose/engine.ts';
import { homeAt } from '../../../../src/storage/home.ts';
import { backends, secretFor, type Backend } from '../../../fakes/backends.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { assetsFolder, eventsOf, eventually, until } from '../../../fakes/testEngine.ts';
import type { WireAnswer, WireServer } from '../../../fakes/wire.ts';

/**
 * What is on the disk at a moment is all that a kill leaves: it is copied then, and taken up from
 * the copy.
 */
describe('a session that is killed in the middle of a call', () => {
  const folder = scratchFolder();
  let server: WireServer;
  const engines: Engine[] = [];
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
    await server.close();
  });
  beforeEach(() => mkdirSync(path.join(folder(), 'work')));

  const first: WireAnswer = {
    thinking: 'First a note.',
    text: 'I note it.',
    toolCalls: [{ name: 'memory_write', input: { path: '/best', gist: 'lr 0.1 is best' } }],
  };
  const second: WireAnswer = {
    text: 'I look at the machine at some length.',
    toolCalls: [{ name: 'remote_exec', input: { command: 'echo begun > begun; sleep 60' } }],
  };
  const quit: WireAnswer = {
    toolCalls: [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }],
  };

  const open = async ({ settings, id }: Backend, home: string): Promise<Engine> => {
    const chosen = {
      provider: id,
      permissionMode: 'allow' as const,
      idleTurns: 5,
      ...settings(server.url),
    };
    const engine = await createEngine({
      ...{ home, assetsFolder, settings: () => chosen },
      ports: {
        secret: secretFor,
        storeSecret: () => Promise.resolve(),
        approve: () => Promise.resolve('deny'),
      },
    });
    engines.push(engine);
    return engine;
  };
  const begin = async (backend: Backend, answer: WireAnswer): Promise<Session> => {
    server = await backend.start();
    server.reply(({ index }) => [first, answer][index] ?? quit);
    const engine = await open(backend, path.join(folder(), 'home'));
    const { id: provider, model } = backend;
    return engine.sessions.start({
      goal: 'bring loss < 1',
      budget: {},
      workFolder: path.join(folder(), 'work'),
      provider,
      model,
    });
  };
  /** Another process on what the kill left; resolves with the session once it is over. */
  const goOn = async (backend: Backend, { id }: Session): Promise<Session> => {
    const left = path.join(folder(), 'left');
    cpSync(path.join(folder(), 'home'), left, { recursive: true });
    rmSync(homeAt(left).leaseFile(id));
    const session = await (await open(backend, left)).sessions.resume(id);
    assert.equal(await session.ended, 'blocked');
    return session;
  };

  const phases = {
    'before the reply begins': { at: 'connect', how: 'hang' },
    'in the text': { at: 'text', how: 'hang' },
    'in the call of a tool': { at: 'tool_call', how: 'hang' },
    'before the reply is over': { at: 'end', how: 'hang' },
  } as const;

  for (const backend of backends) {
    for (const [name, breaks] of Object.entries(phases))
      it(`${backend.id}, ${name}: what was half said is gone, and the call is made anew`, async () => {
        const session = await begin(backend, { ...second, breaks });
        const heard = new Promise<void>((resolve) => session.onDidStream(() => resolve()));
        await server.received(2);
        if (breaks.at !== 'connect') await heard;
        const again = await goOn(backend, session);
        const [, , last] = server.requests;
        const said = JSON.stringify(last?.body);
        assert.equal(server.requests.length, 3);
        for (const words of ['bring loss < 1', 'I note it.', '/best'])
          assert.ok(said.includes(words), words);
        assert.ok(!said.includes('I look at the machine'), said.slice(-2000));
        assert.equal(
          eventsOf(again, 'model.replied').filter(({ stop }) => stop === 'error').length,
          0,
        );
        assert.equal(
          eventsOf(again, 'tool.finished').filter((event) => event.name === 'memory_write').length,
          1,
        );
      });

    it(`${backend.id}, while a tool works: the call has a result that says so`, async () => {
      const session = await begin(backend, second);
      await eventually(session, 'tool.started', ({ name }) => name === 'remote_exec');
      const begun = path.join(folder(), 'work/begun');
      await until(() => existsSync(begun));
      const again = await goOn(backend, session);
      const said = JSON.stringify(server.requests.at(-1)?.body);
      assert.ok(said.includes('I look at the machine'), said.slice(-2000));
      assert.match(said, /Interrupted: no result of this call was recorded/);
      const fate = /recorded\. (Its [^.]*|[^.]*)\./.exec(said)?.[1] ?? '';
      if (existsSync('/proc/self/environ'))
        assert.match(fate, /^Its command still runs on local as pids? \d+/);
      assert.equal(
        eventsOf(again, 'tool.finished').filter((event) => event.name === 'remote_exec').length,
        1,
      );
    });
  }
});
