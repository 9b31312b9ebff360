import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Redactor } from '../../../src/base/secrets/redactor.ts';
import type { ModelEvent, ModelRequest } from '../../../src/models/model.ts';
import { redactingProviders } from '../../../src/models/redacting.ts';
import { plantedSecrets } from '../../fakes/plantedSecrets.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';

const opaque = { signature: 'kept as it is' };

const requestWith = (text: string): ModelRequest => ({
  model: 'm',
  system: [{ text: `note: ${text}`, isStable: true }],
  messages: [
    { role: 'user', content: [{ type: 'text', text }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text, provider: 'demo', opaque },
        { type: 'tool_call', id: 'c1', name: 'x', input: { command: text } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', callId: 'c1', text, isError: false }] },
  ],
  tools: [],
});

describe('redacting provider', () => {
  it('sends no secret, and changes nothing that the provider reads back', async () => {
    for (const { text, secret } of plantedSecrets()) {
      const model = new ScriptedModel(['fine']);
      const provider = redactingProviders(new Redactor())(model);
      const types: string[] = [];
      const signal = new AbortController().signal;
      for await (const { type } of provider.stream(requestWith(text), signal)) types.push(type);
      assert.ok(!JSON.stringify(model.requests).includes(secret), text);
      assert.ok(JSON.stringify(model.requests).includes('kept as it is'));
      assert.equal(types.at(-1), 'finished');
    }
  });

  it('streams no secret that arrives in pieces, and all other text in order', async () => {
    const { text, secret } = plantedSecrets()[1] ?? { text: '', secret: '' };
    const pieces = [...`Before it ${text} after it`];
    const model = new ScriptedModel(['']);
    model.stream = async function* (): AsyncGenerator<ModelEvent> {
      for (const piece of pieces) yield { type: 'thinking.delta', text: piece };
      for (const piece of pieces) yield { type: 'text.delta', text: piece };
      yield* ScriptedModel.prototype.stream.call(
        new ScriptedModel(['']),
        requestWith(''),
        new AbortController().signal,
      );
    };
    const provider = redactingProviders(new Redactor())(model);
    const shown = { 'thinking.delta': '', 'text.delta': '' };
    const signal = new AbortController().signal;
    for await (const event of provider.stream(requestWith(''), signal))
      if (event.type === 'text.delta' || event.type === 'thinking.delta')
        shown[event.type] += event.text;
    for (const got of Object.values(shown)) {
      assert.ok(!got.includes(secret.slice(4, 30)), got);
      assert.match(got, /^Before it ⟨secret [a-f\d]{8}⟩ after it$/);
    }
  });

  it('wraps a provider once, and follows its default model', () => {
    const wrap = redactingProviders(new Redactor());
    const model = new ScriptedModel([]);
    const provider = wrap(model);
    assert.equal(wrap(model), provider);
    Object.assign(model, { defaultModel: 'newer' });
    assert.equal(provider.defaultModel, 'newer');
  });
});
