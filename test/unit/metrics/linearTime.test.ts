import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createLineParser } from '../../../src/metrics/lines/lineParser.ts';
import { LineSplitter } from '../../../src/metrics/lines/lineSplitter.ts';
import { readNumber } from '../../../src/metrics/lines/numberText.ts';
import { searchLines } from '../../../src/metrics/patterns/patternLines.ts';
import { assertInProportion } from '../../fakes/proportion.ts';

/** Parts of lines that are repeated up to the length of the line. */
const parts: Readonly<Record<string, readonly [start: string, part: string, end: string]>> = {
  'a fraction of digits': ['loss=0.5 / ', '1', ''],
  'digits before a bar': ['loss=0.5 / ', '1', ' ['],
  'a count of digits': ['loss=0.5 1/', '1', 'x'],
  'counts of bars': ['loss=0.5 ', '1/1 ', ''],
  'counts in brackets': ['loss=0.5 / ', '[1/', ''],
  brackets: ['loss=0.5 /', '[', ''],
  'brackets and spaces': ['loss=0.5 / ', '[ ', ''],
  'a bracket after spaces': ['loss=0.5 / epoch', ' ', '[1/2'],
  'a bracket before spaces': ['loss=0.5 / [', ' ', '1/2'],
  epochs: ['loss=0.5 / ', 'epoch: [', ''],
  spaces: ['loss', ' ', 'x'],
  'spaces after a sign': ['loss=', ' ', 'x'],
  'spaces after the number': ['loss=0.5', ' ', '/'],
  'spaces between qualifiers': ['train', ' ', 'loss=1'],
  qualifiers: ['', 'train ', 'loss=1'],
  letters: ['', 'a', '=1'],
  'a name of dots': ['loss=1 a', '.', 'a=1.5'],
  'a name of hyphens': ['loss=1 a', '-@', 'a=1.5'],
  underscores: ['a', '_', '=1'],
  'names without a number': ['loss=1 ', 'a=', ''],
  colons: ['loss=1 ', 'a: ', ''],
  arrows: ['loss=1 ', 'loss -> ', ''],
  pairs: ['', 'x=1', ''],
  digits: ['loss=', '1', 'x'],
  'digits in groups': ['loss=', '1,111', 'x'],
  'digits with underscores': ['loss=', '1_', 'x'],
  'digits of an exponent': ['loss=1e', '1', 'x'],
  'a fraction': ['loss=.', '1', 'x'],
  units: ['loss=1', 'a', '/s'],
  quotes: ['loss=1 ', '"a"', ''],
  tensors: ['', 'loss=tensor(', ''],
  'a tensor of spaces': ['loss=tensor(', ' ', 'x'],
  'a list': ['loss: [', '1, ', ']'],
  steps: ['loss=1 ', 'step_', ''],
  'paths of steps': ['loss=1 ', 'a/', 'step=1'],
  'steps without a number': ['loss=1 ', 'step ', ''],
  escapes: ['loss=1 ', '\u001b[', ''],
  'an escape of digits': ['loss=1 \u001b[', '1;', ''],
  'links of a terminal': ['loss=1 ', '\u001b]8;', ''],
  'a key of words': ['{"', 'a ', '":1}'],
  'a key of dots': ['{"a', '.', 'a":1}'],
  keys: ['{"a":1', ',"a a":1', '}'],
  'not finite values': ['{"a":1', ',"a":NaN ', '}'],
  'spaces before what is not finite': ['{"a":', ' ', 'NaN}'],
  'spaces after what is not finite': ['{"a":NaN', ' ', 'x}'],
  'nested lists': ['{"a":1,"b":', '[', '}'],
  'nested objects': ['{"a":1,"b":', '{"a":', '}'],
  'a string of digits': ['{"a":"', '1', 'x"}'],
  'a string of groups': ['{"a":"1', ',111', 'x"}'],
};

const readers: Readonly<Record<string, (line: string) => unknown>> = {
  names: (line) => points({ names: ['loss', 'val_loss', 'train/acc', 'F1 (macro)'] }, line),
  'names of counters': (line) => points({ names: ['loss', 'epoch', 'step'] }, line),
  detection: (line) => points({}, line),
  'the step beside a pattern': (line) =>
    searchLines({ patterns: [{ source: '^.*?(\\d)', lines: 1 }], text: line }, () => undefined),
  'a captured number': (line) => [readNumber(line), readNumber(line.slice(line.indexOf('=') + 1))],
  'split lines': (line) => {
    const splitter = new LineSplitter(0);
    const bytes = Buffer.from(line);
    const lines: string[] = [];
    for (let at = 0; at < bytes.length; at += 512)
      splitter.push(bytes.subarray(at, at + 512), (text) => lines.push(text));
    splitter.end((text) => lines.push(text));
    return lines;
  },
};

const points = (spec: { readonly names?: readonly string[] }, line: string): unknown[] => {
  const found: unknown[] = [];
  createLineParser(spec).parse(line, (...point) => found.push(point));
  return found;
};

describe('reading a line takes time in proportion to its length', () => {
  for (const [what, read] of Object.entries(readers))
    it(what, function () {
      this.timeout(300_000);
      for (const [name, [start, part, end]] of Object.entries(parts)) {
        const lineOf = (length: number): string => start + part.repeat(length / part.length) + end;
        for (const length of [10_000, 100_000])
          assertInProportion(
            (share) => read(lineOf(length * share)),
            `${name}, ${length} characters`,
          );
        // Reads it at all: what takes more than in proportion shows above, a stack that is full here.
        read(lineOf(1_000_000));
      }
    });

  it('a row of a table with bars, up to a separator of lines', () => {
    assertInProportion((share) => {
      const parser = createLineParser({});
      for (const line of ['epoch loss', `1${' 1%|'.repeat(30_000 * share)}\u2028x`])
        parser.parse(line, () => undefined);
    });
  });

  it('and memory too: long labels are no names of metrics', () => {
    assert.deepEqual(points({}, `loss=1 ${'a.b'.repeat(200)}=1.5`), [['loss', NaN, 1]]);
  });
});
