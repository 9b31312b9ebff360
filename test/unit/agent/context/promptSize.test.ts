/** Every request repeats the prompt and the tools, so their size is part of the price of each turn. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const charsPerToken = 4;

describe('the prompt and the tools of a goal', () => {
  let bed: TestEngine;
  afterEach(() => bed.dispose());

  it('fit into 6,000 tokens in a repository on this computer', async () => {
    const model = new ScriptedModel([
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'x' } }],
    ]);
    bed = await testEngine(model);
    GitRepo.create(bed.work);
    await (
      await bed.start({ goal: 'Raise val_acc of train.py above 0.9' })
    ).ended;
    const [request] = model.requests;
    // The other part names folders, machines and notes.
    const fixed = request?.system.filter(({ isStable }) => isStable) ?? [];
    const system = fixed.map(({ text }) => text).join('');
    const names = request?.tools.map(({ name }) => name) ?? [];
    assert.ok(names.includes('exp_branch') && !names.includes('remote_upload'));
    const sizes = request?.tools.map((tool) => [JSON.stringify(tool).length, tool.name]);
    const chars = system.length + JSON.stringify(request?.tools).length;
    assert.ok(
      chars <= 6000 * charsPerToken,
      `${system.length} + ${chars - system.length} characters: ${JSON.stringify(sizes)}`,
    );
  });
});
