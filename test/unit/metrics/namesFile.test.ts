import assert from 'node:assert/strict';
import { existsSync, fstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { RunMetrics } from '../../../src/metrics/runMetrics.ts';
import { onFlushSync } from '../../fakes/flushes.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('the names of metrics', () => {
  const scratch = scratchFolder();

  it('are flushed to the disk before the first point that means them is written', async () => {
    const metrics = await RunMetrics.open(scratch(), { names: ['loss', 'acc'] });
    const bytesOf = (name: string): number => {
      const path = join(scratch(), name);
      return existsSync(path) ? readFileSync(path).length : 0;
    };
    const flushed: string[] = [];
    const restore = onFlushSync((fd) => {
      const text = readFileSync(join(scratch(), 'points.names'), 'utf8');
      assert.equal(fstatSync(fd).ino, statSync(join(scratch(), 'points.names')).ino);
      flushed.push(`${text.trim().replaceAll('\n', ' ')} before ${bytesOf('points.bin')}`);
    });
    try {
      let offset = 0;
      for (const line of ['loss=1\n', 'loss=2\n', 'acc=1\n']) {
        metrics.ingest(Buffer.from(line), offset, 1);
        offset += line.length;
      }
    } finally {
      restore();
      metrics.dispose();
    }
    assert.deepEqual(flushed, ['loss before 0', `loss acc before ${16 + 2 * 40}`]);
  });
});
