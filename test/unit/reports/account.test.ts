import assert from 'node:assert/strict';
import { marked } from 'marked';
import { describe, it } from 'mocha';
import { accountText } from '../../../src/reports/account.ts';
import { nightOf } from '../../../src/reports/night.ts';
import { Night } from '../../fakes/nights.ts';

function render(account: string): { readonly text: string; readonly html: string } {
  const night = new Night('test_ppl lower');
  night.run({ loss: 0.5 });
  const text = accountText(account, nightOf(night.facts()).known);
  return { text, html: marked.parse(text, { async: false }) };
}

describe('the account of a model', () => {
  it('keeps its table, its lists, its emphasis and its links', () => {
    const rows = Array.from({ length: 9 }, (_, row) => `| LSTM ${row} | 0.5 | run 1 |`);
    const { html } = render(
      [
        'We **kept** it, see [the paper](https://example.org/a?b=c) and [notes](notes.md#two).',
        '',
        '| setting | loss | run |',
        '|---|---|---|',
        ...rows,
        '',
        '- one',
        '- two',
        '',
        '```python',
        'if a < b and x["y"]: <b>',
        '```',
      ].join('\n'),
    );
    assert.equal(html.match(/<tr>/g)?.length, 10);
    assert.match(
      html,
      /<strong>kept<\/strong>.*href="https:\/\/example\.org\/a\?b=c".*href="notes\.md#two"/,
    );
    assert.equal(html.match(/<li>/g)?.length, 2);
    assert.match(
      html,
      /<code class="language-python">if a &lt; b and x\[&quot;y&quot;\]: &lt;b&gt;/,
    );
  });

  it('has its unmeasured numbers marked, and listed below it', () => {
    const { text, html } = render('It went from 0.5 to 0.25.\n\n| loss |\n|---|\n| 0.125 |');
    assert.match(text, /^> It went from 0\.5 to 0\.25†\.\n/);
    assert.match(text, /\n\n† Not measured by any run: 0\.25, 0\.125$/);
    assert.match(html, /<td>0\.125†<\/td>/);
    assert.doesNotMatch(render('It is 0.5.').text, /†/);
  });

  it('lists numbers that were imported apart from those that nothing measured', () => {
    const night = new Night('test_ppl lower');
    night.run({ loss: 0.5 });
    const facts = night.facts();
    const source = { id: 'i1#1', source: '/data/log.csv', commit: '', description: 'log.csv' };
    const one = {
      ...source,
      metric: 'loss',
      status: 'unknown',
      values: { loss: [0.25, 0.2] },
    } as const;
    const { known } = nightOf({ ...facts, ledger: { ...facts.ledger, imported: [one] } });
    assert.match(
      accountText('It went from 0.5 to 0.25, then 0.125.', known),
      /0\.25†, then 0\.125†\.\n\n† Not measured by any run: 0\.125 {2}\n† Imported, not measured by Helios: 0\.25$/,
    );
  });

  const hostile: readonly (readonly [string, string])[] = [
    [
      'raw HTML',
      '<img src=x onerror=alert(1)> <script>alert(1)</script> <!-- --> </blockquote> <?x?>',
    ],
    ['HTML between backticks of two lines', 'a `b\nc` <img src=x> `d'],
    ['HTML behind a list with an indented fence', '- a\n\n  ```\n  b\n\n<img src=x>'],
    ['HTML behind what is no fence', '``` a ` b\n<img src=x>\n\t```\n<img src=y>'],
    ['HTML behind a longer fence', '````\n```\n````\n<img src=x>'],
    ['an image', '![p](http://evil/x.png) ![p][r]\n\n[r]: http://evil/y.png'],
    ['a command', '[run 1](command:evil) [x]( vscode://a) [y](<command:evil>) [z](\ncommand:evil)'],
    ['a hidden scheme', '[a](javascript&#58;alert(1)) [b](command\\:evil) [c](&#99;ommand:evil)'],
    ['a definition', '[a]\n\n- [a]: command:evil\n\n> [b]: command:evil\n\n[b]'],
    ['an address of the system', '[a](file:///etc/passwd) [b](//evil/x) [c](data:text/html,x)'],
  ];
  for (const [name, account] of hostile)
    it(`lets ${name} not pass`, () => {
      const { html } = render(account);
      const outside = html.replace(/<pre>[^]*?<\/pre>/g, '').replace(/<code>[^]*?<\/code>/g, '');
      assert.doesNotMatch(
        outside,
        /<(?!\/?(?:blockquote|p|ul|li|a|em|strong|code|pre|hr)\b)/,
        html,
      );
      assert.doesNotMatch(outside, /(?:href|src)="(?!https?:\/\/|#|[\w./-]+")/, html);
    });

  it('makes no heading of the rank of the report', () => {
    const { html } = render('# Champion\n\nabc\n===\n\ndef\n---');
    assert.doesNotMatch(html, /<h[1-3]/);
    assert.match(html, /<h4>Champion/);
  });
});
