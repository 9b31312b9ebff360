import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'mocha';
import { askedReading, detectedReading } from '../../../src/metrics/lines/labels.ts';
import {
  anyName,
  pairExpression,
  scanLine,
  type Pair,
} from '../../../src/metrics/lines/lineFormats.ts';
import { createLineParser } from '../../../src/metrics/lines/lineParser.ts';
import { PlainPairs } from '../../../src/metrics/lines/plainPairs.ts';
import { askedWords, detectedWords } from '../../../src/metrics/lines/words.ts';
import { logLine } from './logLines.ts';
import { seededRandom } from './randomCuts.ts';

const seed = Number(process.env.HELIOS_LINES_SEED ?? 20_261_128);
const lineCount = 20_000;

/** The pairs as texts, with all that is told of them. */
const shown = ({ label, value, total, sign, isMeasured }: Pair): string =>
  `${label}|${Object.is(value, -0) ? '-0' : value}|${total}|${sign}|${sign === 'clear' || isMeasured}`;

describe(`Reading plain pairs (HELIOS_LINES_SEED=${seed})`, () => {
  const asked = ['loss', 'val_loss', 'acc', 'lr', 'grad_norm', 'global_step', 'f1'];
  const sources = asked.map((name) => name.replace('_', '[\\s_./-]'));
  const reading = askedReading(asked);
  const words = askedWords(asked, sources.join('|'), reading);
  assert.ok(words);
  const detected = detectedReading();
  for (const [what, plain, names] of [
    ['of asked names', new PlainPairs({ wordOf: words, reading }), sources.join('|')],
    [
      'of any name',
      new PlainPairs({ wordOf: detectedWords(detected), reading: detected }),
      anyName,
    ],
  ] as const)
    it(`gives the pairs ${what} that the expression finds, or leaves the line to it`, () => {
      const expression = pairExpression(names);
      const random = seededRandom(seed);
      let read = 0;
      for (let count = 0; count < lineCount; count++) {
        const line = logLine(random);
        if (line.startsWith('{"')) continue;
        const [found, expected]: [string[], string[]] = [[], []];
        if (!plain.read(line, (pair) => found.push(shown(pair)))) continue;
        scanLine(expression, line, (pair) => expected.push(shown(pair)));
        assert.deepEqual(found, expected, JSON.stringify(line));
        if (found.length > 0) read++;
      }
      assert.ok(read > lineCount / 100, `only ${read} lines with pairs`);
    });
});

describe('Points of lines made at random', () => {
  const specs = [
    {},
    { names: ['loss', 'val_loss', 'acc', 'lr', 'train/loss', 'F1'] },
    { names: ['norm', 'step', 'acc@1', 'a.b', 'x', 'my_loss', 'grad norm'] },
    { names: ['global_step', 'epoch', 'it', 'total_loss', 'tokens/s'] },
    { names: ['f1 (macro)', 'loss', '_', 'nan', 'inf'] },
    { names: ['median', 'median_ms', 'k', 'e5', 'best_val_loss'] },
  ];
  /**
   * Recorded before there were plain pairs, when the expression read every line; a counter is its
   * number since then, and no share of its total.
   */
  const recorded = '9826626004518e51';

  it('are those that the expression alone has found', () => {
    const hash = createHash('sha256');
    for (const spec of specs) {
      const random = seededRandom(7);
      const parser = createLineParser(spec, (header) => hash.update(`header ${header}\n`));
      for (let count = 0; count < lineCount; count++) {
        parser.parse(logLine(random), (metric, step, value) =>
          hash.update(`${count} ${metric} ${step} ${Object.is(value, -0) ? '-0' : value}\n`),
        );
      }
    }
    assert.equal(hash.digest('hex').slice(0, 16), recorded);
  });
});
