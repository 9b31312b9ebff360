import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { stageOf } from '../../../src/agent/loop/plateau.ts';
import { ScriptedModel, type ScriptedReply } from '../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const ideas = ['wider', 'deeper', 'warmup', 'dropout', 'cosine', 'clipping', 'mixup'];
/** Launches an experiment that ends with `loss`, and sleeps until it is over. */
const experiment = (loss: number | 'crash', index: number): ScriptedReply[] => [
  [
    {
      name: 'remote_exec_background',
      input: {
        command: `echo try=${ideas[index]} ${loss === 'crash' ? '; exit 3' : `loss=${loss}`}`,
        hypothesis: `${ideas[index]} helps`,
        metric_names: ['loss'],
      },
    },
  ],
  [{ name: 'sleep', input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: index + 1 }] } }],
];
const experiments = (losses: readonly (number | 'crash')[]): ScriptedReply[] => losses.flatMap(experiment);

describe('a plateau', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });
  const begin = async (replies: readonly ScriptedReply[], plateau: object) => {
    const model = new ScriptedModel([...replies, quit]);
    bed = await testEngine(model, { settings: { plateau } });
    return { model, session: await bed.start({ goal: 'train a model' }) };
  };
  const stages = (session: Awaited<ReturnType<typeof begin>>['session']) =>
    eventsOf(session, 'message.added').flatMap(({ plateauStage }) => plateauStage ?? []);

  it('changes the advice once per stage, and ends nothing by default', async () => {
    const { model, session } = await begin(experiments([1, 1, 1.2, 'crash', 0.9999, 1.1, 1]), { experiments: 3 });
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(stages(session), [1, 2]);
    const texts = JSON.stringify(model.requests.at(-1)?.messages);
    assert.match(
      texts,
      /None of the last 3 experiments improved on the best \(loss 0?1(\.0+)?, run 1\) by more than the noise/,
    );
    assert.match(texts, /ablate the best one/);
    assert.match(texts, /None of the last 5 experiments/);
  });

  it('is over with an improvement that is more than noise, and may come again', async () => {
    const { session } = await begin(experiments([1, 1, 1, 0.5, 0.6, 0.6, 0.6]), { experiments: 2 });
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(stages(session), [1, 1, 2]);
  });

  it('ends the session where the policy says so, after it was announced', async () => {
    const { model, session } = await begin(experiments([1, 1, 1, 1, 1, 1]), { experiments: 2, onPlateau: 'end' });
    assert.equal(await session.ended, 'plateau');
    assert.match(
      session.state.end?.summary ?? '',
      /^Stopped: None of the last 4 experiments improved on the best \(loss/,
    );
    assert.match(JSON.stringify(model.requests.at(-1)?.messages), /After 4 in a row the session ends/);
    assert.equal(session.state.runs.size, 5);
  });

  it('is counted anew when a person says something', async () => {
    const { session } = await begin(experiments([1, 1, 1, 1, 1]), {
      experiments: 2,
      onPlateau: 'end',
    });
    assert.equal(await session.ended, 'plateau');
    await session.say('try something else');
    assert.equal(await session.ended, 'blocked');
  });

  it('is none where it is turned off', async () => {
    const { session } = await begin(experiments([1, 1, 1, 1]), { experiments: 0 });
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(stages(session), []);
  });

  const policy = { experiments: 12, noisePercent: 0.1 } as const;
  const cases: readonly (readonly [count: number, advise: 0 | 1 | 2, end: 0 | 1 | 2 | 'end'])[] = [
    [11, 0, 0],
    [12, 1, 1],
    [17, 1, 1],
    [18, 2, 2],
    [23, 2, 2],
    [24, 2, 'end'],
    [90, 2, 'end'],
  ];
  for (const [count, advise, end] of cases)
    it(`of ${count} experiments is at stage ${advise}, or ${end} where it ends`, () => {
      assert.equal(stageOf(count, { ...policy, onPlateau: 'advise' }), advise);
      assert.equal(stageOf(count, { ...policy, onPlateau: 'end' }), end);
    });
});
