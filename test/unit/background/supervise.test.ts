import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { silentLogger } from '../../../src/base/logger.ts';
import { supervise } from '../../../src/background/supervise.ts';

describe('the supervisor of the background process', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'supervise-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Each process takes the next of `ends` (code of JavaScript), the last one again and again. */
  const watch = async (ends: readonly string[], { livesMs = 0, waits = 20 } = {}) => {
    const told = path.join(folder, 'told');
    const script = `const { appendFileSync, readFileSync, existsSync } = require('node:fs');
      const words = readFileSync(0, 'utf8');
      const before = existsSync(${JSON.stringify(told)}) ? readFileSync(${JSON.stringify(told)}, 'utf8').split('\\n').length - 1 : 0;
      appendFileSync(${JSON.stringify(told)}, words);
      const ends = [${ends.map((end) => `() => ${end}`).join(', ')}];
      (ends[before] ?? ends.at(-1))();`;
    const waited: number[] = [];
    const stop = new AbortController();
    let now = 0;
    const code = await supervise(JSON.stringify({ sessions: ['s'], graceMs: 5000 }), {
      command: ['-e', script],
      logger: silentLogger,
      signal: stop.signal,
      nowMs: () => (now += livesMs),
      wait: (ms) => {
        waited.push(ms);
        if (waited.length === waits) stop.abort();
        return Promise.resolve();
      },
    });
    const words = (await readFile(told, 'utf8')).trim().split('\n');
    return { code, waited, words: words.map((each) => JSON.parse(each) as { graceMs: number }) };
  };
  const dies = "process.kill(process.pid, 'SIGKILL')";

  it('ends as the work does that is done, or that would fail again', async () => {
    assert.deepEqual((await watch(['process.exit(0)'])).code, 0);
    await rm(path.join(folder, 'told'));
    const { code, waited } = await watch(['process.exit(1)']);
    assert.deepEqual([code, waited], [1, []]);
  });

  it('starts it anew when it was killed, and waits for no window any more', async () => {
    const { code, waited, words } = await watch([dies, 'process.exit(70)', 'process.exit(0)']);
    assert.deepEqual([code, waited], [0, [2_000, 4_000]]);
    assert.deepEqual(
      words.map(({ graceMs }) => graceMs),
      [5000, 0, 0],
    );
  });

  it('waits longer after each death, up to ten minutes, and is told to end meanwhile', async () => {
    const { code, waited } = await watch([dies], { waits: 11 });
    assert.equal(code, 0);
    assert.deepEqual(waited.slice(0, 3), [2_000, 4_000, 8_000]);
    assert.deepEqual(waited.slice(-2), [600_000, 600_000]);
  });

  it('does not wait longer after a work that lived for long', async () => {
    const { waited } = await watch([dies], { livesMs: 601_000, waits: 3 });
    assert.deepEqual(waited, [2_000, 2_000, 2_000]);
  });
});
