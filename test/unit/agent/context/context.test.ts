import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { noUsage, type ModelRequest } from '../../../../src/models/model.ts';
import { ScriptedModel, type Script } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const sizeOf = (request: ModelRequest): number => JSON.stringify(request.messages).length;

const overflow = {
  reply: {
    stop: 'error' as const,
    usage: noUsage,
    failure: { reason: 'overflow' as const, message: 'too long' },
  },
};

describe('context', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  it('stays inside the window through many rounds of large results, keeps the goal and the newest turns', async () => {
    const model = new ScriptedModel((_request, index) =>
      index === 60 ? quit : [{ name: 'read_file', input: { path: 'big.txt' } }],
    );
    model.contextTokens = 40_000;
    bed = await testEngine(model, { settings: { idleTurns: 50 } });
    await writeFile(path.join(bed.work, 'big.txt'), `${'word '.repeat(200)}\n`.repeat(200));
    const session = await bed.start({ goal: 'bring loss < 1 with care' });
    assert.equal(await session.ended, 'blocked');
    assert.ok(eventsOf(session, 'context.checkpointed').length > 1);
    for (const request of model.requests) {
      assert.ok(sizeOf(request) / 3.5 < 40_000, `${sizeOf(request)} characters`);
      assert.match(JSON.stringify(request.messages), /bring loss < 1 with care/);
      assert.equal(request.messages[0]?.role, 'user');
    }
  });

  it('shortens by itself when the provider says that the prompt is too long, and goes on', async () => {
    const read = [{ name: 'read_file', input: { path: 'big.txt' } }];
    const model = new ScriptedModel([read, read, overflow, quit]);
    bed = await testEngine(model);
    await writeFile(path.join(bed.work, 'big.txt'), 'word '.repeat(400) + '\n'.repeat(3));
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    assert.equal(eventsOf(session, 'context.checkpointed').length, 1);
    const [, , long, short] = model.requests;
    assert.ok(long && short && sizeOf(short) < sizeOf(long));
  });

  it('resumes from the checkpoint, with the newest turns word for word', async () => {
    const model = new ScriptedModel((_request, index) =>
      index < 12
        ? [
            {
              name: 'remote_exec',
              input: { command: `echo turn-${index}; head -c 9000 /dev/zero | tr '\\0' x` },
            },
          ]
        : 'hang',
    );
    model.contextTokens = 20_000;
    bed = await testEngine(model);
    const session = await bed.start();
    while (model.requests.length < 13) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = model.requests.at(-1);
    const next = new ScriptedModel([quit]);
    next.contextTokens = 20_000;
    bed = await bed.restart(next);
    const again = await bed.engine.sessions.resume(session.id);
    await again.ended;
    const [request] = next.requests;
    assert.ok(before && request);
    assert.deepEqual(
      request.messages.slice(0, before.messages.length - 1),
      before.messages.slice(0, -1),
    );
    assert.match(JSON.stringify(request.messages), /turn-11/);
    assert.deepEqual(request.tools, before.tools);
  });

  it('says every number of the ledger in the briefing', async () => {
    const launch = [
      { name: 'remote_exec_background', input: { command: 'echo loss=0.125', label: 'lr=3e-4' } },
    ];
    const wait = [
      {
        name: 'sleep',
        input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }] },
      },
    ];
    const model = new ScriptedModel((_request, index) =>
      index === 0
        ? launch
        : index === 1
          ? wait
          : index < 8
            ? [{ name: 'read_file', input: { path: 'big.txt' } }]
            : quit,
    );
    model.contextTokens = 20_000;
    bed = await testEngine(model);
    await writeFile(path.join(bed.work, 'big.txt'), `${'word '.repeat(200)}\n`.repeat(200));
    const session = await bed.start();
    await session.ended;
    const briefing = eventsOf(session, 'context.checkpointed').at(-1)?.briefing ?? '';
    assert.match(briefing, /run 1 · r-\w+ · local:\d+ · lr=3e-4 · ok · loss last 0.125 best 0.125/);
  });

  it('shows the ends of results that are too many to be kept, instead of none of them', async () => {
    const read = (name: string) => ({ name: 'read_file', input: { path: name } });
    const model = new ScriptedModel((_request, index) =>
      index === 0 ? ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map(read) : quit,
    );
    model.contextTokens = 20_000;
    bed = await testEngine(model);
    for (const name of 'abcd')
      await writeFile(
        path.join(bed.work, `${name}.txt`),
        `begin-${name}\n${`${'word '.repeat(20)}\n`.repeat(190)}end-${name}\n`,
      );
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    assert.equal(eventsOf(session, 'context.checkpointed').length, 1);
    const request = model.requests[1];
    assert.ok(request && sizeOf(request) / 3.5 < 20_000 * 0.7, 'it fits again');
    for (const name of 'abcd')
      assert.match(JSON.stringify(request.messages), new RegExp(`begin-${name}`));
    assert.match(JSON.stringify(request.messages), /bring loss < 1/);
  });

  it('keeps what the user said last, and a wake, through a shortening just then', async () => {
    const model = new ScriptedModel((_request, index) => {
      if (index < 3) return [{ name: 'read_file', input: { path: 'big.txt' } }];
      if (index === 3)
        return [{ name: 'sleep', input: { reason: 'why I wait', deadline_minutes: 0.001 } }];
      return quit;
    });
    model.contextTokens = 20_000;
    bed = await testEngine(model);
    await writeFile(path.join(bed.work, 'big.txt'), `${'word '.repeat(100)}\n`.repeat(40));
    const session = await bed.start();
    session.onDidRecord((event) => {
      // Smaller from here on: the next request is shortened with the wake as its newest event.
      if (event.type === 'sleep.started') model.contextTokens = 6_000;
    });
    assert.equal(await session.ended, 'blocked');
    const last = JSON.stringify(model.requests.at(-1)?.messages);
    assert.ok(eventsOf(session, 'context.checkpointed').length > 0);
    assert.match(last, /Reason for the sleep: why I wait/);
  });

  it('remembers across a restart how much a model refused, though it says that it holds more', async () => {
    let refusals = 0;
    const script: Script = (request, index) => {
      if (sizeOf(request) > 60_000) {
        refusals += 1;
        return overflow;
      }
      return index === 30 ? 'hang' : [{ name: 'read_file', input: { path: 'big.txt' } }];
    };
    const model = new ScriptedModel(script);
    bed = await testEngine(model, { settings: { idleTurns: 50 } });
    await writeFile(path.join(bed.work, 'big.txt'), `${'word '.repeat(200)}\n`.repeat(12));
    const session = await bed.start();
    while (model.requests.length < 31) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(refusals >= 1 && refusals <= 2, `${refusals} refusals`);
    const before = refusals;
    bed = await bed.restart(
      new ScriptedModel((request, index) => (index === 30 ? quit : script(request, index))),
    );
    const again = await bed.engine.sessions.resume(session.id);
    assert.equal(await again.ended, 'blocked');
    assert.equal(refusals, before);
  });

  it('shortens at once for a model with a smaller window', async () => {
    const read = [{ name: 'read_file', input: { path: 'big.txt' } }];
    const model = new (class extends ScriptedModel {
      override models() {
        const [large] = super.models();
        assert.ok(large);
        return [large, { ...large, id: 'small', contextTokens: 24_000 }];
      }
    })((_request, index) => (index < 6 ? read : quit));
    bed = await testEngine(model);
    await writeFile(path.join(bed.work, 'big.txt'), `${'word '.repeat(200)}\n`.repeat(20));
    const session = await bed.start();
    session.onDidRecord((event) => {
      if (event.type === 'model.replied' && event.turn === 6)
        void session.useModel('demo', 'small');
    });
    assert.equal(await session.ended, 'blocked');
    const [, ...rest] = model.requests.slice(-2);
    assert.ok(sizeOf(model.requests[5] as ModelRequest) > 90_000);
    assert.equal(rest[0]?.model, 'small');
    assert.ok(sizeOf(rest[0]) / 4 < 12_000, `${sizeOf(rest[0])}`);
  });

  it('says once more what a broken call had said only in part', async () => {
    const broken = {
      text: 'half a sen',
      reply: {
        stop: 'error' as const,
        content: [{ type: 'text' as const, text: 'half a sen' }],
        failure: { reason: 'overflow' as const, message: 'too long' },
      },
    };
    const model = new ScriptedModel([[{ name: 'memory_ls', input: {} }], broken, quit]);
    bed = await testEngine(model);
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    const last = model.requests.at(-1)?.messages ?? [];
    assert.equal(last.at(-1)?.role, 'user');
    assert.doesNotMatch(JSON.stringify(last), /half a sen/);
  });

  it('lists the notes in one place: in the prompt at first, then in the briefing', async () => {
    const model = new ScriptedModel((_request, index) => {
      if (index === 0)
        return [{ name: 'memory_write', input: { path: '/best', gist: 'adamw wins' } }];
      return index < 12 ? [{ name: 'read_file', input: { path: 'big.txt' } }] : quit;
    });
    model.contextTokens = 40_000;
    bed = await testEngine(model);
    await writeFile(path.join(bed.work, 'big.txt'), `${'word '.repeat(200)}\n`.repeat(20));
    const session = await bed.start();
    await session.ended;
    const [first, last] = [model.requests[0], model.requests.at(-1)];
    assert.match(JSON.stringify(first?.system), /Notes in memory: none at the start/);
    assert.doesNotMatch(JSON.stringify(last?.system), /Notes in memory/);
    assert.match(
      JSON.stringify(last?.messages[0]),
      /Notes in memory \(path: gist\):\\n\/best: adamw wins/,
    );
  });
});
