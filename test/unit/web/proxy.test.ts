import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openDispatcher } from '../../../src/http/network.ts';
import { download } from '../../../src/web/download.ts';
import { WebFailure } from '../../../src/web/webFailure.ts';
import { TestProxy } from '../../fakes/httpProxy.ts';
import { page, publicAddress, seemingPublic, WebSite } from '../../fakes/webSite.ts';

describe('the web behind a proxy', () => {
  let site: WebSite;
  let proxy: TestProxy;
  beforeEach(async () => {
    site = await WebSite.open(page('through'));
    proxy = await TestProxy.start({ hosts: { 'only.proxy.test': site.port } });
  });
  afterEach(() => Promise.all([site.close(), proxy.close()]));

  const unknown = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));
  const get = (
    url: string,
    resolve = unknown as ReturnType<typeof seemingPublic>['resolve'],
    way = proxy.url,
  ) =>
    download(
      { url, accept: '*/*' },
      seemingPublic({
        ...(resolve && { resolve }),
        openDispatcher: (lookup) => openDispatcher({ proxy: way }, lookup),
      }),
      new AbortController().signal,
    );

  it('is reached by names that only the proxy knows', async () => {
    const { bytes } = await get(`http://only.proxy.test:${site.port}/`);
    assert.equal(new TextDecoder().decode(bytes), 'through');
    assert.equal(proxy.passed.length, 1);
  });

  it('has no private addresses either, as far as they are known here', async () => {
    const secret = (): Promise<{ address: string; family: number }[]> =>
      Promise.resolve([publicAddress, '10.0.0.1'].map((address) => ({ address, family: 4 })));
    for (const getting of [
      get(`http://127.0.0.1:${site.port}/`),
      get(`http://localhost:${site.port}/`),
      get('http://169.254.169.254/'),
      get('http://metadata.google.internal/'),
      get(`http://only.proxy.test:${site.port}/`, secret),
    ])
      await assert.rejects(
        getting,
        (error: unknown) => error instanceof WebFailure && error.reason === 'address',
      );
    assert.deepEqual([proxy.passed, site.asked], [[], []]);
  });

  it('is not gone to without it', async () => {
    const gone = proxy.url;
    await proxy.close();
    proxy = await TestProxy.start();
    await assert.rejects(get(`http://only.proxy.test:${site.port}/`, unknown, gone), WebFailure);
    assert.deepEqual(site.asked, []);
  });
});
