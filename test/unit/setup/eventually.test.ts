import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { eventually } from '../../fakes/eventually.ts';

describe('eventually', () => {
  it('gives the value that is accepted', async () => {
    const values = [1, 2];
    assert.equal(
      await eventually(
        () => Promise.resolve(values.shift()),
        (value) => value === 2,
        60_000,
      ),
      2,
    );
  });

  for (const value of [undefined, null, false, '', []]) {
    it(`says that ${JSON.stringify(value)} was not seen`, async () => {
      await assert.rejects(failing(value), /^Error: Not seen within 0 s/);
    });
  }

  for (const value of [0, 'stopped', ['run 1'], { owner: 'another' }, true]) {
    it(`says that ${JSON.stringify(value)} is wrong`, async () => {
      await assert.rejects(failing(value), /^Error: Wrong after 0 s/);
    });
  }

  const failing = (value: unknown): Promise<unknown> =>
    eventually(
      () => Promise.resolve(value),
      () => false,
      0,
    );
});
