import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { LineSplitter } from '../../../src/metrics/lines/lineSplitter.ts';
import { randomCuts, seededRandom } from './randomCuts.ts';

function split(
  chunks: readonly Uint8Array[],
  start = 0,
  maxLineBytes?: number,
): (readonly [string, number])[] {
  const splitter = new LineSplitter(start, maxLineBytes);
  const lines: (readonly [string, number])[] = [];
  for (const chunk of chunks) splitter.push(chunk, (line, end) => lines.push([line, end]));
  splitter.end((line, end) => lines.push([line, end]));
  return lines;
}

const text = (content: string): Uint8Array => Buffer.from(content);

describe('Splitting a byte stream into lines', () => {
  it('ends lines at \\n, at a bare \\r and once at \\r\\n, with the offset after the first of them', () => {
    assert.deepEqual(split([text('a\nbb\r\nc\rd\n\ne')], 100), [
      ['a', 102],
      ['bb', 105],
      ['c', 108],
      ['d', 110],
      ['', 111],
      ['e', 112],
    ]);
  });

  it('gives the same lines however the bytes arrive', () => {
    const bytes = text(
      'step 1 loss=0,5 ✓ é\r\n10%|█ | loss=1\r 20%|██| loss=2\r\n\r\nüñí🙂\n\r\n\rlast 🙂 line',
    );
    const whole = split([bytes]);
    const random = seededRandom(7);
    for (let round = 0; round < 300; round++)
      assert.deepEqual(split(randomCuts(bytes, random)), whole);
    assert.deepEqual(split(Array.from(bytes, (byte) => Uint8Array.of(byte))), whole);
  });

  it('keeps its own copy of a partial line', () => {
    const splitter = new LineSplitter(0);
    const chunk = text('abc');
    splitter.push(chunk, () => assert.fail());
    chunk.fill(0x78);
    const lines: string[] = [];
    splitter.push(text('d\n'), (line) => lines.push(line));
    assert.deepEqual(lines, ['abcd']);
  });

  it('hands over the beginning of a line that is too long, and the lines after it whole', () => {
    for (const size of [1, 3, 7, 100]) {
      const bytes = text(`${'x'.repeat(40)}\nok=1\n`);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      assert.deepEqual(split(chunks, 0, 8), [
        ['xxxxxxxx', 41],
        ['ok=1', 46],
      ]);
    }
  });

  it('does not grow with a line that never ends', () => {
    const splitter = new LineSplitter(0);
    const chunk = new Uint8Array(1024 * 1024).fill(0x78);
    const before = process.memoryUsage().arrayBuffers;
    for (let megabyte = 0; megabyte < 100; megabyte++) splitter.push(chunk, () => assert.fail());
    assert.ok(process.memoryUsage().arrayBuffers - before < 8 * 1024 * 1024);
    assert.equal(splitter.received, 100 * 1024 * 1024);
    const lengths: number[] = [];
    splitter.push(text('\n'), (line) => lengths.push(line.length));
    assert.deepEqual(lengths, [1024 * 1024]);
  });
});
