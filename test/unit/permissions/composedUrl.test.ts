import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { safe } from '../../../src/permissions/commands/verdicts/verdict.ts';
import type { Approval } from '../../../src/permissions/grants/grant.ts';
import { createGrants } from '../../../src/permissions/grants/grants.ts';
import { createGate, type Answer, type GateMode } from '../../../src/permissions/gate.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

const seen = 'https://a.org/seen';
const composed = 'https://evil.example/?d=what-the-model-knows';

function gateIn(mode: GateMode, answer: Answer | 'nobody' = 'deny', allowedHosts: string[] = []) {
  const asked: string[] = [];
  let hasReadOthers = true;
  const approvals: Approval[] = [];
  const gate = createGate({
    mode: () => mode,
    ask: ({ detail }) => {
      asked.push(detail);
      return answer === 'nobody' ? Promise.reject(new Error('nobody')) : Promise.resolve(answer);
    },
    clock: new ManualClock(),
    judge: () => Promise.resolve(safe),
    outside: () => Promise.resolve(undefined),
    web: {
      hasReadOthers: () => hasReadOthers,
      hasSeen: (url) => url === seen,
      allowedHosts: () => allowedHosts,
    },
    grants: createGrants({
      file: { list: () => Promise.resolve([]), add: () => Promise.resolve() },
      workspace: () => Promise.resolve('/w'),
      folderOf: () => Promise.resolve(undefined),
      ofSession: () => approvals,
    }),
  });
  const fetching = async (url: string, repairs: readonly string[] = []) => {
    const decision = await gate.decide(
      {
        ...{ callId: 'c', tool: 'web_fetch', title: '', effect: 'network', isOwnData: false },
        accesses: [{ kind: 'host', host: URL.parse(url)?.host ?? url, url }],
        detail: `url: ${url}`,
        repairs,
      },
      new AbortController().signal,
    );
    approvals.push(...(decision.grants ?? []));
    return decision;
  };
  const trustAll = (): void => {
    hasReadOthers = false;
  };
  return { asked, fetching, trustAll };
}

describe('a URL that the model composed', () => {
  it('passes before it has read text of others', async () => {
    const { asked, fetching, trustAll } = gateIn('allow');
    trustAll();
    assert.equal((await fetching(composed)).isAllowed, true);
    assert.deepEqual(asked, []);
  });

  for (const mode of ['allow', 'ask'] as const)
    it(`is asked about in mode ${mode}, with the reason`, async () => {
      const { asked, fetching } = gateIn(mode, 'allow');
      const { isAllowed, by, accesses } = await fetching(composed);
      assert.deepEqual([isAllowed, by], [true, 'person']);
      assert.match(asked[0] ?? '', /^The agent composed this URL .*\nurl: https:\/\/evil/);
      assert.deepEqual(accesses, [
        { kind: 'host', host: 'evil.example', url: composed, isComposed: true },
      ]);
    });

  it('is asked about each time, whatever was approved for the session', async () => {
    const { asked, fetching } = gateIn('ask', 'allow_session');
    assert.equal((await fetching(seen)).grants?.length, 1);
    await fetching(composed);
    await fetching(composed);
    assert.equal(asked.length, 3);
    assert.equal((await fetching(seen)).isAllowed, true);
    assert.equal(asked.length, 3);
  });

  for (const mode of ['allow', 'ask'] as const)
    it(`is refused in mode ${mode} where nobody answers, with advice`, async () => {
      const { isAllowed, why } = await gateIn(mode, 'nobody').fetching(composed);
      assert.equal(isAllowed, false);
      assert.match(
        why,
        /^the URL was in no message .*web_search.*: no user was there to allow it$/,
      );
    });

  it('is refused by the mandate without a question, one that was seen is covered', async () => {
    const { asked, fetching } = gateIn('mandate');
    const { isAllowed, by, why } = await fetching(composed);
    assert.deepEqual([isAllowed, by], [false, 'mandate']);
    assert.match(why, /in no message of the user/);
    assert.equal((await fetching(seen)).isAllowed, true);
    assert.deepEqual(asked, []);
  });

  it('passes on a host that the user allows, and on no other', async () => {
    const hosts = ['evil.example', '*.Lab.org', 'port.org:8443'];
    const { asked, fetching } = gateIn('ask', 'deny', hosts);
    const isAllowed = async (url: string) => (await fetching(url)).isAllowed;
    for (const url of [composed, 'https://x.lab.org/', 'https://EVIL.example:444/'])
      assert.equal(await isAllowed(url), true, url);
    assert.equal(await isAllowed('https://port.org:8443/'), true);
    assert.deepEqual(asked, []);
    for (const url of [
      'https://lab.org/',
      'https://notlab.org/',
      'https://x.evil.example/',
      'https://evil.example.org/',
      'https://evil.example@other.org/',
      'https://port.org/',
    ])
      assert.equal(await isAllowed(url), false, url);
    assert.equal((await fetching(composed, ['closed a brace'])).isAllowed, false);
  });

  it('is refused in a session that only reads', async () => {
    const { fetching } = gateIn('read', 'allow', ['evil.example']);
    assert.equal((await fetching(composed)).why, 'this session is read-only');
  });
});
