import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import {
  bytePattern,
  linesBackwards,
  longestWordBytes,
} from '../../../src/storage/linesBackwards.ts';
import { random } from '../../fakes/random.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

async function allOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

const asLine = (text: string): string => JSON.stringify({ type: 'said', text });

describe('looking for words from the end of a file', () => {
  const folder = scratchFolder();
  const find = async (content: string, ...words: string[]): Promise<string[]> => {
    const file = join(folder(), 'lines.jsonl');
    writeFileSync(file, content);
    const patterns = words.map((word) => bytePattern(word, ['type']));
    return allOf(linesBackwards(file, patterns));
  };

  it('finds nothing in no file', async () => {
    assert.deepEqual(await allOf(linesBackwards(join(folder(), 'none'), [bytePattern('a')])), []);
  });

  it('gives whole lines, the last first, each once', async () => {
    const content = ['one loss', 'nothing', 'Loss and LOSS', 'last loss'].map(asLine).join('\n');
    const found = ['last loss', 'Loss and LOSS', 'one loss'].map(asLine);
    assert.deepEqual(await find(content, 'loss'), found);
    assert.deepEqual(await find(`${content}\n`, 'loss'), found);
  });

  it('wants all words in one line', async () => {
    const content = ['red green', 'green', 'red', 'green red'].map(asLine).join('\n');
    assert.deepEqual(await find(content, 'red', 'green'), ['green red', 'red green'].map(asLine));
  });

  const words: [string, string, boolean][] = [
    ['Größe ÄÖ', 'grÖSSE', false],
    ['Größe ÄÖ', 'GRÖßE', true],
    ['Größe ÄÖ', 'äö', true],
    ['say "hi" now', '"hi"', true],
    ['a\\b.c', '\\B.C', true],
    ['axb', 'a.b', false],
    ['naïve 数据', '数据', true],
    ['text is content', 'text', true],
    ['no field', 'text', false],
    ['no kind', 'said', false],
    ['he said', 'said', true],
  ];
  for (const [text, word, isThere] of words) {
    it(`${isThere ? 'finds' : 'does not find'} ${word} in ${text}`, async () => {
      assert.deepEqual(await find(`${asLine(text)}\n`, word), isThere ? [asLine(text)] : []);
    });
  }

  it('finds as much as looking at every line does, wherever blocks begin', async () => {
    const next = random(7);
    const lines = Array.from({ length: 400 }, (_, index) => {
      const filler = 'x'.repeat(Math.floor(next() ** 4 * 900_000 * (index % 40 === 0 ? 3 : 0.05)));
      return asLine(`${filler}${next() < 0.2 ? 'needle' : ''}${filler.slice(0, 70_000)}`);
    });
    const expected = lines.filter((line) => line.includes('needle')).reverse();
    assert.ok(expected.length > 20 && lines.join('\n').length > 10_000_000);
    assert.deepEqual(await find(lines.join('\n'), 'needle'), expected);
  });

  it('gives the same lines whatever is read at a time', async () => {
    const file = join(folder(), 'lines.jsonl');
    const next = random(11);
    for (let round = 0; round < 60; round += 1) {
      const lines = Array.from({ length: 12 }, () => {
        const filler = 'äx'.repeat(Math.floor(next() * 12));
        return asLine(next() < 0.4 ? `${filler}needle` : filler);
      });
      writeFileSync(file, lines.join('\n') + (next() < 0.5 ? '\n' : ''));
      const expected = lines.filter((line) => line.includes('needle')).reverse();
      const blockBytes = 1 + Math.floor(next() * 80);
      const found = await allOf(linesBackwards(file, [bytePattern('needle')], { blockBytes }));
      assert.deepEqual(found, expected, `round ${round}, ${blockBytes} bytes at a time`);
    }
  });

  it('finds a word of up to 1,024 bytes wherever pieces of 64 KB begin', async () => {
    const word = 'w'.repeat(longestWordBytes);
    for (const before of [0, 1, 2, longestWordBytes - 1, longestWordBytes, longestWordBytes + 1]) {
      const line = asLine(`${'x'.repeat(64 * 1024 - before - asLine('').length + 2)}${word}`);
      assert.deepEqual(await find(`${line}\n`, word), [line], `${before} bytes before`);
    }
  });

  it('stops with the reason of the signal', async () => {
    const file = join(folder(), 'lines.jsonl');
    writeFileSync(file, `${asLine('needle')}\n`);
    const stopped = linesBackwards(file, [bytePattern('needle')], {
      signal: AbortSignal.abort(new Error('enough')),
    });
    await assert.rejects(() => allOf(stopped), /enough/);
  });
});
