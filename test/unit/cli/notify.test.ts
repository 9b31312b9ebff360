import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';
import { notifySite } from '../../fakes/notifySite.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';

describe('a project in the terminal', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'helios-cli-'))));
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  async function helios(
    words: readonly string[],
    input = '',
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number; out: string; err: string }> {
    const model = new ScriptedModel([
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'No.' } }],
    ]);
    const world = { ...fakeDeps({ folder, model, env }), stdin: Readable.from([input]) };
    const code = await runCli([...words, '--home', path.join(folder, 'home')], world);
    return { code, out: world.stdout.text, err: world.stderr.text };
  }

  it('is begun by helios init, once', async () => {
    const file = path.join(folder, 'helios.json');
    const { code, out } = await helios([
      'init',
      '--provider',
      'claude',
      '--model',
      'opus',
      '--machine',
      'gpu1',
    ]);
    assert.deepEqual([code, out], [0, `Wrote ${file}\n`]);
    const { provider, model, defaultMachine } = JSON.parse(await readFile(file, 'utf8')) as Record<
      string,
      unknown
    >;
    assert.deepEqual([provider, model, defaultMachine], ['claude', 'opus', 'gpu1']);
    const again = await helios(['init']);
    assert.equal(again.code, 1);
    assert.match(again.err, /already exists/);
  });

  it('tries each channel of the user, with its secret', async () => {
    const site = await notifySite();
    try {
      const channels = [
        { type: 'webhook', url: '${secret:hook}' },
        { type: 'webhook', url: '${secret:none}' },
      ];
      await mkdir(path.join(folder, 'home'), { mode: 0o700 });
      await writeFile(
        path.join(folder, 'home/preferences.json'),
        JSON.stringify({ notifications: { channels } }),
      );
      const kept = await helios(['notify', 'secret', 'hook'], `${site.url}/k3y\n`);
      assert.deepEqual([kept.code, kept.out], [0, 'Stored the secret hook.\n']);
      const { mode } = await stat(path.join(folder, 'home/auth/notify-hook'));
      assert.equal(mode & 0o777, 0o600);
      const { code, out, err } = await helios(['notify', 'test']);
      assert.equal(code, 1, err);
      assert.match(out, /^ok {4}webhook .*: Delivered\.$/m);
      assert.match(out, /^no {4}webhook .*: There is no secret none\./m);
      assert.doesNotMatch(out, /k3y/);
      assert.equal(site.calls[0]?.path, '/k3y');
    } finally {
      await site.close();
    }
  });

  const goal = ['--yes', 'loss below 0.5'];
  const write = async (project: object): Promise<void> => {
    await writeFile(path.join(folder, 'helios.json'), JSON.stringify(project));
    await helios(['allow']);
  };

  it('is worked on by the provider that it names, whatever keys and preferences there are', async () => {
    await write({ provider: 'demo' });
    await mkdir(path.join(folder, 'home'), { recursive: true });
    await writeFile(
      path.join(folder, 'home/preferences.json'),
      '{"provider": "claude", "model": "claude-opus-4-6"}',
    );
    const { out, err } = await helios(goal, '', { ANTHROPIC_API_KEY: 'sk-of-nobody' });
    assert.match(out, /^Goal: .*\n(?:demo|offline demo)/, err);
  });

  it('is worked on by whom the command line names before that', async () => {
    await write({ provider: 'openai' });
    const { out, err } = await helios(['-P', 'demo', ...goal]);
    assert.match(out, /^Goal: .*\n(?:demo|offline demo)/, err);
  });

  it('says where the name of a provider stands that is none', async () => {
    await write({ provider: 'claud' });
    const { code, err } = await helios(goal);
    assert.equal(code, 1);
    assert.match(
      err,
      /^helios: .*helios\.json names the provider claud, which does not exist\.\nName one of: claude, .*demo/,
    );
  });

  it('says that no channel is set', async () => {
    const { code, err } = await helios(['notify', 'test']);
    assert.equal(code, 1);
    assert.match(err, /No notification channel is configured/);
  });
});
