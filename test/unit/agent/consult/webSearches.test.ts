import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ToolFailure } from '../../../../src/base/errors.ts';
import type { Affordable } from '../../../../src/agent/budget/nextCall.ts';
import type { SessionEvent } from '../../../../src/agent/journal/events.ts';
import { createWebSearches } from '../../../../src/agent/consult/webSearches.ts';
import { SideCalls } from '../../../../src/agent/consult/sideCalls.ts';
import { noUsage, type ModelProvider, type SearchReply } from '../../../../src/models/model.ts';
import type { SearchWeb } from '../../../../src/web/search.ts';
import { WebFailure } from '../../../../src/web/webFailure.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { seemingPublic } from '../../../fakes/webSite.ts';
import { toolContext } from '../../tools/machineTools.harness.ts';

const hit = { title: 'Muon', url: 'https://a.org/' };
const usage = { ...noUsage, inputTokens: 900, outputTokens: 9 };
const found: SearchReply = {
  text: 'It scales.',
  sources: [hit, { title: 'B', url: 'https://b.org/' }],
  usage,
  searches: 1,
  model: 'm',
};
const failed: SearchReply = {
  ...found,
  text: '',
  failure: { reason: 'server', message: 'The search is down.' },
};

describe('who searches the web', () => {
  const events: SessionEvent[] = [];
  const search = (
    provider: Partial<ModelProvider>,
    {
      keyless = () => Promise.resolve([hit]),
      affords,
    }: { keyless?: SearchWeb; affords?: Affordable } = {},
    signal = new AbortController().signal,
  ) => {
    events.length = 0;
    const calls = new SideCalls({
      budget: { affordable: () => Promise.resolve(affords) },
      cost: () => ({ usd: 0.01 }),
      record(event) {
        events.push(event);
        return Promise.resolve();
      },
    });
    const scripted = Object.assign(new ScriptedModel([]), { label: 'Scripted', ...provider });
    const own = () => ({ provider: scripted, model: 'm' });
    const sessionRuns = createWebSearches({
      calls,
      keyless,
      own,
      web: seemingPublic(),
      settings: () => ({}),
    });
    return sessionRuns.search({ query: 'muon', maxResults: 1 }, toolContext(signal));
  };

  const keyless = { via: 'DuckDuckGo', hits: [hit] };

  it('the provider, with as many pages as are wanted, and at its cost', async () => {
    const finding = await search({ search: () => Promise.resolve(found) });
    assert.deepEqual(finding, {
      via: 'The web search of Scripted',
      hits: [hit],
      text: 'It scales.',
    });
    assert.deepEqual(events, [
      {
        type: 'model.consulted',
        purpose: 'search',
        callId: 'call-1',
        provider: 'demo',
        model: 'm',
        usage,
        cost: { usd: 0.01 },
      },
    ]);
  });

  it('nobody who costs, where the provider has no search', async () => {
    assert.deepEqual(await search({}), keyless);
    assert.deepEqual(events, []);
  });

  it('another, with the reason said, where the provider fails, is not ready, or the budget is spent', async () => {
    const note = (why: string): string => `The search of the model provider was not used: ${why}`;
    const native = { search: () => Promise.resolve(failed) };
    assert.deepEqual(await search(native), { ...keyless, note: note('The search is down.') });
    assert.equal(events.length, 1, 'what the failure cost is recorded');
    const readiness = () =>
      Promise.resolve({ isReady: false as const, problem: 'There is no key.', action: 'Set one.' });
    assert.deepEqual(await search({ ...native, readiness }), {
      ...keyless,
      note: note('There is no key.'),
    });
    const affords: Affordable = { kind: 'unpriced', why: 'no price' };
    const { note: why } = await search(native, { affords });
    assert.match(String(why), /A money limit rules out this call: no price/);
    assert.equal(events.length, 0);
  });

  it('nobody, with both reasons, where all fail', async () => {
    const robot: SearchWeb = () => Promise.reject(new WebFailure('search', 'Taken for a robot.'));
    await assert.rejects(
      search({ search: () => Promise.resolve(failed) }, { keyless: robot }),
      (error: unknown) => {
        assert.ok(error instanceof ToolFailure);
        assert.match(error.message, /The search is down\.\nTaken for a robot\./);
        return true;
      },
    );
  });

  it('nobody else once it is interrupted', async () => {
    const abort = new AbortController();
    const native = {
      search() {
        abort.abort(new Error('enough'));
        return Promise.resolve(failed);
      },
    };
    await assert.rejects(
      search(native, { keyless: () => assert.fail('asked') }, abort.signal),
      /enough/,
    );
  });
});
