import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { commands, ConfigurationTarget, extensions, lm, workspace } from 'vscode';
import { list, type WireServer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';

interface Heard {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly tokens: number;
}

/** The fixture of another extension asks. */
const ask = async (...args: readonly unknown[]): Promise<Heard> =>
  (await commands.executeCommand<Heard>('lab.ask', ...args)) ?? assert.fail('nothing was heard');

describe('models of Helios for other extensions', () => {
  let server: WireServer;
  const useServer = (url: string | undefined): Thenable<void> =>
    workspace
      .getConfiguration('helios')
      .update('providers.anthropicBaseUrl', url, ConfigurationTarget.Global);

  before(async () => {
    await extensions.getExtension('helios.helios-research')?.activate();
    await extensions.getExtension('test.lab-models')?.activate();
    server = await startWireAnthropic();
    process.env['ANTHROPIC_API_KEY'] = 'sk-ant-host-test';
    await useServer(server.url);
  });
  after(async () => {
    delete process.env['ANTHROPIC_API_KEY'];
    await useServer(undefined);
    await server.close();
  });

  it('answer with text and with calls of their tools, and count tokens', async () => {
    const [model] = (await lm.selectChatModels({ vendor: 'helios' })).filter(({ id }) =>
      id.startsWith('claude/'),
    );
    assert.ok(model);
    server.reply(() => ({ text: 'I look.', toolCalls: [{ name: 'look', input: { at: 'loss' } }] }));
    const refresh = {
      name: 'look',
      description: 'Looks.',
      inputSchema: { type: 'object', properties: { at: {} } },
    };
    const heard = await ask(model.id, 'Where is the loss?', [refresh]);
    assert.deepEqual(
      [heard.text, heard.calls],
      ['I look.', [{ name: 'look', input: { at: 'loss' } }]],
    );
    assert.ok(heard.tokens >= 4 && heard.tokens < 20, String(heard.tokens));
    const [sent] = list(server.requests.at(-1)?.body.tools);
    assert.deepEqual(
      [sent?.name, sent?.description, sent?.input_schema],
      ['look', 'Looks.', refresh.inputSchema],
    );
  });

  it('say what went wrong, without the key', async () => {
    server.reply(() => ({ status: 401, message: 'invalid key sk-ant-host-test' }));
    const [model] = (await lm.selectChatModels({ vendor: 'helios' })).filter(({ id }) =>
      id.startsWith('claude/'),
    );
    await assert.rejects(ask(model?.id, 'Hello?'), (error) => {
      assert.match(String(error), /Anthropic answered 401: invalid key \[key\]/);
      return true;
    });
  });

  it('are not offered as models of their own kind again', async () => {
    const ids = (await lm.selectChatModels({ vendor: 'helios' })).map(({ id }) => id);
    assert.ok(!ids.some((id) => id.startsWith('vscode/')), ids.join());
  });
});
