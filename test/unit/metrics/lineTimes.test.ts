import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { LineTimes } from '../../../src/metrics/lineTimes.ts';

describe('the times of lines that are read again', () => {
  it('are those of the first reading, and between them interpolated', () => {
    const times = new LineTimes();
    times.add(0, 1000);
    times.add(100, 2000);
    times.add(100, 9000);
    times.add(200, 4000);
    assert.deepEqual(
      [0, 50, 100, 150, 200, 201].map((end) => times.at(end)),
      [1000, 1500, 2000, 3000, 4000, undefined],
    );
  });

  it('never go back where the clock of the machine is ahead', () => {
    const times = new LineTimes();
    times.add(0, 5000);
    times.add(100, 2000);
    assert.equal(times.at(50), 2000);
  });

  it('are bounded in number', () => {
    const times = new LineTimes();
    for (let end = 0; end <= 500_000; end++) times.add(end, end);
    assert.equal(times.at(250_001), 250_001);
  });
});
