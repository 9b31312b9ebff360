import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { MessageConnection } from 'vscode-jsonrpc';
import { silentLogger } from '../../../src/base/logger.ts';
import { connect } from '../../../src/protocol/connect.ts';
import {
  openRun,
  pointsAdded,
  readMattered,
  readSeries,
  ready,
  saveCsv,
  saveExport,
  type PointsAdded,
  type SeriesQuery,
} from '../../../src/protocol/metricsPanel.ts';
import { stateChanged } from '../../../src/protocol/panelDelta.ts';
import { PanelHost } from '../../../src/vscode/metrics/panelHost.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { MemoryPanelSource } from '../../fakes/memoryPanelSource.ts';
import { portPair, type PortPair } from '../../fakes/portPair.ts';

const query: SeriesQuery = { runIds: ['r-1'], metric: 'loss', axis: 'step', pixels: 100 };

describe('the host of the metrics panel', () => {
  let clock: ManualClock;
  let source: MemoryPanelSource;
  let ports: PortPair;
  let host: PanelHost;
  let view: MessageConnection;
  let opened: string[];
  let saved: { kind: string; name: string; text: string }[];
  let added: PointsAdded[];
  let states: number;

  /** Long enough for anything that was due, on a clock that nobody waits for. */
  const settle = () => clock.advance(0).then(() => new Promise((resolve) => setImmediate(resolve)));

  beforeEach(() => {
    clock = new ManualClock();
    source = new MemoryPanelSource();
    source.addRun({ id: 'r-1', label: 'lr=1e-3' });
    source.setSeries('r-1', 'loss', Float64Array.of(3, 2, 1));
    ports = portPair();
    [opened, saved, added, states] = [[], [], [], 0];
    host = new PanelHost({
      source,
      port: ports.host,
      clock,
      logger: silentLogger,
      actions: {
        openRun: (runId) => void opened.push(runId),
        async save({ kind, name, parts }) {
          let text = '';
          for await (const part of parts) text += Buffer.from(part).toString();
          saved.push({ kind, name, text });
        },
      },
    });
    view = connect(ports.view);
    view.onNotification(pointsAdded, (points) => void added.push(points));
    view.onNotification(stateChanged, () => void states++);
    view.listen();
  });

  afterEach(() => {
    host.dispose();
    view.dispose();
    assert.equal(clock.pendingTimers, 0);
    assert.equal(source.hasListeners, false);
  });

  it('answers what mattered of the runs that the view names, and refuses anything else', async () => {
    source.decisive = { metric: 'loss', rule: 'last' };
    source.addRun({ id: 'r-2' });
    source.setSeries('r-2', 'loss', Float64Array.of(3, 2.5));
    const { heading } = await view.sendRequest(readMattered, { runIds: ['r-2'] });
    assert.equal(heading, 'loss, lower is better: 1 run with 1 setting');
    const hostile = { runIds: 'r-2' } as unknown as { runIds: string[] };
    await assert.rejects(view.sendRequest(readMattered, hostile), /Refused: runIds/);
  });

  it('answers with the state and with the points of a series', async () => {
    const state = await view.sendRequest(ready);
    assert.deepEqual(state, source.state());
    const answer = await view.sendRequest(readSeries, query);
    assert.deepEqual(
      { x: answer.x, y: answer.y, total: answer.total, extent: answer.extent },
      {
        x: Float64Array.of(0, 1, 2),
        y: Float64Array.of(3, 2, 1),
        total: 3,
        extent: { from: 0, to: 2 },
      },
    );
  });

  it('says nothing before it is asked', async () => {
    source.add('r-1', 'loss', [0.5]);
    source.changed();
    await clock.advance(1000);
    assert.deepEqual(ports.fromHost, []);
  });

  it('sends new points of the series that were read, and of no other', async () => {
    source.setSeries('r-1', 'lr', Float64Array.of(1));
    await view.sendRequest(ready);
    await view.sendRequest(readSeries, query);
    source.add('r-1', 'loss', [0.9, Number.NaN]);
    source.add('r-1', 'lr', [0.5]);
    await clock.advance(0);
    await settle();
    assert.deepEqual(added, [
      {
        runId: 'r-1',
        metric: 'loss',
        steps: Float64Array.of(3, 4),
        times: Float64Array.of(3000, 4000),
        startedMs: Date.UTC(2026, 0, 1),
        values: Float64Array.of(0.9, Number.NaN),
        total: 5,
      },
    ]);
  });

  it('gathers points into frames of 100 ms and loses none', async () => {
    await view.sendRequest(ready);
    await view.sendRequest(readSeries, query);
    for (let index = 0; index < 50; index++) {
      source.add('r-1', 'loss', [index]);
      await clock.advance(10);
    }
    await clock.advance(100);
    await settle();
    assert.ok(added.length <= 6, `${added.length} messages for half a second`);
    const values = added.flatMap((points) => [...points.values]);
    assert.deepEqual(
      values,
      Array.from({ length: 50 }, (_, index) => index),
    );
    assert.equal(added.at(-1)?.total, 53);
  });

  it('gathers changes of the state', async () => {
    await view.sendRequest(ready);
    for (let index = 0; index < 50; index++) {
      source.metrics = [...source.metrics, { name: `m${index}`, direction: 'none' }];
      source.changed();
      await clock.advance(10);
    }
    await clock.advance(100);
    await settle();
    assert.ok(states >= 5 && states <= 6, `${states} states in half a second`);
  });

  it('lets the view read again when too many points came at once, or the series was rewritten', async () => {
    await view.sendRequest(ready);
    await view.sendRequest(readSeries, query);
    source.add(
      'r-1',
      'loss',
      Array.from({ length: 5000 }, () => 1),
    );
    await clock.advance(100);
    source.setSeries('r-1', 'loss', Float64Array.of(9));
    source.add('r-1', 'loss', []);
    await clock.advance(100);
    await settle();
    assert.deepEqual(
      added.map(({ values, total }) => [values.length, total]),
      [
        [0, 5003],
        [0, 1],
      ],
    );
  });

  it('is silent while hidden, and drops the answers to a page that is gone', async () => {
    await view.sendRequest(ready);
    await view.sendRequest(readSeries, query);
    void view.sendRequest(readSeries, query).catch(() => undefined);
    host.setVisible(false);
    const before = ports.fromHost.length;
    source.add('r-1', 'loss', [0.5]);
    source.changed();
    await clock.advance(1000);
    await settle();
    assert.equal(ports.fromHost.length, before);
    host.setVisible(true);
    await clock.advance(1000);
    assert.equal(ports.fromHost.length, before, 'nothing before the new page is ready');
    await view.sendRequest(ready);
    assert.equal((await view.sendRequest(readSeries, query)).total, 4);
    source.add('r-1', 'loss', [0.4]);
    await clock.advance(100);
    await settle();
    assert.deepEqual(added.at(-1)?.values, Float64Array.of(0.4));
  });

  it('rejects with a reason when the source fails or the series is unknown', async () => {
    await assert.rejects(
      view.sendRequest(readSeries, { ...query, metric: 'accuracy' }),
      /no series accuracy/,
    );
    source.failure = 'the file is damaged';
    await assert.rejects(view.sendRequest(ready), /the file is damaged/);
    await assert.rejects(view.sendRequest(readSeries, query), /the file is damaged/);
  });

  it('answers the mean of several runs with its spread, and tells when one of them grows', async () => {
    source.addRun({ id: 'r-2' });
    source.setSeries('r-2', 'loss', Float64Array.of(5, 4, 3, 9));
    await view.sendRequest(ready);
    const mean = await view.sendRequest(readSeries, { ...query, runIds: ['r-1', 'r-2', 'r-9'] });
    assert.deepEqual([...mean.y], [4, 3, 2, 9]);
    assert.deepEqual(
      mean.band?.low.y.map((low) => Math.round(low * 1000)),
      Float64Array.of(2586, 1586, 586, 9000),
    );
    assert.deepEqual(mean.band?.counts, [
      { x: 0, n: 2 },
      { x: 3, n: 1 },
    ]);
    assert.equal(mean.total, 7);
    source.add('r-2', 'loss', [1]);
    await clock.advance(100);
    await settle();
    assert.deepEqual(
      added.map(({ runId, total }) => [runId, total]),
      [['r-2', 5]],
    );
  });

  it('answers over a counter of the runs, also the mean, and tells when the counter grows', async () => {
    source.addRun({ id: 'r-2' });
    source.setSeries('r-2', 'loss', Float64Array.of(5, 4, 3));
    source.setSeries('r-1', 'tokens', Float64Array.of(0, 10, 20));
    source.setSeries('r-2', 'tokens', Float64Array.of(0, 5, 20));
    await view.sendRequest(ready);
    const axis = 'metric:tokens';
    const one = await view.sendRequest(readSeries, { ...query, axis });
    assert.deepEqual([[...one.x], [...one.y], one.total], [[0, 10, 20], [3, 2, 1], 3]);
    const mean = await view.sendRequest(readSeries, { ...query, axis, runIds: ['r-1', 'r-2'] });
    assert.deepEqual([...mean.x], [0, 5, 10, 20]);
    assert.deepEqual(
      [...mean.y].map((y) => Number(y.toFixed(3))),
      [4, 3.25, 2.833, 2],
    );
    source.add('r-1', 'tokens', [30]);
    await clock.advance(100);
    await settle();
    assert.deepEqual(
      added.map(({ metric, total }) => [metric, total]),
      [['tokens', 4]],
    );
    await assert.rejects(
      view.sendRequest(readSeries, { ...query, axis: 'metric:loss' }),
      /loss decreases in a run/,
    );
    source.addRun({ id: 'r-3' });
    source.setSeries('r-3', 'loss', Float64Array.of(1));
    const without = await view.sendRequest(readSeries, { ...query, axis, runIds: ['r-3'] });
    assert.deepEqual([without.x.length, without.total], [0, 1]);
  });

  for (const [what, bad] of Object.entries({
    'an axis of no metric': { ...query, axis: 'metric:' },
    'no pixels': { ...query, pixels: 0 },
    'too many pixels': { ...query, pixels: 1e9 },
    'an axis that does not exist': { ...query, axis: 'epoch' },
    'a range that is not a number': { ...query, from: Number.NaN },
    'a run that is not text': { ...query, runIds: [{ $ne: '' }] },
    'fields that nobody knows': { ...query, path: '/etc/passwd' },
    'smoothing that never forgets': { ...query, smoothing: 1 },
  }))
    it(`refuses ${what}`, async () => {
      await assert.rejects(view.sendRequest(readSeries.method, bad), /Refused/);
      assert.equal(source.reads, 0);
    });

  it('opens runs and saves images, and ignores what is not well formed', async () => {
    await view.sendRequest(ready);
    await view.sendNotification(openRun, { runId: 'r-1' });
    await view.sendNotification(openRun.method, { runId: 7 });
    await view.sendNotification(saveExport, { kind: 'png', name: 'loss', base64: 'aW1hZ2U=' });
    await view.sendNotification(saveExport, {
      kind: 'png',
      name: '../../.bashrc',
      base64: 'aW1hZ2U=',
    });
    await view.sendNotification(saveExport, { kind: 'png', name: 'loss', base64: 'not base64!' });
    await view.sendRequest(ready);
    await settle();
    assert.deepEqual(opened, ['r-1']);
    assert.deepEqual(saved, [{ kind: 'png', name: 'loss', text: 'image' }]);
  });

  it('writes every point of the asked runs as CSV, with cells that no spreadsheet runs', async () => {
    source.addRun({ id: 'r-2', label: '=HYPERLINK("x")' });
    source.setSeries('r-2', 'loss', Float64Array.of(Number.NaN, Number.NEGATIVE_INFINITY), 10);
    await view.sendNotification(saveCsv, {
      runIds: ['r-1', 'r-2', 'r-9'],
      metrics: ['loss', 'lr'],
    });
    await view.sendRequest(ready);
    await settle();
    await settle();
    assert.deepEqual(
      saved[0]?.text,
      [
        'run,label,machine,metric,step,seconds,value',
        'run 1,lr=1e-3,local,loss,0,0,3',
        'run 1,lr=1e-3,local,loss,1,1,2',
        'run 1,lr=1e-3,local,loss,2,2,1',
        `run 2,"'=HYPERLINK(""x"")",local,loss,0,0,NaN`,
        `run 2,"'=HYPERLINK(""x"")",local,loss,10,1,-Inf`,
        '',
      ].join('\n'),
    );
  });
});
