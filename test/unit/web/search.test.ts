import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { duckDuckGoSearch, searxngSearch, type SearchWeb } from '../../../src/web/search.ts';
import { WebFailure } from '../../../src/web/webFailure.ts';
import { page, seemingPublic, WebSite, type Handler } from '../../fakes/webSite.ts';

describe('searching the web without a model', () => {
  let site: WebSite;
  afterEach(() => site.close());

  const find = (search: SearchWeb, maxResults = 10) =>
    search({ query: 'muon optimizer & "learning rate"', maxResults }, new AbortController().signal);

  const refusal = async (search: SearchWeb): Promise<string> => {
    const error = await find(search).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    assert.ok(error instanceof WebFailure && error.reason === 'search', String(error));
    return error.message;
  };

  describe('with SearxNG', () => {
    const instance = async (handler: Handler, path = ''): Promise<SearchWeb> => {
      site = await WebSite.open(handler);
      // The user's own instance stands on this computer: it may, as they named it.
      return searxngSearch(site.url(path, '127.0.0.1'), seemingPublic());
    };
    const results = (...all: unknown[]): Handler =>
      page(JSON.stringify({ query: 'q', results: all }), 'application/json');

    it('asks for JSON and gives what it finds, each page once, cleaned and bounded', async () => {
      const search = await instance(
        results(
          {
            title: 'Muon\u001b[31m is\n good',
            url: 'https://a.org/1',
            content: 'x'.repeat(2000),
            engine: 'g',
          },
          { title: 'Again', url: 'https://a.org/1', content: '' },
          { title: 'A script', url: 'javascript:alert(1)' },
          { url: 'https://b.org/' },
          'nonsense',
          { title: 'Third', url: 'https://c.org/' },
        ),
        '/searx/',
      );
      const hits = await find(search, 3);
      assert.deepEqual(
        hits.map(({ title, url }) => [title, url]),
        [
          ['Muon is good', 'https://a.org/1'],
          ['', 'https://b.org/'],
          ['Third', 'https://c.org/'],
        ],
      );
      assert.equal(hits[0]?.snippet?.length, 500);
      assert.equal((await find(search, 1)).length, 1);
      const asked = new URL(site.asked[0] ?? '', 'http://x');
      assert.equal(asked.pathname, '/searx/search');
      assert.deepEqual(Object.fromEntries(asked.searchParams), {
        q: 'muon optimizer & "learning rate"',
        format: 'json',
      });
    });

    it('says what to set where it refuses JSON', async () => {
      const search = await instance((_request, response) => response.writeHead(403).end());
      assert.match(await refusal(search), /403.*settings\.yml.*json/);
    });

    it('says so where something else answers', async () => {
      for (const body of ['<html>', '{}', '[]', 'null', '{"results":7}']) {
        assert.match(await refusal(await instance(page(body))), /not a SearxNG instance/);
        await site.close();
      }
      site = await WebSite.open(page(''));
      assert.match(await refusal(searxngSearch('localhost', seemingPublic())), /Use one like http/);
    });

    it('finds nothing where there is nothing', async () => {
      const search = await instance(page(JSON.stringify({ results: [] })));
      assert.deepEqual(await find(search), []);
    });
  });

  describe('with DuckDuckGo', () => {
    const engine = async (handler: Handler): Promise<SearchWeb> => {
      site = await WebSite.open(handler);
      return duckDuckGoSearch(seemingPublic(), site.url('/html/'));
    };

    const hit = (href: string, title: string, snippet: string, kind = '') => `
      <div class="result results_links results_links_deep web-result ${kind}"><div class="links_main">
      <h2 class="result__title"><a rel="nofollow" class="result__a" href="${href}">${title}</a></h2>
      <a class="result__snippet" href="${href}">${snippet}</a></div></div>`;

    it('reads titles, addresses and words around, without advertisements', async () => {
      const search = await engine(
        page(`<html><body><div id="links" class="results">
          ${hit('https://duckduckgo.com/y.js?ad_domain=shop.example', 'Buy GPUs', 'now', 'result--ad')}
          ${hit('//duckduckgo.com/l/?uddg=https%3A%2F%2Farxiv.org%2Fabs%2F2502.16982%3Fa%3D1&amp;rut=abc', 'Muon is <b>Scalable</b>', 'for <b>LLM</b> &amp; more')}
          ${hit('https://kellerjordan.github.io/posts/muon/', 'Muon', '')}
          ${hit('//duckduckgo.com/l/?uddg=javascript%3Aalert(1)', 'Bad', 'bad')}
          ${hit('/settings', 'Its own', 'bad')}
          </div></body></html>`),
      );
      assert.deepEqual(await find(search), [
        {
          title: 'Muon is Scalable',
          url: 'https://arxiv.org/abs/2502.16982?a=1',
          snippet: 'for LLM & more',
        },
        { title: 'Muon', url: 'https://kellerjordan.github.io/posts/muon/' },
      ]);
      assert.equal(
        new URL(site.asked[0] ?? '', 'http://x').searchParams.get('q'),
        'muon optimizer & "learning rate"',
      );
    });

    it('finds nothing where there is nothing', async () => {
      assert.deepEqual(
        await find(await engine(page('<div class="no-results">No results.</div>'))),
        [],
      );
    });

    it('says that it is taken for a robot', async () => {
      const challenge =
        '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html"><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form>';
      assert.match(
        await refusal(await engine(page(challenge))),
        /blocked the search.*web_fetch.*searxngUrl/,
      );
      await site.close();
      assert.match(
        await refusal(await engine((_, response) => response.writeHead(202).end('wait'))),
        /blocked the search/,
      );
    });
  });
});
