import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { CombinedSource } from '../../../src/vscode/metrics/combinedSource.ts';
import { DisposableSource } from '../../fakes/memoryPanelSource.ts';

describe('a panel with the runs of other sessions', () => {
  let main: DisposableSource;
  let other: DisposableSource;
  let source: CombinedSource;
  let changes: number;

  beforeEach(() => {
    [main, other] = [new DisposableSource(), new DisposableSource()];
    main.addRun({ id: 'r-1', group: 3, isChampion: true });
    main.setSeries('r-1', 'loss', Float64Array.of(1));
    main.decisive = { metric: 'loss', rule: 'last', champion: 1, pooled: 0.1 };
    main.ranking = [3];
    other.sessionId = 's-other';
    other.addRun({ id: 'r-2', group: 1, isChampion: true });
    other.addRun({ id: 'r-3', group: 1 });
    other.setSeries('r-2', 'acc', Float64Array.of(0.5, 0.75));
    other.groups = [
      { number: 1, runIds: ['r-2', 'r-3'], name: 'runs 1, 2', label: '', metrics: {} },
    ];
    other.ranking = [1];
    source = new CombinedSource(main, (id) =>
      id === 's-other' ? Promise.resolve(other) : Promise.reject(new Error(`no ${id}`)),
    );
    changes = 0;
    source.onDidChangeState(() => (changes += 1));
  });

  it('has them behind its own, in groups with further numbers, never as champion', async () => {
    assert.deepEqual(source.state(), main.state());
    await source.setSessions(['s-other']);
    const { runs, groups, ranking, decisive, metrics } = source.state();
    assert.deepEqual(
      runs.map(({ id, group, isChampion, isOther = false }) => [id, group, isChampion, isOther]),
      [
        ['r-1', 3, true, false],
        ['r-2', 1_000_001, false, true],
        ['r-3', 1_000_001, false, true],
      ],
    );
    assert.match(runs[1]?.name ?? '', /^run 1 of train to loss/);
    assert.deepEqual([groups[0]?.number, ranking, decisive], [1_000_001, [3], main.decisive]);
    assert.deepEqual(
      metrics.map(({ name }) => name),
      ['loss', 'acc'],
    );
    assert.equal((await source.series('r-2', 'acc'))?.values.length, 2);
  });

  it('follows them, writes to the session of a run, and lets go of them', async () => {
    await source.setSessions(['s-other']);
    source.state();
    const before = changes;
    await source.annotate(['r-1', 'r-3'], { addTags: ['good'] });
    assert.equal(changes, before + 2);
    assert.deepEqual([main.runs[0]?.tags, other.runs[1]?.tags], [['good'], ['good']]);
    assert.deepEqual(source.state().runs[2]?.tags, ['good']);
    await source.setSessions([]);
    assert.equal(source.state().runs.length, 1);
    assert.deepEqual([other.isDisposed, other.hasListeners], [true, false]);
    source.dispose();
    assert.deepEqual([main.isDisposed, main.hasListeners], [true, false]);
  });

  it('has the same objects again where nothing changed, so that they are not sent again', async () => {
    await source.setSessions(['s-other']);
    const before = source.state();
    main.addRun({ id: 'r-4', group: 4 });
    const after = source.state();
    const [own, , one, two] = after.runs;
    assert.deepEqual(
      [own, one, two].map((run) => before.runs.includes(run as never)),
      [true, true, true],
    );
    assert.deepEqual(
      after.groups.map((group) => before.groups.includes(group)),
      [true],
    );
    assert.deepEqual(
      after.metrics.map((metric) => before.metrics.includes(metric)),
      [true, true],
    );
  });

  it('shows those that can be read, and says which cannot', async () => {
    await assert.rejects(source.setSessions(['s-gone', 's-other']), /no s-gone/);
    assert.equal(source.state().runs.length, 3);
  });

  it('closes a session that is no longer wanted when it is open at last', async () => {
    const opening = source.setSessions(['s-other']);
    await source.setSessions([]);
    await opening;
    assert.equal(other.isDisposed, true);
    assert.equal(source.state().runs.length, 1);
  });
});
