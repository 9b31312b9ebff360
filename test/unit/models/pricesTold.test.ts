import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { ModelDescription, ModelProvider } from '../../../src/models/model.ts';
import { allowProject } from '../../fakes/allowProject.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import {
  eventsOf,
  testEngine,
  type TestEngine,
  type TestEngineOptions,
} from '../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const size = { contextTokens: 200_000, maxOutputTokens: 8_000 };

describe('what a provider tells of its models', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });
  const engineWith = async (
    told: readonly ModelDescription[],
    more: Partial<ModelProvider> = {},
    options: TestEngineOptions = {},
  ): Promise<TestEngine> => {
    const list = (): Promise<readonly ModelDescription[]> => Promise.resolve(told);
    const model = Object.assign(new ScriptedModel([quit]), { id: 'own', list, ...more });
    bed = await testEngine(model, options);
    return bed;
  };

  it('is the price of its calls, and lets a limit of money be kept', async () => {
    const { engine, start } = await engineWith([
      { id: 'scripted-1', label: 'S', ...size, price: { input: 1000, output: 0 } },
    ]);
    const budget = { usd: 1_000 };
    await assert.rejects(start({ budget }), /money limit cannot be enforced/);
    await engine.models.list();
    const session = await start({ budget });
    assert.equal(await session.ended, 'blocked');
    const [reply] = eventsOf(session, 'model.replied');
    assert.ok(reply && 'usd' in reply.cost);
    assert.equal(reply.cost.usd.toFixed(6), (reply.usage.inputTokens / 1000).toFixed(6));
  });

  it('gives way to the price of the setting', async () => {
    const told = [{ id: 'scripted-1', label: 'S', ...size, price: { input: 1000, output: 0 } }];
    const { engine } = await engineWith(
      told,
      {},
      { settings: { prices: { 'own/*': { input: 2, output: 3 } } } },
    );
    await engine.models.list();
    assert.equal(engine.prices()['own/*']?.input, 2);
    assert.equal(engine.prices()['own/scripted-1'], undefined);
  });

  it('is what a session begins with: the newest of the family, by its id in the journal', async () => {
    const told = [
      { id: 'claude-opus-8', label: 'Old', ...size },
      { id: 'claude-opus-9', label: 'New', ...size },
    ];
    const { engine, start } = await engineWith(told, { defaultFamily: 'opus' });
    await engine.models.list();
    const session = await start();
    assert.equal(session.state.model, 'claude-opus-9');
    await session.ended;
  });

  const projects: readonly [file: object, settings: object, expected: string][] = [
    [{ model: 'opus 8' }, {}, 'claude-opus-8'],
    [{}, { model: 'opus 8' }, 'claude-opus-8'],
    [{ model: 'opus' }, { model: 'opus 8' }, 'claude-opus-9'],
    [{ provider: 'own' }, { provider: 'demo', model: 'nothing' }, 'claude-opus-9'],
  ];
  for (const [file, settings, expected] of projects)
    it(`is ${expected} for ${JSON.stringify(file)} beside ${JSON.stringify(settings)}`, async () => {
      const told = [
        { id: 'claude-opus-8', label: 'Old', ...size },
        { id: 'claude-opus-9', label: 'New', ...size },
      ];
      const { engine, start, home, work } = await engineWith(
        told,
        { defaultFamily: 'opus' },
        { settings },
      );
      await writeFile(path.join(work, 'helios.json'), JSON.stringify(file));
      await allowProject(home, work);
      await engine.models.list();
      const session = await start();
      assert.deepEqual([session.state.provider, session.state.model], ['own', expected]);
      await session.ended;
    });
});
