import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { parseHTML } from 'linkedom';
import { markdown } from '../../../webview/session/markdown.ts';
import { random, seedOf } from '../../fakes/random.ts';

const program = fileURLToPath(new URL('../../fakes/parseMarkdown.ts', import.meta.url));
/** Far more than a text needs in linear time; in quadratic time, hours are not enough. */
const deadlineMs = 50_000;

describe('Markdown of the session view', () => {
  const { document } = globalThis;
  before(() => (globalThis.document = parseHTML('<!doctype html>').document));
  after(() => (globalThis.document = document));

  const html = (text: string): string =>
    markdown(text).innerHTML.replace(/<div [^>]*class="heading">/g, '<h>');

  const cases: readonly (readonly [text: string, html: string])[] = [
    ['a `b*c*` d', '<p>a <code>b*c*</code> d</p>'],
    ['``a ` b`` `c', '<p><code>a ` b</code> `c</p>'],
    ['**a `b` *c*** d', '<p><strong>a <code>b</code> *c</strong>* d</p>'],
    ['**a** *b* _c_', '<p><strong>a</strong> <em>b</em> <em>c</em></p>'],
    ['_a **b** c_', '<p><em>a <strong>b</strong> c</em></p>'],
    ['train_loss val_loss __init__ 2*3*4', '<p>train_loss val_loss __init__ 2*3*4</p>'],
    ['2 * 3 * 4, ** a **, *a', '<p>2 * 3 * 4, ** a **, *a</p>'],
    ['[a](https://b "t") ![c](d) [e](e) [f] (g)', '<p>a (https://b) c (d) e [f] (g)</p>'],
    ['[a](b', '<p>[a](b</p>'],
    ['<img src=x>', '<p>&lt;img src=x&gt;</p>'],
    ['# a\rb\u2028c', '<h>a</div><p>b\nc</p>'],
    [
      '|a|b|\n|:-|-:|\n|1|',
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>',
    ],
    ['a | b\n- | x', '<p>a | b</p><ul><li>| x</li></ul>'],
  ];
  for (const [text, expected] of cases)
    it(`formats ${JSON.stringify(text)}`, () => assert.equal(html(text), expected));

  it('loses no word of a text', () => {
    const next = random(seedOf('MARKDOWN_SEED', 20_261_123));
    const parts = ['a1', ' ', '\n', '`', '``', '*', '**', '_', '[', '](', ')', '!', '|', '- ', '#'];
    for (let at = 0; at < 2_000; at += 1) {
      const words = Array.from({ length: 30 }, (_, place) => {
        const part = parts[Math.floor(next() * parts.length)] ?? '';
        return part === 'a1' ? `w${place}` : part;
      });
      const text = words.join('');
      const shown = markdown(text).textContent;
      const missing = [...text.matchAll(/w\d+/g)].filter(([word]) => !shown.includes(word));
      // The title of a link and the information of a fence are not shown.
      if (!/\([^)]*\s|```/.test(text)) assert.deepEqual(missing, [], JSON.stringify(text));
    }
  });

  const count = 100_000;
  const long: Readonly<Record<string, string>> = {
    'links without an end': '[]('.repeat(count),
    brackets: '['.repeat(count),
    'images without an end': '![a'.repeat(count),
    backticks: Array.from({ length: 600 }, (_, at) => `${'`'.repeat(at)} `).join(''),
    'emphasis without an end': '*a '.repeat(count),
    'bold text without an end': '**a '.repeat(count),
    'both marks without an end': '_a *b '.repeat(count),
    'bold text in bold text': `${'**a'.repeat(count)}**`,
    'a link without an address': `[a](${' '.repeat(count)}`,
    'the rule of a table': `|a\n-|${' '.repeat(count)}x`,
    'a heading with a carriage return': `#${' '.repeat(count)}a\rb`,
    'a list item with a separator': `-${' '.repeat(count)}a\u2028b`,
    'many cells': `${'|'.repeat(2 * count)}\n|-|`,
    'code after code': '`a`'.repeat(count),
    'a rule of dashes': `${'- '.repeat(count)}x`,
  };
  it('is formatted in linear time, whatever its marks', function () {
    this.timeout(2 * deadlineMs);
    const { stdout, stderr, signal } = spawnSync(process.execPath, [program], {
      input: JSON.stringify(Object.values(long)),
      encoding: 'utf8',
      timeout: deadlineMs,
    });
    const done = stdout.split('\n').length - 1;
    assert.equal(signal, null, `${Object.keys(long)[done]} took too long`);
    assert.equal(done, Object.keys(long).length, stderr);
  });
});
