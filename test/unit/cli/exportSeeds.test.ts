import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { foldSession } from '../../../src/agent/journal/fold.ts';
import {
  exportRecords,
  type ExportSource,
} from '../../../src/presentation/archive/exportRecords.ts';
import { Night } from '../../fakes/nights.ts';

describe('the exported ledger', () => {
  it('gives each run its own seed, not that of the first run of its experiment', async () => {
    const night = new Night();
    night.experiment(
      { hypothesis: 'seeds join' },
      ...[0, 1, 2].map((seed) => ({ loss: 0.5, command: `train --seed ${seed}` })),
    );
    const state = foldSession(night.events);
    const { ledger } = night.facts();
    assert.ok(state);
    const sessions = {
      list: () => Promise.resolve([{ id: state.id }]),
      read: () => Promise.resolve({ state, ledger, events: night.events, problems: [] }),
    } as unknown as ExportSource['sessions'];
    const records = exportRecords({ sessions, home: '/none' }, 'ledger');
    const seeds: unknown[] = [];
    for await (const { seed } of records) seeds.push(seed);
    assert.deepEqual(seeds, ['0', '1', '2']);
  });
});
