import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, it } from 'mocha';
import { PinnedNames } from '../../../src/web/pinned.ts';
import { WebFailure } from '../../../src/web/webFailure.ts';
import { publicAddress } from '../../fakes/webSite.ts';

/** Each answer is for one more look-up; an error is one that failed. */
function pinning(...answers: readonly (readonly string[] | Error)[]) {
  let asked = 0;
  const names = new PinnedNames(() => {
    const answer = answers[asked++] ?? new Error('it was asked too often');
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve(
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  });
  const connectTo = (
    name: string,
    options: { all?: boolean; family?: number } = {},
  ): Promise<unknown> =>
    new Promise((resolve, reject) =>
      names.lookup(name, options, (error, address: string | LookupAddress[]) =>
        error
          ? reject(error)
          : resolve(typeof address === 'string' ? address : address.map((one) => one.address)),
      ),
    );
  return { names, connectTo };
}

const timedOut = Object.assign(new Error('queryA ETIMEOUT'), { code: 'ETIMEOUT' });
const six = '2606:2800:21f:cb07::1';

describe('names that are looked up once', () => {
  it('are connected to as they were judged, by family, one or all', async () => {
    const { names, connectTo } = pinning([publicAddress, six]);
    await names.pin('site.test', false);
    assert.equal(await connectTo('site.test'), publicAddress);
    assert.equal(await connectTo('site.test.'), publicAddress);
    assert.equal(await connectTo('site.test', { family: 6 }), six);
    assert.deepEqual(await connectTo('site.test', { all: true }), [publicAddress, six]);
    assert.deepEqual(await connectTo('site.test', { all: true, family: 4 }), [publicAddress]);
  });

  it('have no address any more when they are not found the next time', async () => {
    const { names, connectTo } = pinning([publicAddress], timedOut);
    await names.pin('site.test', false);
    await names.pin('site.test', false);
    await assert.rejects(connectTo('site.test'), { code: 'ETIMEOUT' });
  });

  it('have none either once one of their addresses was private', async () => {
    const { names, connectTo } = pinning([publicAddress], [publicAddress, '10.0.0.1']);
    await names.pin('site.test', false);
    await assert.rejects(names.pin('site.test', false), WebFailure);
    await assert.rejects(connectTo('site.test'), { code: 'ENOTFOUND' });
  });

  it('are unknown unless they were pinned', async () => {
    const { names, connectTo } = pinning([publicAddress]);
    await names.pin('site.test', false);
    await assert.rejects(connectTo('other.test'), { code: 'ENOTFOUND' });
  });

  it('may be private where that is allowed', async () => {
    const { names, connectTo } = pinning(['10.0.0.1']);
    await names.pin('lab.test', true);
    assert.equal(await connectTo('lab.test'), '10.0.0.1');
  });
});
