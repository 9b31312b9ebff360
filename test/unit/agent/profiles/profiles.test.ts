/**
 * What a session is for decides on its prompt, tools, end and permissions; a parent's budget counts
 * its children.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { noUsage, type ModelRequest } from '../../../../src/models/model.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import {
  eventsOf,
  testEngine,
  type TestEngine,
  type TestEngineOptions,
} from '../../../fakes/testEngine.ts';

describe('profiles', () => {
  let bed: TestEngine;

  const begin = async (
    script: ConstructorParameters<typeof ScriptedModel>[0],
    options?: TestEngineOptions,
  ): Promise<ScriptedModel> => {
    const model = new ScriptedModel(script);
    bed = await testEngine(model, options);
    return model;
  };

  afterEach(() => bed.dispose());

  describe('a question', () => {
    it('ends with its answer, and is kept', async () => {
      await begin([[{ name: 'list_machines', input: {} }], 'It is this computer.']);
      const session = await bed.start({ goal: 'Which machine is there?', profile: 'question' });
      assert.equal(await session.ended, 'answered');
      assert.equal(session.state.end?.summary, 'It is this computer.');
      assert.equal(eventsOf(session, 'tool.finished').length, 1);
      const [listed] = await bed.engine.sessions.list();
      assert.deepEqual([listed?.goal, listed?.endReason], ['Which machine is there?', 'answered']);
    });

    it('has tools that only look, and a prompt that speaks of no others', async () => {
      const model = await begin(['Yes.']);
      await (
        await bed.start({ goal: 'Is it?', profile: 'question' })
      ).ended;
      const [request] = model.requests as readonly ModelRequest[];
      const names = request?.tools.map(({ name }) => name) ?? [];
      assert.ok(names.includes('read_file') && names.includes('memory_read'));
      for (const other of [
        'write_file',
        'remote_exec',
        'remote_exec_background',
        'sleep',
        'finish',
        'ask_user',
      ])
        assert.equal(names.includes(other), false, other);
      const prompt = request?.system.map(({ text }) => text).join('\n') ?? '';
      assert.doesNotMatch(prompt, /remote_exec_background|finish tool|write_file|exp_branch/);
      assert.match(prompt, /asked one question/);
    });

    it('refuses a tool that it does not have, whatever the permission mode', async () => {
      await begin([[{ name: 'write_file', input: { path: 'x', content: 'x' } }], 'I cannot.']);
      const session = await bed.start({ goal: 'Write x?', profile: 'question' });
      assert.equal(await session.ended, 'answered');
      assert.equal(eventsOf(session, 'tool.finished')[0]?.isError, true);
      await assert.rejects(readFile(join(bed.work, 'x')), /ENOENT/);
    });

    it('is budgeted: it ends when it looks for too long', async () => {
      await begin(() => [{ name: 'list_machines', input: {} }]);
      const session = await bed.start({
        goal: 'Which?',
        profile: 'question',
        budget: { turns: 3 },
      });
      assert.equal(await session.ended, 'budget');
      assert.equal(session.state.turns, 3);
    });

    it('goes on in the same profile after a restart, and answers what is asked next', async () => {
      await begin(['One.']);
      const { id, ended } = await bed.start({ goal: 'How many?', profile: 'question' });
      await ended;
      const next = new ScriptedModel(['Two.']);
      bed = await bed.restart(next);
      const session = await bed.engine.sessions.resume(id);
      await session.say('And with the other?');
      assert.equal(await session.ended, 'answered');
      assert.equal(session.state.end?.summary, 'Two.');
    });
  });

  describe('a goal', () => {
    it('has the tools that can work, and each brings its lines of the prompt', async () => {
      const model = await begin([
        [{ name: 'finish', input: { outcome: 'blocked', summary: 'no' } }],
      ]);
      await (
        await bed.start()
      ).ended;
      const [request] = model.requests as readonly ModelRequest[];
      const prompt = request?.system.map(({ text }) => text).join('\n') ?? '';
      for (const word of [
        'remote_exec_background',
        'sweep',
        'env_snapshot',
        'web_search',
        'left alone',
      ])
        assert.match(prompt, new RegExp(word), word);
      const names = request?.tools.map(({ name }) => name) ?? [];
      assert.deepEqual(
        names.filter((name) => /^exp_(?!decide|list)|load$/.test(name)),
        [],
        'without a repository and other machines',
      );
      assert.doesNotMatch(prompt, /exp_branch|remote_upload/);
      assert.equal(prompt.match(/side by side/g)?.length, 1);
    });

    it('has the tools for code in a repository, also in one that it makes itself', async () => {
      const model = await begin([
        [{ name: 'remote_exec', input: { command: 'git init -q .' } }],
        [{ name: 'finish', input: { outcome: 'blocked', summary: 'no' } }],
      ]);
      await (
        await bed.start()
      ).ended;
      const offered = model.requests.map(({ tools }) =>
        tools.some(({ name }) => name === 'exp_branch'),
      );
      assert.deepEqual(offered, [false, true]);
    });
  });

  describe('a session that starts another one', () => {
    it('counts what that one spends, and its children, in its own budget', async () => {
      const usage = { ...noUsage, inputTokens: 400_000, outputTokens: 10 };
      await begin(() => ({ text: 'Done.', reply: { usage } }));
      const parent = await bed.start({
        goal: 'q',
        profile: 'question',
        budget: { tokens: 1_000_000 },
      });
      await parent.ended;
      const ask = { goal: 'q', profile: 'question' } as const;
      const child = await bed.start({ ...ask, parent: parent.id });
      await child.ended;
      assert.equal(child.state.parent, parent.id);
      assert.deepEqual(parent.state.children, [child.id]);
      await (
        await bed.start({ ...ask, parent: child.id })
      ).ended;
      await parent.say('once more');
      assert.equal(await parent.ended, 'budget');
    });

    it('must be open here', async () => {
      await begin(['x']);
      const parent = 's-none0000000000' as never;
      await assert.rejects(bed.start({ parent }), /is not open here/);
      assert.equal((await bed.engine.sessions.list()).length, 0);
    });
  });
});
