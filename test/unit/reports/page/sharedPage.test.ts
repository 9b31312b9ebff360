import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'mocha';
import { DOMParser } from 'linkedom';
import { homeShortener, mapTexts } from '../../../../src/reports/page/cleanFacts.ts';
import { buildPage, maxPageBytes } from '../../../../src/reports/page/sharedPage.ts';
import { fullNight, lossOf, Night } from '../../../fakes/nights.ts';
import {
  hostileNight,
  pageOf,
  readPoints,
  seriesOf,
  treeNight,
} from '../../../fakes/sharedPages.ts';

interface Found {
  readonly textContent: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  readonly localName: string;
}

let last: { readonly page: string; readonly document: ReturnType<typeof parse> } | undefined;
const parse = (page: string) => new DOMParser().parseFromString(page, 'text/html');

function all(page: string, selector: string): readonly Found[] {
  const parsed = last?.page === page ? last.document : parse(page);
  last = { page, document: parsed };
  return Array.from(parsed.querySelectorAll(selector) as Iterable<Found>);
}

const attributesOf = (page: string, selector: string, name: string): (string | undefined)[] =>
  all(page, selector).map(
    ({ attributes }) => Array.from(attributes).find((one) => one.name === name)?.value,
  );

const textsOf = (page: string, selector: string): string[] =>
  all(page, selector).map(({ textContent }) => textContent.trim());

describe('a shared page', () => {
  it('has the headline, the brief, charts, the ledger, the runs and what happened', async () => {
    const page = await pageOf(fullNight());
    assert.deepEqual(textsOf(page, 'h1'), ['bring loss < 0.8 on TinyStories']);
    for (const title of ['Charts', 'Champion', 'What was tried', 'Ledger', 'Runs', 'Timeline'])
      assert.ok(textsOf(page, 'h2').includes(title), `${title} in ${textsOf(page, 'h2').join()}`);
    assert.ok(textsOf(page, '.figures dd').some((text) => /^loss 0\.931 ± /.test(text)));
    assert.equal(all(page, 'figure svg').length, 2);
    assert.ok(textsOf(page, 'figure text').includes('loss < 0.8'), 'the goal');
    const [champion = ''] = textsOf(page, '#ledger tr.champion');
    assert.match(
      champion,
      /^e4 ★ champion.*0\.931 ±.*keep.*Cosine decay helps.*loss fell to 0\.912/s,
    );
    assert.ok(textsOf(page, '.timeline li').some((text) => /Paused by an error/.test(text)));
    assert.ok(all(page, '#run-4').length === 1, 'links of the brief lead to the table of runs');
  });

  it('allows its own script and styles by their hashes, and nothing else', async () => {
    const page = await pageOf(fullNight());
    const [, policy = ''] =
      /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const digest = (text: string): string =>
      `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, text = '']) => text);
    const styles = [...page.matchAll(/<style>([^]*?)<\/style>/g)].map(([, text = '']) => text);
    assert.equal(scripts.length, 1);
    assert.deepEqual(policy.split('; '), [
      "default-src 'none'",
      `script-src ${scripts.map(digest).join(' ')}`,
      `style-src ${[...new Set(styles)].map(digest).join(' ')}`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    assert.ok(
      page.indexOf('Content-Security-Policy') < page.indexOf('<style>'),
      'is in force before',
    );
  });

  it('makes no HTML, attribute or address of hostile texts, in any field', async () => {
    const page = await pageOf(hostileNight());
    const allowed =
      /^(?:html|head|meta|title|style|body|main|header|footer|section|div|span|h1|h2|p|ul|ol|li|dl|dt|dd|b|em|br|a|code|blockquote|table|thead|tbody|tr|th|td|time|figure|figcaption|script|svg|g|path|line|circle|text|desc)$/;
    const names =
      /^(?:class|id|href|role|tabindex|scope|datetime|lang|charset|http-equiv|content|name|aria-[a-z]+|data-(?:x|y|line|entry)|xmlns|width|height|viewBox|viewbox|d|x|y|r|cx|cy|x1|x2|y1|y2|fill|text-anchor)$/;
    for (const { localName, attributes } of all(page, '*')) {
      assert.match(localName, allowed);
      for (const { name, value } of attributes) {
        assert.match(name, names, `${localName} ${name}`);
        if (name === 'href') assert.match(value, /^#[\w-]+$/);
      }
    }
    assert.equal(all(page, 'script').length, 1);
    assert.equal(all(page, '#charts').length, 1, 'no anchor of a text');
    assert.ok(
      textsOf(page, 'h1')[0]?.includes('<img src=x onerror=window.hacked=1>'),
      'is shown as text',
    );
    const bidi = /line⟨U\+2028⟩separator⟨U\+2029⟩bidi⟨U\+202E⟩⟨U\+2066⟩ zero⟨U\+200B⟩ red/;
    assert.ok(all(page, 'td, li, p').some(({ textContent }) => bidi.test(textContent)));
    assert.doesNotMatch(page, /[\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\u001b]/);
    assert.ok(page.isWellFormed());
    assert.ok(Buffer.byteLength(page) < 300_000, 'huge texts are cut');
  });

  it('stays below its limit for a thousand runs of many points, and says what it leaves out', async function () {
    this.timeout(60_000);
    const night = new Night('bring loss below 0.3, mean over seeds 0-1');
    for (let number = 1; number <= 500; number += 1)
      night.experiment(
        {
          hypothesis: `try ${number}: ${'a long hypothesis '.repeat(12)}`,
          decision: { is: number % 10 === 0 ? 'keep' : 'discard', why: 'a reason '.repeat(30) },
        },
        ...[0, 1].map((seed) => ({
          metrics: [0, 1, 2, 3].map((index) =>
            lossOf(number / 10 + seed / 100, index === 0 ? {} : { metric: `val/loss_${index}` }),
          ),
          command: `train --lr ${number} --seed ${seed} --out ${'folder/'.repeat(10)}`,
        })),
      );
    const page = await pageOf(night.end('user', 'Stopped.'), () =>
      Promise.resolve(seriesOf(4_000)),
    );
    assert.ok(Buffer.byteLength(page) <= maxPageBytes, `${Buffer.byteLength(page)}`);
    assert.equal(all(page, 'figure').length, 5);
    assert.match(
      textsOf(page, 'p.muted').join(),
      /\d+ steps left out, so that this file stays small/,
    );
  });

  it('shows the champion, what was kept and the newest of ten thousand runs', async function () {
    this.timeout(60_000);
    const night = new Night();
    night.experiment(
      { hypothesis: 'h', decision: { is: 'keep', why: 'best' } },
      { loss: 0.1, command: 'train --lr 0' },
    );
    for (let number = 1; number <= 9; number += 1)
      night.experiment(
        { hypothesis: 'h'.repeat(300) },
        { loss: number, command: `train --lr ${number}` },
      );
    const brief = night.facts();
    const many = Array.from({ length: 10_000 }, (_, index) => index);
    const experiments = many.map((index) => ({
      ...brief.ledger.experiments[index === 0 ? 0 : 1 + (index % 9)]!,
      id: `e${index + 1}`,
    }));
    const runs = many.map((index) => ({ ...brief.runs[index % 10]!, number: index + 1 }));
    const facts = { ...brief, runs, ledger: { ...brief.ledger, experiments } };
    const page = await buildPage({ brief: facts, steps: [], nowMs: 0 }, readPoints);
    assert.ok(Buffer.byteLength(page) <= maxPageBytes, `${Buffer.byteLength(page)}`);
    assert.equal(all(page, '#ledger-e1, #ledger-e10000, #run-10000').length, 3);
    assert.equal(all(page, '#ledger-e2, #run-1').length, 0);
    const notes = textsOf(page, 'p.muted').join();
    assert.match(notes, /\d+ experiments left out.*The newest \d+ runs of 10000\./s);
  });

  it('shows which experiment built on which, with value and verdict, and leads to the ledger', async () => {
    const page = await pageOf(treeNight());
    assert.deepEqual(textsOf(page, '.tree li'), [
      'e1 1.41 ± 0.0141 keep The recipe as it is gives a baseline',
      'e2 0.96 ± 0.0141 keep Cosine decay helps · from e1',
      'e4 0.94 ± 0.0141 keep, champion Label smoothing on top of the decay · from e2',
      'e6 0.98 ± 0.0141 discard A longer warm-up · from e4',
      'e5  crash Twice the batch · from e2',
      'e3 1.91 ± 0.0141 discard A higher rate learns faster · from e1',
    ]);
    assert.deepEqual(attributesOf(page, '.tree li', 'aria-level'), ['1', '2', '3', '4', '3', '2']);
    for (const href of attributesOf(page, 'a[href]', 'href'))
      assert.equal(all(page, href ?? '').length, 1, href);
  });

  it('says so where nothing was started', async () => {
    const page = await pageOf(new Night().end('user', 'Stopped.'));
    assert.ok(textsOf(page, '#ledger p').includes('No experiment was started.'));
    assert.equal(all(page, 'figure, #tree, #runs').length, 0);
  });
});

describe('the texts of a shared page', () => {
  it('are replaced wherever they are, and objects stay the same objects', () => {
    const shared = { text: 'secret' };
    const value = {
      shared,
      list: [shared, 'secret', 7],
      map: new Map([['secret', shared]]),
      set: new Set(['secret']),
    };
    const mapped = mapTexts({ ...value, self: value }, (text) => text.toUpperCase());
    assert.equal(mapped.list[0], mapped.shared);
    assert.deepEqual(mapped.list, [{ text: 'SECRET' }, 'SECRET', 7]);
    assert.deepEqual([...mapped.map], [['SECRET', { text: 'SECRET' }]]);
    assert.deepEqual([...mapped.set], ['SECRET']);
    assert.equal(mapped.self.list[0], mapped.shared);
    assert.equal(shared.text, 'secret');
  });

  it('name no home folder, of this computer or of another', () => {
    const shorten = homeShortener('/srv/people/ada');
    for (const [text, shown] of [
      ['/srv/people/ada/x.py', '~/x.py'],
      ['cd /srv/people/ada', 'cd ~'],
      ['--out=/srv/people/ada/.helios/runs', '--out=~/.helios/runs'],
      ['/srv/people/adam/x.py', '/srv/people/adam/x.py'],
      ['/mnt/srv/people/ada', '/mnt/srv/people/ada'],
      ['"/home/bob/x y"', '"~/x y"'],
      ['gpu1:/Users/bob', 'gpu1:~'],
      ['C:\\Users\\Bob Lee\\x', '~ Lee\\x'],
      ['/home', '/home'],
    ] as const)
      assert.equal(shorten(text), shown);
    assert.equal(homeShortener('/root/')('/root/a /rooted ~/root'), '~/a /rooted ~/root');
  });
});
