import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'mocha';
import { silentLogger } from '../../../src/base/logger.ts';
import { apiFetch } from '../../../src/models/apiFetch.ts';
import { createProviders } from '../../../src/models/createProviders.ts';
import type { ModelReply } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

describe('a web page in place of an API', () => {
  let server: Server;
  let url = '';
  let requests = 0;
  before(async () => {
    server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<html><body>Sign in to the network</body></html>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  const providers = () =>
    createProviders({
      settings: () => ({
        provider: 'claude',
        anthropicBaseUrl: url,
        openaiBaseUrl: `${url}/v1`,
        geminiBaseUrl: url,
        compatibleBaseUrl: `${url}/v1`,
        endpoints: [{ id: 'lab', baseUrl: `${url}/v1` }],
      }),
      secret: () => Promise.resolve('a-secret-key'),
      fetch: globalThis.fetch,
      clock: new ManualClock(),
      logger: silentLogger,
    })();

  for (const id of ['claude', 'openai', 'gemini', 'compatible', 'lab'])
    it(`is named by ${id}, with its address and type, and not asked for again`, async () => {
      requests = 0;
      const provider = providers().get(id);
      let reply: ModelReply | undefined;
      const request = {
        model: 'm',
        system: [],
        tools: [],
        messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }],
      };
      for await (const event of provider?.stream(request, new AbortController().signal) ?? [])
        if (event.type === 'finished') reply = event.reply;
      assert.equal(reply?.failure?.reason, 'not_api', reply?.failure?.message);
      const { problem = '', message } = reply.failure;
      assert.ok(problem.includes(`the answer of ${url}/`), problem);
      assert.match(problem, /^[^?]* is a web page \(text\/html\), not an API\.$/);
      assert.match(message, /Check the address and the proxy in the settings\.$/);
      assert.equal(requests, 1);
    });

  const pageWith = (status: number) =>
    apiFetch(() =>
      Promise.resolve(new Response('<html>', { status, headers: { 'content-type': 'text/html' } })),
    )('https://user:word@lab.example/v1/x?key=secret');

  it('keeps what is secret in an address out of the message', async () => {
    await assert.rejects(pageWith(404), (error: Error) => {
      assert.match(error.message, /^the answer of https:\/\/lab\.example\/v1\/x is a web page/);
      return true;
    });
  });

  it('is left to the retries while a gateway says that the service is down or busy', async () => {
    for (const status of [429, 502, 503]) assert.equal((await pageWith(status)).status, status);
  });
});
