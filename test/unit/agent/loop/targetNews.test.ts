import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { targetNews } from '../../../../src/agent/loop/targetNews.ts';
import { lossOf, Night } from '../../../fakes/nights.ts';

describe('news of the target at a wake', () => {
  const seeds = (width: number, losses: readonly number[]) =>
    losses.map((loss, seed) => ({ loss, command: `train --width ${width} --seed ${seed}` }));
  const asleep = (night: Night, id: string): void => {
    const request = { triggers: [], reason: 'r', logic: 'any' } as const;
    night.add({ type: 'sleep.started', sleepId: id, request, callId: 'c' });
  };
  const awake = (night: Night, id: string, why: 'trigger' | 'person' = 'trigger'): void => {
    night.add({ type: 'sleep.ended', sleepId: id, why, detail: 'd' });
    if (why !== 'person') night.add({ type: 'message.added', origin: 'wake', text: 'digest' });
  };
  const newsOf = (night: Night, id: string): readonly string[] => {
    const { target, ledger } = night.facts();
    return targetNews(id, night.events, { target, ledger: () => ledger });
  };

  it('tells of runs that ended while the model was answering, or before a message', () => {
    const night = new Night('bring loss < 0.3, mean over seeds 0 and 1');
    night.experiment({ hypothesis: 'a' }, ...seeds(1, [0.2, 0.2]));
    asleep(night, 's1');
    assert.match(newsOf(night, 's1').join('\n'), /^\[Runs 1, 2 of e1: target reached: loss 0\.2/);
    awake(night, 's1', 'person');
    asleep(night, 's2');
    night.experiment({ hypothesis: 'b' }, ...seeds(2, [0.1, 0.1]));
    assert.equal(newsOf(night, 's2').length, 2);
  });

  it('tells of a setting once, and names all of many', () => {
    const night = new Night('bring loss < 0.3');
    const id = night.experiment({ hypothesis: 'a' }, ...seeds(1, [0.2]));
    asleep(night, 's1');
    awake(night, 's1');
    for (const run of seeds(1, [0.2, 0.21]).slice(1)) night.run({ ...run, experimentId: id });
    asleep(night, 's2');
    assert.deepEqual(newsOf(night, 's2'), ['[Best stays e1 0.205, which reached the target.]']);
    night.experiment(
      { hypothesis: 'b' },
      ...[2, 3, 4, 5, 6, 7, 8].flatMap((width) => seeds(width, [width / 100])),
    );
    const news = newsOf(night, 's2');
    assert.equal(news.length, 6);
    assert.match(news.at(-1) ?? '', /^\[Also target reached: runs 8, 9\.\]$/);
  });

  it('tells of a setting whose output was read again with what the target needs', () => {
    const night = new Night('bring loss < 0.3 with at most 2000 parameters');
    night.experiment({ hypothesis: 'a' }, ...seeds(1, [0.2]));
    asleep(night, 's1');
    awake(night, 's1');
    const parameters = { ...lossOf(49), metric: 'parameters' };
    const [run] = night.facts().ledger.rows;
    assert.ok(run);
    night.add({
      type: 'run.metrics_changed',
      runId: run.runId,
      metrics: {},
      read: [...run.metrics, parameters],
    });
    asleep(night, 's2');
    const news = newsOf(night, 's2');
    assert.match(news.join('\n'), /^\[Run 1 of e1: target reached: .*parameters 49 <= 2000/);
    night.add({ type: 'sleep.ended', sleepId: 's2', why: 'trigger', detail: 'd' });
    night.add({ type: 'message.added', origin: 'wake', text: news.join('\n') });
    night.add({ type: 'run.metrics_changed', runId: run.runId, metrics: {}, read: run.metrics });
    night.add({
      type: 'run.metrics_changed',
      runId: run.runId,
      metrics: {},
      read: [...run.metrics, parameters],
    });
    asleep(night, 's3');
    assert.deepEqual(newsOf(night, 's3'), ['[Best stays e1 0.2, which reached the target.]']);
  });

  it('tells how far the best is from the target', () => {
    const night = new Night('bring loss < 0.3');
    asleep(night, 's1');
    night.experiment({ hypothesis: 'a' }, ...seeds(1, [0.5]), ...seeds(2, [0.41]));
    assert.deepEqual(newsOf(night, 's1'), ['[Best loss 0.41, target < 0.3.]']);
    awake(night, 's1');
    asleep(night, 's2');
    assert.deepEqual(newsOf(night, 's2'), []);
    night.experiment({ hypothesis: 'b' }, ...seeds(3, [0.25]));
    assert.deepEqual(newsOf(night, 's2').length, 1);
    const relative = new Night('bring loss at least 10 % below the baseline');
    relative.experiment({ hypothesis: 'a' }, ...seeds(1, [0.5]));
    asleep(relative, 's1');
    relative.experiment({ hypothesis: 'b' }, ...seeds(2, [0.48]));
    assert.match(newsOf(relative, 's1').join('\n'), /\[Best loss 0\.48, target <= 0\.45\.\]/);
  });

  it('goes on telling the best, also where another setting reaches the target', () => {
    const night = new Night('bring loss < 3.3, mean over seeds 0 to 2');
    asleep(night, 's1');
    night.experiment({ hypothesis: 'a' }, ...seeds(1, [3.0006]));
    assert.deepEqual(newsOf(night, 's1'), [
      '[Best loss 3.0006 (seeds 1, 2 missing), target < 3.3.]',
    ]);
    awake(night, 's1');
    night.experiment({ hypothesis: 'a' }, ...seeds(2, [3.0006, 3.2888, 3.2739]));
    asleep(night, 's2');
    assert.match(newsOf(night, 's2').join('\n'), /^\[Runs 2–4 of e2: target reached: .*\)\.\]$/);
    awake(night, 's2');
    asleep(night, 's3');
    night.experiment({ hypothesis: 'b' }, ...seeds(3, [2.9797, 3.4477, 3.3199]));
    assert.match(
      newsOf(night, 's3').join('\n'),
      /^\[Runs 5–7 of e3: target reached: .*; best stays e2 3\.18777\.\]$/,
    );
    awake(night, 's3');
    asleep(night, 's4');
    night.experiment({ hypothesis: 'c' }, ...seeds(4, [4, 4, 4]));
    assert.deepEqual(newsOf(night, 's4'), ['[Best stays e2 3.18777, which reached the target.]']);
  });

  it('says that a better mean is not the best before it is kept', () => {
    const night = new Night('bring loss < 3.3, mean over seeds 0 to 2');
    const decision = { is: 'keep', why: 'w' } as const;
    night.experiment({ hypothesis: 'a', decision }, ...seeds(1, [3.1, 3.2, 3.3]));
    asleep(night, 's1');
    night.experiment({ hypothesis: 'b' }, ...seeds(2, [3.0, 3.1, 3.2]));
    assert.match(
      newsOf(night, 's1').join('\n'),
      /; its mean 3\.1 is better than that of e1 3\.2, which stays the best until a decision\.\]/,
    );
  });

  const howToRead = 'If it was printed, show_metrics with metric_patterns reads the output again.';

  it('tells once of a metric that no run printed', () => {
    const night = new Night('bring loss < 0.3 with at most 2000 parameters');
    asleep(night, 's1');
    assert.deepEqual(newsOf(night, 's1'), []);
    night.experiment({ hypothesis: 'a' }, ...seeds(1, [0.5]));
    night.experiment({ hypothesis: 'b' }, ...seeds(3, [0.2]));
    assert.deepEqual(newsOf(night, 's1'), [
      `[parameters was never read, so no run meets the target. ${howToRead}]`,
    ]);
    awake(night, 's1');
    asleep(night, 's2');
    night.experiment({ hypothesis: 'c' }, ...seeds(4, [0.5]));
    assert.deepEqual(newsOf(night, 's2'), []);
  });

  it('names a condition of which no value was read, if the others are met', () => {
    const night = new Night('bring loss < 0.3 with at most 2000 parameters');
    night.experiment({ hypothesis: 'a' }, ...seeds(1, [0.5]));
    asleep(night, 's1');
    awake(night, 's1');
    asleep(night, 's2');
    night.experiment({ hypothesis: 'b' }, ...seeds(2, [0.2, 0.2]), ...seeds(3, [0.1]));
    night.experiment({ hypothesis: 'c' }, ...seeds(4, [0.5]));
    assert.deepEqual(newsOf(night, 's2'), [
      `[Not compared with the target: parameters was not read from runs 2–4. ${howToRead}]`,
    ]);
  });
});
