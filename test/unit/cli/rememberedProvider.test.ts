import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { allowProject } from '../../fakes/allowProject.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import type { WireServer } from '../../fakes/wire.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';
import { startWireOpenaiResponses } from '../../fakes/wireOpenaiResponses.ts';

const quit = { toolCalls: [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }] };
const claudeKey = { ANTHROPIC_API_KEY: 'sk-ant-0123456789' };
const openaiKey = { OPENAI_API_KEY: 'sk-oai-0123456789' };
const keys = { ...claudeKey, ...openaiKey };
const said = 'Provider openai, which answered last, instead of claude. Choose another with -P.';

describe('the provider that answered last', () => {
  const folder = scratchFolder();
  let anthropic: WireServer;
  let openai: WireServer;
  beforeEach(async () => {
    anthropic = await startWireAnthropic(() => quit);
    openai = await startWireOpenaiResponses(() => quit);
  });
  afterEach(async () => {
    await anthropic.close();
    await openai.close();
  });

  const file = (): string => path.join(folder(), 'home', 'last-provider.json');
  const put = (name: string, content: string): void => {
    mkdirSync(path.dirname(path.join(folder(), name)), { recursive: true });
    writeFileSync(path.join(folder(), name), content);
  };
  const putLast = (content: string): void => put('home/last-provider.json', content);
  const openaiLast = '{"version":1,"provider":"openai"}';

  const helios = async (
    argv: readonly string[],
    env: Record<string, string> = keys,
  ): Promise<FakeDeps & { code: number }> => {
    const urls = { ANTHROPIC_BASE_URL: anthropic.url, OPENAI_BASE_URL: openai.url };
    const deps = fakeDeps({ folder: folder(), env: { ...env, ...urls } });
    deps.stdin.end();
    return Object.assign(deps, { code: await runCli([...argv, '--yes', 'a goal'], deps) });
  };
  const asked = (): [claude: number, openai: number] => [
    anthropic.requests.length,
    openai.requests.length,
  ];

  it('is used for the next goal, and named in the first line where another has a key first', async () => {
    const first = await helios(['-P', 'openai']);
    assert.equal(first.code, 2, first.stderr.text);
    assert.doesNotMatch(first.stdout.text, /answered last/);
    const next = await helios([]);
    assert.equal(next.stdout.text.split('\n')[0], said);
    assert.deepEqual(asked(), [0, 2]);
    const alone = await helios([], openaiKey);
    assert.doesNotMatch(alone.stdout.text, /answered last/);
    assert.deepEqual(asked(), [0, 3]);
  });

  it('is kept in a file that only the user can read', async () => {
    await helios(['-m', 'openai/gpt-5.4']);
    assert.equal(readFileSync(file(), 'utf8'), '{"version":1,"provider":"openai"}\n');
    assert.equal(statSync(file()).mode & 0o777, 0o600);
  });

  it('is named beside JSON lines and a printed answer, not in them', async () => {
    putLast(openaiLast);
    const json = await helios(['--json']);
    assert.match(json.stderr.text, new RegExp(`^${said}$`, 'm'));
    for (const line of json.stdout.text.trimEnd().split('\n')) JSON.parse(line);
    const printed = await helios(['--print']);
    assert.match(printed.stderr.text, new RegExp(`^${said}$`, 'm'));
    assert.doesNotMatch(printed.stdout.text, /answered last/);
  });

  it('gives way to options, to preferences and to the project', async () => {
    putLast(openaiLast);
    const { stdout } = await helios(['-P', 'claude']);
    assert.doesNotMatch(stdout.text, /answered last/);
    assert.deepEqual(asked(), [1, 0]);
    putLast(openaiLast);
    put('home/preferences.json', '{"provider":"claude"}');
    await helios([]);
    assert.deepEqual(asked(), [2, 0]);
    putLast(openaiLast);
    put('home/preferences.json', '{}');
    put('helios.json', '{"provider":"claude"}');
    await allowProject(path.join(folder(), 'home'), folder());
    await helios([]);
    assert.deepEqual(asked(), [3, 0]);
  });

  it('is not the one that a project chose, unless an option names it', async () => {
    put('helios.json', '{"provider":"openai"}');
    await allowProject(path.join(folder(), 'home'), folder());
    await helios([]);
    assert.deepEqual(asked(), [0, 1]);
    assert.equal(existsSync(file()), false);
    await helios(['-P', 'openai']);
    assert.equal(existsSync(file()), true);
  });

  it('is none that failed, nor the demo', async () => {
    openai.reply(() => ({ status: 401, message: 'no' }));
    assert.equal((await helios(['-P', 'openai'])).code, 1);
    assert.equal((await helios(['-P', 'demo', '--max-turns', '1'])).code, 2);
    assert.equal(existsSync(file()), false);
  });

  it('is forgotten for a goal where it has no key', async () => {
    putLast(openaiLast);
    const { stdout } = await helios([], claudeKey);
    assert.doesNotMatch(stdout.text, /answered last/);
    assert.deepEqual(asked(), [1, 0]);
    putLast('{"version":1,"provider":"chatgpt"}');
    await helios([]);
    assert.deepEqual(asked(), [2, 0]);
  });

  const useless: [what: string, content: string][] = [
    ['no JSON', 'openai'],
    ['of another version', '{"version":2,"provider":"openai"}'],
    ['of another form', '{"version":1,"provider":["openai"]}'],
    ['with a provider that there is not', '{"version":1,"provider":"mistral"}'],
    ['with an endpoint that is gone', '{"version":1,"provider":"lab"}'],
    ['with a provider of VS Code', '{"version":1,"provider":"vscode"}'],
    ['with the demo', '{"version":1,"provider":"demo"}'],
  ];
  for (const [what, content] of useless)
    it(`is ignored in a file ${what}`, async () => {
      putLast(content);
      const { code, stdout, stderr } = await helios([]);
      assert.deepEqual([code, stderr.text], [2, '']);
      assert.doesNotMatch(stdout.text, /answered last/);
      assert.deepEqual(asked(), [1, 0]);
    });

  it('is used where no provider has a key, and says so', async () => {
    putLast('{"version":1,"provider":"compatible"}');
    const { stdout } = await helios(['--max-turns', '1'], {});
    assert.equal(
      stdout.text.split('\n')[0],
      'Provider compatible, which answered last. Choose another with -P.',
    );
  });
});
