import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Engine } from '../../../../src/agent/contract/engine.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { createEngine } from '../../../../src/compose/engine.ts';
import { backends, secretFor } from '../../../fakes/backends.ts';
import { cacheParts, PromptCache } from '../../../fakes/promptCache.ts';
import { assetsFolder, eventsOf, eventually } from '../../../fakes/testEngine.ts';
import type { WireAnswer, WireCall, WireServer } from '../../../fakes/wire.ts';

/** Lines of each result: the window of a server of one's own is smaller. */
const linesFor = (id: string): number => (id === 'compatible' ? 50 : 250);

const read = (path: string, offset: number, limit: number): WireCall => ({
  ...{ name: 'read_file', input: { path, offset, limit } },
});
const note = (index: number): WireCall => ({
  name: 'memory_write',
  input: { path: `/n${index}`, gist: `note ${index}` },
});
const launch: WireCall = {
  name: 'remote_exec_background',
  input: { command: 'echo loss=0.5; exit 3', metric_names: ['loss'] },
};
const sleep: WireCall = {
  name: 'sleep',
  input: { reason: 'it trains', wake_conditions: [{ type: 'process_exit', run: 1 }] },
};

/**
 * All that happens in sessions: calls one by one and together, a run that fails, a sleep, talk, and
 * long results.
 */
function answer(turn: number, lines: number): WireAnswer {
  if (turn === 0)
    return {
      thinking: 'first a look',
      text: 'I look.',
      toolCalls: [read('a.txt', 1, 9), read('b.txt', 9, 9)],
    };
  if (turn === 1) return { text: 'A run.', toolCalls: [launch] };
  if (turn === 2) return { toolCalls: [sleep] };
  if (turn === 3) return { text: 'I talk without a call.' };
  return { thinking: `thought ${turn}`, toolCalls: [read('big.txt', turn * 7, lines), note(turn)] };
}

const turns = 40;

for (const { id, model, start, settings } of backends)
  describe(`the prompt cache of ${id}`, () => {
    let folder: string;
    let server: WireServer;
    let engine: Engine;
    let cache: PromptCache;
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'helios-cache-'));
      cache = new PromptCache();
      server = await start();
      server.reply(({ index, body }) => ({
        ...answer(index, linesFor(id)),
        usage: cache.usageOf(body),
      }));
      await mkdir(path.join(folder, 'work'));
      for (const name of ['a.txt', 'b.txt'])
        await writeFile(path.join(folder, 'work', name), `${name}\n`.repeat(30));
      await writeFile(
        path.join(folder, 'work', 'big.txt'),
        `${'some words of a log 0.25 '.repeat(4)}\n`.repeat(800),
      );
      engine = await open();
    });
    afterEach(async () => {
      await engine.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    });

    const open = (): Promise<Engine> =>
      createEngine({
        ...{ home: path.join(folder, 'home'), assetsFolder, workFolder: path.join(folder, 'work') },
        settings: () => ({
          ...{ provider: id, permissionMode: 'allow', idleTurns: 20, effort: 'high' },
          ...settings(server.url),
        }),
        ports: {
          secret: secretFor,
          storeSecret: () => Promise.resolve(),
          approve: () => Promise.resolve('deny'),
        },
      });

    const untilTurn = async (session: Session, turn: number): Promise<void> => {
      await eventually(session, 'model.replied', (event) => event.turn >= turn);
    };

    const textsOf = (index: number): string[] =>
      cacheParts(server.requests[index]?.body ?? {}).map(({ text }) => text);

    it('finds in each request the one before, but for what follows a checkpoint', async () => {
      const work = { goal: 'bring loss < 0.1', budget: {}, workFolder: path.join(folder, 'work') };
      const first = await engine.sessions.start({ ...work, provider: id, model });
      await untilTurn(first, 6);
      await first.say('Mind the memory.');
      let session = first;
      const before: number[] = [];
      for (const restart of [turns - 8, turns - 4]) {
        await untilTurn(session, restart);
        await engine.close();
        before.push(server.requests.length);
        engine = await open();
        session = await engine.sessions.resume(first.id);
      }
      await untilTurn(session, turns);
      await session.stop();

      const checkpoints = eventsOf(session, 'context.checkpointed').map(({ id: at }) =>
        session.events().slice(
          0,
          session.events().findIndex((event) => event.id === at),
        ),
      );
      const shortened = new Set(
        checkpoints.map((past) => past.filter(({ type }) => type === 'model.requested').length),
      );
      assert.ok(shortened.size >= 1 && shortened.size <= 6, `${shortened.size} checkpoints`);
      const fixed = new Set<string>();
      for (let index = 1; index < server.requests.length; index += 1) {
        const [one, next] = [textsOf(index - 1), textsOf(index)];
        const common = one.findIndex((text, at) => text !== next[at]);
        if (shortened.has(index)) fixed.add(one.slice(0, common).join());
        else
          assert.equal(
            common,
            -1,
            `request ${index} changes part ${common}: ${one[common]} → ${next[common]}`,
          );
      }
      // By text, tools stand in one message with what a checkpoint changes.
      if (id !== 'lab') for (const kept of fixed) assert.match(kept, /"name":"sleep"/);
      assert.ok(
        before.some((count) => count > 6 && !shortened.has(count)),
        'it was taken up in the middle of a stretch',
      );
      assert.ok(
        cache.hitShare > 0.7,
        `only ${cache.hitShare} of the input was read from the cache`,
      );
    });
  });
