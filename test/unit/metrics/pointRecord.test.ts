import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readRecord, recordBytes, writeRecord } from '../../../src/metrics/disk/pointRecord.ts';

describe('a point on disk', () => {
  const record = {
    kind: 'point',
    step: 7,
    timeMs: 5,
    value: NaN,
    endOffset: 2 ** 40,
    isLastOfLine: true,
  } as const;
  const written = (): DataView => {
    const view = new DataView(new ArrayBuffer(3 * recordBytes));
    writeRecord(view, recordBytes, record, { ...record, name: 12 });
    return view;
  };

  it('is read back as it was written', () => {
    assert.deepEqual(readRecord(written(), recordBytes), { ...record, name: 12 });
    const view = written();
    writeRecord(view, 0, record, { ...record, kind: 'clear', isLastOfLine: false, name: 0 });
    assert.deepEqual(readRecord(view, 0), {
      ...record,
      kind: 'clear',
      isLastOfLine: false,
      name: 0,
    });
    assert.deepEqual(readRecord(view, recordBytes), { ...record, name: 12 });
  });

  it('is none where any of its bits is another, or all are 0', () => {
    for (let bit = 0; bit < recordBytes * 8; bit += 1) {
      const view = written();
      const at = recordBytes + Math.floor(bit / 8);
      view.setUint8(at, view.getUint8(at) ^ (1 << (bit % 8)));
      assert.equal(readRecord(view, recordBytes), undefined, `bit ${bit}`);
    }
    assert.equal(readRecord(written(), 0), undefined);
  });
});
