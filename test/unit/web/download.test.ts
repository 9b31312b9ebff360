import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, it } from 'mocha';
import { download, type Download, type WebOptions } from '../../../src/web/download.ts';
import type { Resolve } from '../../../src/web/pinned.ts';
import { WebFailure, type WebFailureReason } from '../../../src/web/webFailure.ts';
import { page, publicAddress, seemingPublic, WebSite, type Handler } from '../../fakes/webSite.ts';

describe('a download', () => {
  let sites: WebSite[] = [];
  const open = async (handler: Handler): Promise<WebSite> => {
    const site = await WebSite.open(handler);
    sites.push(site);
    return site;
  };
  afterEach(async () => {
    await Promise.all(sites.map((site) => site.close()));
    sites = [];
  });

  const get = (
    url: string,
    options: WebOptions = seemingPublic(),
    signal = new AbortController().signal,
  ) => download({ url, accept: '*/*' }, options, signal);

  const fails = async (
    downloading: Promise<Download>,
    reason: WebFailureReason,
  ): Promise<string> => {
    const error = await downloading.then(
      () => undefined,
      (failure: unknown) => failure,
    );
    assert.ok(error instanceof WebFailure, String(error));
    assert.equal(error.reason, reason);
    return error.message;
  };

  const to =
    (location: string): Handler =>
    (_request, response) =>
      response.writeHead(302, { location }).end();

  it('gives the bytes, and says honestly who asks, without cookies and credentials', async () => {
    const site = await open(page('Grüße', 'Text/HTML; Charset="UTF-8"', { 'set-cookie': 'id=1' }));
    const got = await get(site.url('/a?b=c'));
    assert.deepEqual(
      [got.url, got.mediaType, got.charset, got.isCut],
      [site.url('/a?b=c'), 'text/html', 'UTF-8', false],
    );
    assert.equal(new TextDecoder().decode(got.bytes), 'Grüße');
    await get(site.url('/'));
    assert.equal(site.headers[1]?.['user-agent'], 'Helios/test');
    for (const name of ['cookie', 'authorization', 'referer', 'origin'])
      assert.equal(site.headers[1]?.[name], undefined);
  });

  describe('reaches nothing that is private', () => {
    const resolvesTo = (...addresses: string[]): Resolve => {
      return () =>
        Promise.resolve(
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
    };

    for (const address of [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      'fd00::1',
      '::ffff:192.168.0.1',
    ])
      it(`by a name of ${address}`, async () => {
        const site = await open(page('secret'));
        await fails(get(site.url('/'), seemingPublic({ resolve: resolvesTo(address) })), 'address');
        await fails(
          get(site.url('/'), seemingPublic({ resolve: resolvesTo(publicAddress, address) })),
          'address',
        );
        assert.deepEqual(site.asked, []);
      });

    it('by a redirect, relative, absolute, or to another protocol', async () => {
      const secret = await open(page('secret'));
      const { port } = secret;
      for (const location of [
        `http://127.0.0.1:${port}/`,
        `//127.0.0.1:${port}/`,
        `http://[::ffff:127.0.0.1]:${port}/`,
        `http://localhost:${port}/`,
        `http://2130706433:${port}/`,
        'http://169.254.169.254/latest/meta-data/',
        'file:///etc/passwd',
      ]) {
        const site = await open(to(location));
        await fails(get(site.url('/')), 'address');
        assert.equal(site.asked.length, 1);
      }
      assert.deepEqual(secret.asked, []);
    });

    it('by a name that is looked up once more after it was judged', async () => {
      const site = await open((request, response) =>
        request.url === '/' ? to('/next')(request, response) : page('secret')(request, response),
      );
      const answers = [publicAddress, '127.0.0.1'];
      let lookups = 0;
      const resolve: Resolve = () =>
        Promise.resolve([{ address: answers[lookups++] ?? '127.0.0.1', family: 4 }]);
      await fails(get(site.url('/'), seemingPublic({ resolve })), 'address');
      assert.deepEqual(site.asked, ['/']);
      assert.equal(lookups, 2, 'once a hop, and never for the connection');
    });

    for (const host of [
      ...['169.254.169.254', '[::ffff:a9fe:a9fe]', '100.100.100.200', '168.63.129.16'],
      ...['2852039166', '[fd00:ec2::254]', '[fe80::1]', 'metadata.test'],
    ])
      it(`by ${host}, which gives out credentials, where private addresses are allowed`, async () => {
        const site = await open(to(`http://${host}/latest/meta-data/`));
        const options = seemingPublic({
          allowsPrivateAddresses: () => true,
          resolve: (name) =>
            resolvesTo(name === 'metadata.test' ? '169.254.169.254' : publicAddress)(name),
        });
        assert.match(await fails(get(site.url('/'), options), 'address'), /credentials of a cloud/);
      });

    it('unless it is allowed', async () => {
      const site = await open(page('notebook'));
      const options = seemingPublic({ allowsPrivateAddresses: () => true });
      const { openDispatcher: _, resolve: __, ...real } = options;
      assert.equal(
        new TextDecoder().decode((await get(site.url('/', '127.0.0.1'), real)).bytes),
        'notebook',
      );
      assert.equal(
        new TextDecoder().decode((await get(site.url('/', 'localhost'), real)).bytes),
        'notebook',
      );
    });
  });

  it('stays on the host where it has to, also on the one with www', async () => {
    const site = await open((request, response) =>
      request.url === '/a'
        ? to(site.url('/b', 'www.site.test'))(request, response)
        : request.url === '/b'
          ? page('here')(request, response)
          : to(site.url('/b', 'other.test'))(request, response),
    );
    const staying = (path: string): Promise<Download> =>
      download(
        { url: site.url(path), accept: '*/*', staysOnHost: true },
        seemingPublic(),
        new AbortController().signal,
      );
    assert.equal((await staying('/a')).url, site.url('/b', 'www.site.test'));
    assert.match(await fails(staying('/c'), 'address'), /site\.test redirects to other\.test/);
    assert.equal((await get(site.url('/c'))).status, 200);
    assert.deepEqual(site.asked, ['/a', '/b', '/c', '/c', '/b']);
  });

  it('follows redirects, and ends those without end', async () => {
    const site = await open((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) to(`/${left - 1}`)(request, response);
      else page('there')(request, response);
    });
    assert.equal((await get(site.url('/5'))).url, site.url('/0'));
    assert.match(await fails(get(site.url('/6')), 'network'), /More than 5 redirects/);
    const endless = await open(to('/'));
    await fails(get(endless.url('/')), 'network');
    assert.equal(endless.asked.length, 6);
  });

  it('ends at the limit of bytes, whatever the server goes on to send', async () => {
    const site = await open((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, 'a');
      const send = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.writeHead(200, { 'content-type': 'text/plain' }).on('drain', send);
      send();
    });
    const got = await get(site.url('/'), seemingPublic({ limits: { bytes: 1_000_000 } }));
    assert.deepEqual([got.bytes.length, got.isCut], [1_000_000, true]);
  });

  it('counts bytes after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000));
    assert.ok(bomb.length < 400_000);
    const site = await open(page(bomb, 'text/plain', { 'content-encoding': 'gzip' }));
    const before = process.memoryUsage().arrayBuffers;
    const got = await get(site.url('/'), seemingPublic({ limits: { bytes: 1_000_000 } }));
    assert.deepEqual([got.bytes.length, got.isCut], [1_000_000, true]);
    assert.ok(process.memoryUsage().arrayBuffers - before < 50_000_000);
  });

  it('takes a page that is exactly as long as the limit for whole', async () => {
    const site = await open(page('12345'));
    const got = await get(site.url('/'), seemingPublic({ limits: { bytes: 5 } }));
    assert.deepEqual([got.bytes.length, got.isCut], [5, false]);
  });

  it('ends a slow drip at the time limit', async () => {
    const site = await open((_request, response) => void response.writeHead(200).write('a'));
    const options = seemingPublic({ limits: { totalMs: 60_000 } });
    const getting = fails(get(site.url('/'), options), 'timeout');
    await site.received(1);
    await options.clock.advance(60_000);
    assert.match(await getting, /1 min/);
    assert.equal(options.clock.pendingTimers, 0);
  });

  it('stops at once when it is interrupted, also in the middle of looking up a name', async () => {
    const site = await open((_request, response) => void response.writeHead(200).write('a'));
    for (const resolve of [seemingPublic().resolve, () => new Promise<never>(() => undefined)]) {
      const abort = new AbortController();
      const getting = get(
        site.url('/'),
        seemingPublic({ ...(resolve && { resolve }) }),
        abort.signal,
      );
      if (site.asked.length === 0) await site.received(1);
      abort.abort(new Error('enough'));
      await assert.rejects(getting, /enough/);
    }
  });

  describe('asks again', () => {
    const failing = (status: number, times: number, headers = {}): Handler => {
      let asked = 0;
      return (request, response) =>
        asked++ < times
          ? response.writeHead(status, headers).end()
          : page('at last')(request, response);
    };

    /** Moves the clock whenever the download waits: one timer is that of its time limit. */
    const moving = async <T>(
      work: Promise<T>,
      { clock }: ReturnType<typeof seemingPublic>,
    ): Promise<T> => {
      let isOver = false;
      const over = work.finally(() => (isOver = true));
      over.catch(() => undefined);
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        if (clock.pendingTimers > 1) await clock.advance(500);
      }
      return over;
    };

    for (const status of [429, 500, 502, 503])
      it(`after ${status}, twice`, async () => {
        const options = seemingPublic();
        const site = await open(failing(status, 2));
        assert.equal((await moving(get(site.url('/'), options), options)).status, 200);
        const worse = await open(failing(status, 9));
        assert.match(
          await moving(fails(get(worse.url('/'), options), 'status'), options),
          new RegExp(String(status)),
        );
        assert.equal(worse.asked.length, 3);
      });

    it('when the server asks to, unless that is too late', async () => {
      const options = seemingPublic();
      const beganMs = options.clock.now();
      const site = await open(failing(429, 1, { 'retry-after': '7' }));
      await moving(get(site.url('/'), options), options);
      assert.ok(options.clock.now() - beganMs >= 7000);
      const later = await open(failing(503, 1, { 'retry-after': '3600' }));
      assert.match(await fails(get(later.url('/')), 'status'), /Retry in 1 h/);
      assert.equal(later.asked.length, 1);
    });

    for (const status of [400, 401, 403, 404, 410])
      it(`not after ${status}`, async () => {
        const site = await open(failing(status, 1));
        assert.match(
          await fails(get(site.url('/')), 'status'),
          new RegExp(`site.test answered ${status}`),
        );
        assert.equal(site.asked.length, 1);
      });
  });

  it('says what is wrong with a host that does not answer', async () => {
    const resolve: Resolve = () =>
      Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
    assert.match(
      await fails(get('http://no.test/', seemingPublic({ resolve })), 'network'),
      /no such host/,
    );
    const site = await open((request) => request.socket.destroy());
    assert.match(await fails(get(site.url('/')), 'network'), /Cannot read site\.test/);
    const cut = await open((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => request.socket.destroySoon());
    });
    await fails(get(cut.url('/')), 'network');
  });
});
