import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { ModelEvent, ModelProvider, ModelRequest } from '../../../../src/models/model.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const refresh = [{ name: 'memory_ls', input: {} }];
const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];

/**
 * A provider that keeps something of a conversation while a call of it goes on, and loses the call
 * with it.
 */
class Keeping extends ScriptedModel implements ModelProvider {
  readonly released: string[] = [];
  readonly asked = Promise.withResolvers<void>();
  readonly answer = Promise.withResolvers<void>();
  readonly #problem: Error | undefined;

  constructor(problem?: Error) {
    super([refresh, quit]);
    this.#problem = problem;
  }

  override async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    this.asked.resolve();
    await this.answer.promise;
    yield* super.stream(request, signal);
  }

  async release(conversation: string): Promise<void> {
    this.released.push(conversation);
    await Promise.resolve();
    if (this.#problem !== undefined) throw this.#problem;
  }
}

describe('what a provider keeps of a conversation', () => {
  let bed: TestEngine | undefined;
  afterEach(() => bed?.dispose());

  it('stays while a call goes on, also when another model is chosen for the next one', async () => {
    const model = new Keeping();
    bed = await testEngine(model);
    const session = await bed.start();
    await model.asked.promise;
    await session.useModel(model.id, 'another');
    assert.deepEqual(model.released, []);
    model.answer.resolve();
    assert.equal(await session.ended, 'blocked');
    await until(() => model.released.length > 0);
    assert.deepEqual([...new Set(model.released)], [session.id]);
  });

  it('does not hold up the end of a session, nor its closing, when it cannot be let go of', async () => {
    const model = new Keeping(new Error('it is stuck'));
    bed = await testEngine(model);
    const session = await bed.start();
    model.answer.resolve();
    assert.equal(await session.ended, 'blocked');
    await bed.engine.close();
    assert.equal(eventsOf(session, 'session.ended').length, 1);
    const again = await (
      await bed.restart(new ScriptedModel([quit]))
    ).engine.sessions.read(session.id);
    assert.equal(again.state.end?.reason, 'blocked');
    assert.deepEqual(again.damage, []);
  });
});
