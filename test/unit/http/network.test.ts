import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { createFetch, type NetworkSettings } from '../../../src/http/network.ts';
import { parseProxy, proxyOf } from '../../../src/http/proxy.ts';
import { createAnthropicProvider } from '../../../src/models/anthropic/anthropic.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { TestProxy } from '../../fakes/httpProxy.ts';
import { freePort } from '../../fakes/freePort.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';
import { hear, request } from '../models/conversing.ts';

const isUserFacing = (pattern: RegExp) => (error: unknown) =>
  error instanceof UserFacing && pattern.test(error.message);

describe('the way to the network', () => {
  let proxy: TestProxy;
  let settings: NetworkSettings;
  const fetch = createFetch(() => settings);
  afterEach(() => proxy.close());

  describe('through a proxy', () => {
    it('brings a whole call of a model, which the proxy alone can reach, also with a password', async () => {
      const server = await startWireAnthropic();
      server.reply(() => ({ text: 'Reached.' }));
      const port = Number(new URL(server.url).port);
      proxy = await TestProxy.start({ login: 'ada:p@ss', hosts: { 'models.test': port } });
      settings = { proxy: `http://ada:p%40ss@127.0.0.1:${proxy.port}` };
      const clock = new ManualClock();
      const provider = createAnthropicProvider({
        apiKey: () => Promise.resolve('sk-ant-0123456789'),
        baseUrl: 'http://models.test',
        clock,
        fetch,
      });
      try {
        const { reply } = await hear(
          (...args) => provider.stream(...args),
          request({ model: 'claude-opus-4-6' }),
          {
            clock,
          },
        );
        assert.equal(reply.failure, undefined);
        assert.deepEqual(proxy.passed, ['models.test']);
      } finally {
        await server.close();
      }
    });

    it('says that it wants a password, without a retry and without showing one', async () => {
      proxy = await TestProxy.start({ login: 'ada:secret' });
      settings = { proxy: `http://ada:wrong-word@127.0.0.1:${proxy.port}` };
      await assert.rejects(fetch('https://models.test/'), (error) => {
        assert.ok(isUserFacing(/needs a user name and a password/)(error));
        assert.ok(!JSON.stringify([String(error)]).includes('wrong-word'));
        return true;
      });
    });

    it('makes no attempt anew, and tells the user what to do, when it wants a password', async () => {
      proxy = await TestProxy.start({ login: 'ada:secret' });
      settings = { proxy: proxy.url };
      const clock = new ManualClock();
      const apiKey = () => Promise.resolve('sk-ant-0123456789');
      const provider = createAnthropicProvider({
        apiKey,
        baseUrl: 'https://models.test',
        clock,
        fetch,
      });
      const { reply, events } = await hear((...args) => provider.stream(...args), request(), {
        clock,
      });
      assert.equal(reply.failure?.reason, 'invalid');
      assert.match(
        reply.failure.message,
        /^Anthropic: The proxy .* \(407\)\. Add them to its address/,
      );
      assert.equal(events.length, 1);
    });

    it('says that it is the proxy that does not answer', async () => {
      proxy = await TestProxy.start();
      settings = { proxy: `http://127.0.0.1:${await freePort()}` };
      await assert.rejects(fetch('https://models.test/'), {
        code: 'ECONNREFUSED',
        message: /The proxy 127\.0\.0\.1:\d+ does not answer/,
      });
    });

    it('goes past it to this computer, and to what is excepted', async () => {
      const server = await startWireAnthropic();
      proxy = await TestProxy.start();
      settings = { proxy: proxy.url };
      try {
        assert.equal((await fetch(`${server.url}/nothing`)).status, 404);
        assert.deepEqual(proxy.passed, []);
        await assert.rejects(
          createFetch(() => ({ proxy: proxy.url, noProxy: '.test' }))('http://models.test/'),
          /fetch failed/,
        );
        assert.deepEqual(proxy.passed, []);
      } finally {
        await server.close();
      }
    });
  });

  describe('over TLS', () => {
    const folder = scratchFolder();
    const file = (name: string): string => path.join(folder(), name);
    let server: Server;
    beforeEach(async () => {
      const openssl = (...args: string[]): void =>
        void execFileSync('openssl', args, { cwd: folder(), stdio: 'pipe' });
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
      openssl(
        'req',
        '-x509',
        ...key,
        '-keyout',
        'ca.key',
        '-out',
        'ca.pem',
        '-days',
        '2',
        '-subj',
        '/CN=Lab CA',
      );
      openssl('req', ...key, '-keyout', 'key.pem', '-out', 'csr.pem', '-subj', '/CN=localhost');
      writeFileSync(file('names'), 'subjectAltName=DNS:localhost,DNS:models.test');
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
      openssl('x509', '-req', '-in', 'csr.pem', ...by, '-out', 'cert.pem', '-days', '2');
      server = createServer(
        { key: readFileSync(file('key.pem')), cert: readFileSync(file('cert.pem')) },
        (_, answer) => answer.end('hello'),
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      proxy = await TestProxy.start({ hosts: { 'models.test': port } });
    });
    afterEach(() => void server.close());
    const url = (): string => `https://localhost:${(server.address() as AddressInfo).port}/`;

    it('refuses a certificate that nobody vouches for', async () => {
      settings = {};
      await assert.rejects(fetch(url()), isUserFacing(/not trusted: (self-signed|unable to)/));
    });

    it('sends a body that is a stream once: the rest of it would pass for the whole', async () => {
      let reads = 0;
      const body = new ReadableStream({
        pull: (stream) => (reads++ === 0 ? stream.enqueue('x') : stream.close()),
      });
      const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
      await assert.rejects(createFetch(() => ({}))(url(), init), isUserFacing(/not trusted/));
    });

    it('trusts what the file of certificates names, straight and through a proxy', async () => {
      settings = { caFile: file('ca.pem') };
      assert.equal(await (await fetch(url())).text(), 'hello');
      settings = { caFile: file('ca.pem'), proxy: proxy.url };
      assert.equal(await (await fetch('https://models.test/')).text(), 'hello');
      assert.deepEqual(proxy.passed, ['models.test:443']);
    });

    it('trusts what the system trusts, where Node itself does not', async () => {
      const module = path.resolve('src/http/network.ts');
      const script = `const { createFetch } = await import(${JSON.stringify(module)});
        const answer = await createFetch(() => ({}))(${JSON.stringify(url())}, { method: 'POST', body: 'x' });
        console.log(await answer.text());`;
      const run = (ca: string) =>
        promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
          env: { ...process.env, SSL_CERT_FILE: ca },
        });
      assert.equal((await run(file('ca.pem'))).stdout, 'hello\n');
      await assert.rejects(run(file('csr.pem')), /not trusted/);
    });

    it('says what is wrong with the file of certificates', async () => {
      settings = { caFile: file('none.pem') };
      await assert.rejects(
        fetch(url()),
        isUserFacing(/Cannot read the certificate file .*: ENOENT/),
      );
      settings = { caFile: file('names') };
      await assert.rejects(fetch(url()), isUserFacing(/contains no certificate/));
      settings = { caFile: file('ca.pem') };
      assert.equal((await fetch(url())).status, 200);
    });
  });
});

describe('addresses of proxies', () => {
  for (const [text, href] of [
    ['http://proxy.example.org:3128', 'http://proxy.example.org:3128/'],
    ['proxy.example.org:3128', 'http://proxy.example.org:3128/'],
    ['socks5://127.0.0.1:1080', 'socks5://127.0.0.1:1080'],
  ] as const)
    it(`reads ${text}`, () => assert.equal(parseProxy(text).href, href));

  for (const text of ['ftp://a:secret@b', 'http://', '://', 'http://a b'])
    it(`refuses ${text} without showing a password`, () =>
      assert.throws(
        () => parseProxy(text),
        (error) =>
          isUserFacing(/is not a proxy address/)(error) && !String(error).includes('secret'),
      ));

  it('are taken from the usual variables', () => {
    assert.deepEqual(
      proxyOf({ https_proxy: ' http://a:1 ', HTTP_PROXY: 'http://b:2', NO_PROXY: 'x,y' }),
      {
        proxy: 'http://a:1',
        noProxy: 'x,y',
      },
    );
    assert.deepEqual(proxyOf({ HTTP_PROXY: 'http://b:2', HTTPS_PROXY: '' }), {
      proxy: 'http://b:2',
    });
    assert.deepEqual(proxyOf({}), {});
  });
});
