import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { noUsage, type ModelFailure } from '../../../../src/models/model.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel, type Script, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const quit: ScriptedReply = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const listNotes: ScriptedReply = [{ name: 'memory_ls', input: {} }];
const failing = (reason: ModelFailure['reason'], retryAfterMs?: number): ScriptedReply => ({
  reply: {
    stop: 'error',
    usage: noUsage,
    failure: { reason, message: 'not now', ...(retryAfterMs !== undefined && { retryAfterMs }) },
  },
});

class TwoModels extends ScriptedModel {
  override models() {
    return super.models().flatMap((model) => [model, { ...model, id: 'other' }]);
  }
}

describe('a model that fails', () => {
  let bed: TestEngine | undefined;
  const clock = new ManualClock();
  /** Seconds that each wait is announced to take. */
  let waits: number[] = [];
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });
  const begin = async (script: Script): Promise<{ model: ScriptedModel; session: Session }> => {
    const model = new TwoModels(script);
    waits = [];
    bed = await testEngine(model, { clock, settings: { idleTurns: 1_000 } });
    const session = await bed.start();
    session.onDidStream((event) => {
      if (event.type !== 'text.discarded') return;
      waits.push(event.retryMs / 1000);
    });
    return { model, session };
  };
  /**
   * Waits for the announcement of wait `count`, and lets its time pass but for a millisecond, then
   * the rest.
   */
  const sitOut = async (model: ScriptedModel, session: Session, count: number): Promise<void> => {
    await until(() => waits.length >= count || session.state.end !== undefined);
    const asked = model.requests.length;
    await clock.advance((waits[count - 1] ?? 0) * 1000 - 1);
    assert.equal(model.requests.length, asked);
    await clock.advance(1);
    await until(() => model.requests.length > asked || session.state.end !== undefined);
  };

  it('is asked again after waits that grow, up to ten minutes; an answer lets them begin anew', async () => {
    const outage = failing('network');
    const { model, session } = await begin((_request, index) => {
      if (index === 0 || index === 8) return listNotes;
      return index < 10 ? outage : quit;
    });
    for (let count = 1; count <= 8; count += 1) await sitOut(model, session, count);
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(waits, [30, 60, 120, 300, 600, 600, 600, 30]);
  });

  it('is not asked before the time that it named', async () => {
    const { model, session } = await begin((_request, index) => {
      if (index === 1) return failing('rate_limit', 5_000_000);
      if (index === 2) return failing('server', 5_000);
      return index === 0 ? listNotes : quit;
    });
    for (const count of [1, 2]) await sitOut(model, session, count);
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(waits, [5_000, 60]);
  });

  it('is given up after a hundred failed calls in a row', async () => {
    const { model, session } = await begin((_request, index) =>
      index === 0 ? listNotes : failing('server'),
    );
    for (let count = 1; count <= 100; count += 1) await sitOut(model, session, count);
    assert.equal(await session.ended, 'error');
    assert.equal(model.requests.length, 101);
    assert.equal(session.state.end?.summary, 'The model cannot be used: not now');
  });

  it('is asked again at once when another model is chosen', async () => {
    const { model, session } = await begin(
      (_request, index) => [listNotes, failing('server')][index] ?? quit,
    );
    await until(() => waits.length === 1);
    await session.useModel('demo', 'other');
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(
      model.requests.map((request) => request.model),
      ['scripted-1', 'scripted-1', 'other'],
    );
  });

  const hopeless: readonly (readonly [
    name: string,
    reason: ModelFailure['reason'],
    hasAnswered: boolean,
  ])[] = [
    ['before it has ever answered', 'network', false],
    ['for want of a key', 'auth', true],
  ];
  for (const [name, reason, hasAnswered] of hopeless)
    it(`ends the session at once when it fails ${name}`, async () => {
      const { model, session } = await begin((_request, index) =>
        hasAnswered && index === 0 ? listNotes : failing(reason),
      );
      assert.equal(await session.ended, 'error');
      assert.equal(model.requests.length, hasAnswered ? 2 : 1);
    });

  it('ends the session at once when it was interrupted before it ever answered', async () => {
    const { model, session } = await begin((_request, index) =>
      index === 0 ? 'hang' : failing('network'),
    );
    await until(() => model.requests.length === 1);
    await session.interrupt();
    await session.say('go on');
    await until(() => waits.length > 0 || session.state.end !== undefined);
    assert.deepEqual([waits, session.state.end?.reason, model.requests.length], [[], 'error', 2]);
  });

  it('ends the session when it refuses five requests in a row as too long', async () => {
    const { model, session } = await begin((_request, index) => {
      if (index === 0) return listNotes;
      return index < 20 ? failing('overflow') : quit;
    });
    assert.equal(await session.ended, 'error');
    assert.equal(model.requests.length, 6);
    assert.deepEqual(waits, []);
    assert.match(session.state.end?.summary ?? '', /^The model cannot be used: not now/);
  });

  it('that names several calls alike has each of them answered, by a name of its own', async () => {
    const call = (id: string) => ({ type: 'tool_call', id, name: 'memory_ls', input: {} }) as const;
    const calls = (...ids: readonly string[]): ScriptedReply => ({
      reply: { content: ids.map(call), stop: 'tools' },
    });
    const { model, session } = await begin(
      (_request, index) => [calls('a', 'a', '', ''), calls('a', 'b')][index] ?? quit,
    );
    assert.equal(await session.ended, 'blocked');
    const asked = eventsOf(session, 'model.replied').flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])),
    );
    assert.equal(new Set(asked).size, asked.length, asked.join());
    assert.ok(asked.includes('a') && asked.includes('b') && !asked.includes(''));
    const answered = model.requests
      .at(-1)
      ?.messages.flatMap(({ content }) =>
        content.flatMap((block) =>
          block.type === 'tool_result' && !block.isError ? [block.callId] : [],
        ),
      );
    assert.deepEqual(answered, asked.slice(0, 6));
  });
});
