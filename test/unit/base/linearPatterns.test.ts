import assert from 'node:assert/strict';
import { parseHTML } from 'linkedom';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { readCalls } from '../../../src/models/textTools/readCalls.ts';
import { ReplyScanner } from '../../../src/models/textTools/replyScanner.ts';
import { secretsNamedIn } from '../../../src/notify/secretText.ts';
import { briefForChat } from '../../../src/vscode/reports/briefText.ts';
import { cleanPage } from '../../../src/web/fetchPage.ts';
import { markdown } from '../../../webview/session/markdown.ts';
import { assertInProportion } from '../../fakes/proportion.ts';

type Case = readonly [start: string, part: string, end: string];

/** Reads a text of each of the sizes, in time that grows with the size. */
function check(read: (text: string) => unknown, cases: Readonly<Record<string, Case>>): void {
  for (const [what, [start, part, end]] of Object.entries(cases))
    it(what, () => {
      for (const length of [4_000, 40_000])
        assertInProportion(
          (share) => read(start + part.repeat((length * share) / part.length) + end),
          `${length} characters`,
        );
    });
}

const spaces: Case = ['a', ' ', 'b'];

describe('a text takes time in proportion to its length', () => {
  describe('as a page of the web', () => {
    check(cleanPage, { spaces, tabs: ['a', '\t', 'b'], 'line breaks': ['a', '\n', 'b'] });
    it('that loses only the spaces at the ends of its lines', () => {
      assert.equal(cleanPage('a  b \t\nc\n\n\n d  '), 'a  b\nc\n\n d');
    });
  });

  describe('as a call written by a model', () => {
    const read = (text: string): unknown => readCalls({ body: text, isClosed: true }, []);
    const call = '{"tool": "x", "args": {}}';
    check(read, {
      tokens: [call, '<|a|>', '!'],
      fences: [call, '```', '!'],
      'spaces of a broken call': ['{"tool": "x", "args": {"a": "', ' ', 'x'],
      brackets: [call, '}', 'x'],
    });
  });

  describe('as a reply of a model', () => {
    const read = (text: string): unknown => {
      const scanner = new ReplyScanner(true);
      return [...scanner.push(text), ...scanner.end()];
    };
    check(read, {
      spaces: ['```\n', ' ', 'b'],
      'line breaks': ['a', '\n', 'b'],
      tildes: ['a\n', '~', '\rb'],
    });
  });

  describe('as settings and briefs', () => {
    check(secretsNamedIn, { references: ['', '${secret:', ''] });
    check(briefForChat, { images: ['', '![](', ''], 'ends of images': ['![', '](', ''] });
  });

  describe('as Markdown in the session view', () => {
    const scope = globalThis as { document?: unknown };
    let before: unknown;
    beforeEach(() => {
      before = scope.document;
      scope.document = parseHTML('<html></html>').document;
    });
    afterEach(() => {
      scope.document = before;
    });

    check(markdown, {
      links: ['', '[](', ''],
      brackets: ['', '[', ''],
      'spaces of a link': ['[](', ' ', ''],
      'bold marks': ['', '**a', ''],
      'code marks': ['', '`a``', ''],
      emphasis: ['', ' _a', ''],
      'rules of tables': ['a|b\n', ' ', 'x'],
      'cells of rules': ['a|b\n', '- |', 'x'],
      'a heading': ['# ', ' ', 'x\u2028y'],
      'a list': ['- ', ' ', 'x\u2028y'],
      'a horizontal rule': ['', '- ', 'x'],
    });

    it('keeps what it means', () => {
      const html = (text: string): string =>
        [...markdown(text).childNodes].map(String).join('').replaceAll('\n', ' ');
      assert.equal(
        html('# A **b `c`**\n[d](http://e "f") _g_ ![h](i)'),
        '<div aria-level="4" role="heading" class="heading">A <strong>b <code>c</code></strong></div>' +
          '<p>d (http://e) <em>g</em> h (i)</p>',
      );
      assert.match(html('a|b\n-|:-:\n1|2'), /<th>a<\/th><th>b<\/th>.*<td>1<\/td><td>2<\/td>/);
      assert.match(html('|a|\n|---|\n|1|'), /<th>a<\/th>.*<td>1<\/td>/);
      assert.match(html('a|b\nc|d'), /<p>a\|b c\|d<\/p>/);
    });
  });
});
