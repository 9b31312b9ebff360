import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Redactor } from '../../../../src/base/secrets/redactor.ts';
import { gitLog, sourceTexts, trainingOutput } from '../../../fakes/honestLines.ts';

/** `npm run honest` reads everything; otherwise, the test takes a few seconds. */
const isLong = process.env['HELIOS_HONEST'] === 'all';
const sourceLines = isLong ? Infinity : 60_000;
const trainingLines = isLong ? 1_000_000 : 40_000;

describe('Redactor on lines without secrets', () => {
  it('changes at most one of 10,000', () => {
    const redactor = new Redactor();
    const counts = { lines: 0, changed: 0 };
    const changed: string[] = [];
    const read = (text: string): void => {
      counts.lines += text.split('\n').length;
      const starts = redactor.find(text).map(({ start }) => text.lastIndexOf('\n', start - 1) + 1);
      for (const start of new Set(starts)) {
        counts.changed += 1;
        changed.push(text.slice(start, start + 200).split('\n')[0] ?? '');
      }
    };
    read(trainingOutput(trainingLines));
    assert.equal(counts.changed, 0, changed.join('\n'));
    for (const text of sourceTexts('node_modules')) {
      if (counts.lines > trainingLines + sourceLines) break;
      read(text);
    }
    read(gitLog(isLong ? 10_000 : 3));
    if (isLong)
      console.info(`      ${counts.changed} of ${counts.lines} lines\n${changed.join('\n')}`);
    assert.ok(counts.lines >= 100_000, `${counts.lines} lines`);
    assert.ok(counts.changed * 10_000 <= counts.lines, changed.join('\n'));
  });
});
