import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { RunId } from '../../../src/base/ids.ts';
import { RunMetrics } from '../../../src/metrics/runMetrics.ts';
import { ForeignPoints } from '../../../src/runs/foreignPoints.ts';
import { homeAt, type Home } from '../../../src/storage/home.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

const spec = { id: 'r-000000000aaaaaa' as RunId, metrics: { names: ['loss'] } };

describe('points that another process reads', () => {
  let folder: string;
  let home: Home;
  let clock: ManualClock;
  let writer: RunMetrics;
  let written = 0;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-points-'));
    home = homeAt(folder);
    clock = new ManualClock();
    written = 0;
    writer = await RunMetrics.open(home.runFolder(spec.id), spec.metrics);
  });
  afterEach(async () => {
    writer.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const print = (text: string): void => {
    writer.ingest(Buffer.from(text), written, clock.now());
    written += text.length;
  };
  const values = (metrics: RunMetrics | undefined): number[] => [
    ...(metrics?.series('loss').values ?? []),
  ];

  it('are seen as they come, and are the same as before where there are no others', async () => {
    const points = new ForeignPoints(home, clock);
    assert.equal(await points.of(spec, false), undefined);
    print('loss=3\nloss=2\nlos');
    await clock.advance(1_000);
    const first = await points.of(spec, false);
    assert.deepEqual(values(first), [3, 2]);
    await clock.advance(60_000);
    assert.equal(await points.of(spec, false), first);
    print('s=1\n');
    await clock.advance(1_000);
    assert.deepEqual(values(await points.of(spec, false)), [3, 2, 1]);
  });

  it('are read again a second later at the earliest, by however many who ask', async () => {
    const points = new ForeignPoints(home, clock);
    print('loss=3\n');
    const [one, other] = await Promise.all([points.of(spec, false), points.of(spec, false)]);
    assert.equal(one, other);
    print('loss=2\n');
    assert.equal(await points.of(spec, false), one);
    await clock.advance(999);
    assert.equal(await points.of(spec, false), one);
    await clock.advance(1);
    assert.deepEqual(values(await points.of(spec, false)), [3, 2]);
  });

  it('are read once more when the run is over, and never again', async () => {
    const points = new ForeignPoints(home, clock);
    print('loss=3\n');
    await points.of(spec, false);
    print('loss=2\n');
    const last = await points.of(spec, true);
    assert.deepEqual(values(last), [3, 2]);
    print('loss=1\n');
    await clock.advance(60_000);
    assert.equal(await points.of(spec, true), last);
  });

  it('are read again when the totals of a full file are stored', async () => {
    const points = new ForeignPoints(home, clock);
    print('loss=3\n');
    const first = await points.of(spec, false);
    await writeFile(path.join(home.runFolder(spec.id), 'points.totals'), '{}');
    await clock.advance(1_000);
    assert.notEqual(await points.of(spec, false), first);
  });

  it('change nothing on the disk, nor keep the writer from going on', async () => {
    const points = new ForeignPoints(home, clock);
    print('loss=3\n');
    const file = path.join(home.runFolder(spec.id), 'points.bin');
    const before = await readFile(file);
    await points.of(spec, false);
    assert.deepEqual(await readFile(file), before);
    assert.deepEqual((await readdir(home.runFolder(spec.id))).sort(), [
      'points.bin',
      'points.names',
    ]);
    print('loss=2\n');
    assert.deepEqual(values(writer), [3, 2]);
  });
});
