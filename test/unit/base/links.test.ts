import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { linkForm, linksIn, linksOfUser } from '../../../src/base/links.ts';

describe('links', () => {
  it('are the same where a request would be the same', () => {
    assert.equal(linkForm('HTTPS://Example.ORG:443/a/../b?c#part'), 'https://example.org/b?c');
    assert.equal(linkForm('http://example.org'), 'http://example.org/');
    assert.notEqual(linkForm('https://example.org/a'), linkForm('https://example.org/a/'));
    assert.notEqual(linkForm('https://example.org/a?d=1'), linkForm('https://example.org/a'));
    for (const none of ['mailto:a@b.org', 'file:///etc/passwd', 'example.org', ''])
      assert.equal(linkForm(none), undefined);
  });

  const cases: readonly (readonly [text: string, ...links: string[]])[] = [
    ['See https://a.org/x.', 'https://a.org/x.', 'https://a.org/x'],
    ['[text](https://a.org/b_(c)), and more', 'https://a.org/b_(c)'],
    ['[text](https://a.org/b_\\(c\\))', 'https://a.org/b_(c)'],
    ['[https://a.org/x](https://b.org/y)', 'https://a.org/x', 'https://b.org/y'],
    ['<https://a.org/x?y=1&z=2>', 'https://a.org/x?y=1&z=2'],
    ['a\\_b at https://a.org/a\\_b', 'https://a.org/a_b'],
    ['https://a.org/x https://a.org/x#top', 'https://a.org/x'],
    ['ftp://a.org http:// https://', ...[]],
  ];
  for (const [text, ...links] of cases)
    it(`are read in ${text}`, () => {
      const found = linksIn(text, 10);
      for (const link of links) assert.ok(found.includes(link), `${link} in ${found.join(' ')}`);
      assert.ok(found.every((link) => text.replaceAll('\\', '').includes(link.slice(0, 12))));
    });

  it('do not grow with what stands after them', () =>
    assert.ok(linksIn(`https://a.org/${')'.repeat(50_000)}`, 10).length <= 5));

  it('are at most as many as asked for', () => {
    const many = Array.from({ length: 50 }, (_, index) => `https://a.org/${index}`).join(' ');
    assert.equal(linksIn(many, 7).length, 7);
  });

  it('of a user need no scheme', () => {
    const found = linksOfUser('Reproduce arxiv.org/abs/1706.03762, ada@lab.org.', 20);
    assert.ok(found.includes('https://arxiv.org/abs/1706.03762'));
    assert.ok(found.includes('http://arxiv.org/abs/1706.03762'));
    assert.ok(!found.includes('https://lab.org/'));
    assert.deepEqual(linksIn('arxiv.org/abs/1706.03762', 20), []);
  });
});
