import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { clockTime, exactTime } from '../../../src/base/localTime.ts';
import { code, codeBlock, plain } from '../../../src/base/markdown.ts';
import { formatSpan, relativeTime } from '../../../src/base/span.ts';
import { verdictIcon } from '../../../src/vscode/ui/icons.ts';
import { startMs } from './states.ts';

describe('words of the views', () => {
  it('says spans in at most two units', () => {
    const spans: [number, string][] = [
      [-5, '0 s'],
      [59_999, '59 s'],
      [60_000, '1 min'],
      [7_800_000, '2 h 10 min'],
      [7_200_000, '2 h'],
      [90_000_000, '1 d 1 h'],
    ];
    for (const [spanMs, text] of spans) assert.equal(formatSpan(spanMs), text);
  });

  it('says times relative to now, and exactly', () => {
    assert.equal(relativeTime(startMs, startMs + 59_000), 'now');
    assert.equal(relativeTime(startMs, startMs + 720_000), '12 min ago');
    assert.equal(exactTime(startMs), '2026-11-20 14:03:27');
    assert.equal(clockTime(startMs, startMs + 1000), '14:03');
    assert.equal(clockTime(startMs, startMs + 86_400_000), '11-20 14:03');
  });

  it('leaves nothing in a text that Markdown would act on', () => {
    const hostile =
      '[x](command:evil) $(bug) ![i](http://x) <b>&lt; `c` **b** a|b # h\n- item\u001b[31m';
    const safe = plain(hostile);
    assert.ok(!/(?<!\\)([[\]`*|<&]|\$\()/.test(safe.replaceAll('&lt;', '')), safe);
    assert.equal(plain('http://x/<b>'), 'http://x/&lt;b>');
    assert.equal(plain('a < b'), 'a \\< b');
    assert.ok(!safe.includes('\n') && !safe.includes('\u001b'));
    assert.deepEqual(
      ['- a', '# a', '> a', '1. a', 'a-b 1.5 $5 (c)'].map((text) => plain(text)),
      ['\\- a', '\\# a', '\\> a', '1\\. a', 'a-b 1.5 $5 (c)'],
    );
  });

  it('fences code with more back-ticks than it holds', () => {
    assert.equal(codeBlock('a ``` b', 'sh'), '````sh\na ``` b\n````');
    assert.equal(code('a `b`'), '`` a `b` ``');
    assert.equal(code('  '), '');
  });

  it('tells verdicts apart by their icon, not by colour alone', () => {
    const icons = [
      verdictIcon(undefined),
      verdictIcon({ kind: 'ok' }),
      verdictIcon({ kind: 'failed', code: 1 }),
      verdictIcon({ kind: 'out_of_memory' }),
      verdictIcon({ kind: 'killed' }),
      verdictIcon({ kind: 'lost', why: 'x' }),
    ].map(({ id }) => id);
    assert.equal(new Set(icons).size, icons.length);
  });
});
