import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import type { WireServer } from '../../fakes/wire.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';
import { startWireOpenaiResponses } from '../../fakes/wireOpenaiResponses.ts';

const quit = { toolCalls: [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }] };

describe('helios models', () => {
  const folder = scratchFolder();
  let anthropic: WireServer;
  let openai: WireServer;
  beforeEach(async () => {
    anthropic = await startWireAnthropic(() => quit);
    openai = await startWireOpenaiResponses(() => quit);
    const claude = (id: string, more = {}) => ({
      id,
      type: 'model',
      display_name: id,
      created_at: '2026-01-01T00:00:00Z',
      ...more,
    });
    anthropic.offer([
      claude('claude-opus-5-5', { max_input_tokens: 900_000 }),
      claude('claude-opus-4-6'),
      claude('claude-haiku-4-5-20251001', { lifecycle: 'deprecated' }),
    ]);
    openai.offer(
      ['gpt-5.4', 'gpt-5.4-mini', 'whisper-1'].map((id) => ({
        id,
        object: 'model',
        created: 1,
        owned_by: 'openai',
      })),
    );
  });
  afterEach(async () => {
    await anthropic.close();
    await openai.close();
  });

  const keys = { ANTHROPIC_API_KEY: 'sk-ant-0123456789', OPENAI_API_KEY: 'sk-oai-0123456789' };
  const helios = async (
    argv: readonly string[],
    env: Record<string, string> = keys,
  ): Promise<FakeDeps & { code: number }> => {
    const deps = fakeDeps({
      folder: folder(),
      env: { ...env, ANTHROPIC_BASE_URL: anthropic.url, OPENAI_BASE_URL: openai.url },
    });
    deps.stdout.columns = 120;
    return Object.assign(deps, { code: await runCli(argv, deps) });
  };

  it('lists what the providers say, with sizes and prices, no wider than the terminal', async () => {
    const { code, stdout, stderr } = await helios(['models']);
    assert.deepEqual([code, stderr.text], [0, '']);
    const lines = stdout.text.split('\n');
    assert.match(lines[0] ?? '', /^provider +model +context +output +price +notes$/);
    const line = (id: string): string => lines.find((each) => each.includes(` ${id} `)) ?? '';
    assert.match(
      line('claude-opus-5-5'),
      /^claude +claude-opus-5-5 +900k +128k +\$4\.00 \/ \$20\.00 +default, Claude Opus 5\.5$/,
    );
    assert.match(
      line('claude-haiku-4-5-20251001'),
      /\$1\.00 \/ \$5\.00 +retiring, Claude Haiku 4\./,
    );
    assert.match(
      line('gpt-5.4'),
      /^openai +gpt-5\.4 +1\.05M +128k +\$2\.50 \/ \$15\.00 +default, GPT-5\.4$/,
    );
    assert.match(line('scripted'), /^demo .*\$0\.00 \/ \$0\.00/);
    assert.doesNotMatch(stdout.text, /^openai +whisper|claude-fable|sk-/m);
    assert.match(stdout.text, /Prices are US dollars per million tokens/);
    assert.match(stdout.text, /^chatgpt: You are not signed in to ChatGPT/m);
    assert.ok(lines.every((each) => each.length <= 120 || !/^\w+ +\w+/.test(each)));
  });

  it('asks again only when told to', async () => {
    await helios(['models']);
    const pages = anthropic.listings.length;
    await helios(['models', '--provider', 'claude']);
    await helios(['models', '-P', 'openai', '--refresh']);
    assert.equal(anthropic.listings.length, pages);
    const { stdout } = await helios(['models', '--refresh', '-P', 'claude']);
    assert.equal(anthropic.listings.length, 2 * pages);
    assert.doesNotMatch(stdout.text, /gpt/);
  });

  it('says below the table who could not be asked, and lists what is known of them', async () => {
    openai.offer({ status: 401, message: 'no' });
    const { code, stdout } = await helios(['models'], { OPENAI_API_KEY: keys.OPENAI_API_KEY });
    assert.equal(code, 0);
    assert.match(
      stdout.text,
      /\nNot queried .*:\nclaude: There is no key for Anthropic\. Set ANTHROPIC_API_KEY/,
    );
    assert.match(stdout.text, /\nopenai: OpenAI answered 401: .*Set OPENAI_API_KEY/);
    assert.doesNotMatch(stdout.text, /claude-opus/);
    assert.equal(anthropic.listings.length, 0);
    const named = await helios(['models', '-P', 'claude'], {});
    assert.match(named.stdout.text, /^claude +claude-opus-5-5 .*default, not queried/m);
  });

  it('writes JSON for programs', async () => {
    const { stdout } = await helios([
      '--home',
      'elsewhere',
      'models',
      '--json',
      '--provider',
      'claude',
    ]);
    const { models, problems } = JSON.parse(stdout.text) as {
      models: Record<string, unknown>[];
      problems: object;
    };
    assert.deepEqual(problems, {});
    assert.deepEqual(
      models.map(({ provider, id, source, isDefault }) => [provider, id, source, isDefault]),
      [
        ['claude', 'claude-opus-5-5', 'live', true],
        ['claude', 'claude-opus-4-6', 'live', false],
        ['claude', 'claude-haiku-4-5-20251001', 'live', false],
      ],
    );
    assert.ok(existsSync(path.join(folder(), 'elsewhere', 'models.json')));
  });

  it('says what it understands', async () => {
    for (const [argv, said] of [
      [
        ['models', '--jsn'],
        /^helios: Unknown option '--jsn'\. Did you mean --json\?\nSee helios models --help\.$/m,
      ],
      [
        ['models', 'opus'],
        /Too many arguments for 'models'\. Expected 0 arguments but got 1: opus\.\nSee helios models --help/,
      ],
      [['models', '-P', 'opneai'], /no model provider opneai.*\n.*claude, openai/],
    ] as const) {
      const { code, stderr } = await helios(argv);
      assert.equal(code, 1);
      assert.match(stderr.text, said);
    }
  });

  const goal = ['--yes', '--json', 'bring loss < 1'];
  const started = ({ stdout }: FakeDeps): unknown[] => {
    const { provider, model } = JSON.parse(stdout.text.split('\n')[0] ?? '') as Record<
      string,
      unknown
    >;
    return [provider, model];
  };
  const words: readonly [argv: readonly string[], started: readonly string[]][] = [
    [[], ['claude', 'claude-opus-5-5']],
    [
      ['-m', 'opus'],
      ['claude', 'claude-opus-5-5'],
    ],
    [
      ['-m', 'opus 4.6'],
      ['claude', 'claude-opus-4-6'],
    ],
    [
      ['-m', 'gpt-mini'],
      ['openai', 'gpt-5.4-mini'],
    ],
    [
      ['-m', 'openai/gpt-5.4'],
      ['openai', 'gpt-5.4'],
    ],
    [
      ['-P', 'openai'],
      ['openai', 'gpt-5.4'],
    ],
    [
      ['-P', 'openai', '-m', 'gpt-private'],
      ['openai', 'gpt-private'],
    ],
  ];
  for (const [argv, expected] of words)
    it(`begins a session with ${expected.join('/')} for ${argv.join(' ') || 'no words'}, and records the id`, async () => {
      await helios(['models']);
      const world = await helios([...argv, ...goal]);
      assert.deepEqual(started(world), expected, world.stderr.text);
    });

  it('asks the providers when a word is not known yet, and only then', async () => {
    anthropic.offer([{ id: 'claude-nova-1', line: null }]);
    assert.deepEqual(started(await helios(['-m', 'nova', ...goal])), ['claude', 'claude-nova-1']);
    const { code, stderr } = await helios(['-m', 'noav', ...goal]);
    assert.equal(code, 1);
    assert.match(stderr.text, /There is no model noav\.\nDid you mean nova\?/);
  });

  it('says before anything else that the model of a word cannot be called', async () => {
    const { code, stderr } = await helios(['-m', 'gpt', ...goal], {
      ANTHROPIC_API_KEY: 'sk-ant-0123456789',
    });
    assert.equal(code, 1);
    assert.match(stderr.text, /There is no key for OpenAI\.\nSet OPENAI_API_KEY/);
    assert.equal(existsSync(path.join(folder(), 'home', 'sessions')), false);
  });

  it('sends the level of reasoning, and says when the model does not know it', async () => {
    const low = await helios(['-m', 'openai/gpt-5.1-codex-mini', '--effort', 'max', ...goal]);
    assert.equal((openai.requests[0]?.body.reasoning as { effort: string }).effort, 'high');
    assert.match(low.stderr.text, /gpt-5\.1-codex-mini supports low, medium, high; high is used\./);
    const known = await helios(['-m', 'openai/gpt-5.4', '--effort', 'low', ...goal]);
    assert.equal((openai.requests.at(-1)?.body.reasoning as { effort: string }).effort, 'low');
    assert.doesNotMatch(known.stderr.text, /knows/);
    const preferred = path.join(folder(), 'home', 'preferences.json');
    writeFileSync(preferred, '{"effort":"xhigh"}');
    const fromFile = await helios(['-m', 'openai/gpt-5.1-codex-mini', ...goal]);
    assert.match(fromFile.stderr.text, /supports low, medium, high; high is used\./);
    const unused = await helios(['-m', 'openai/gpt-4.1', ...goal]);
    assert.doesNotMatch(unused.stderr.text, /reasoning effort/);
    assert.equal((await helios(['--effort', 'much', ...goal])).code, 1);
  });

  it('goes on with another model and level when they are asked for, and stays with the provider of the session', async () => {
    await helios(['models']);
    await helios(['-m', 'opus 4.6', ...goal]);
    const [other] =
      (await helios(['-c', '--effort', 'low', '-m', 'opus', ...goal])).stdout.text.match(
        /\{.*model_changed.*\}/,
      ) ?? [];
    assert.match(other ?? '', /"provider":"claude","model":"claude-opus-5-5"/);
    assert.deepEqual(anthropic.requests.at(-1)?.body.output_config, { effort: 'low' });
    const across = await helios(['-c', '-m', 'gpt', ...goal]);
    assert.match(across.stdout.text, /"provider":"openai","model":"gpt-5\.4"/);
    assert.equal((openai.requests.at(-1)?.body.reasoning as { effort: string }).effort, 'low');
  });

  it('answers a question with the model of a word', async () => {
    await helios(['models']);
    openai.reply(() => ({ text: 'Warm.' }));
    const { stdout } = await helios([
      '-p',
      '-m',
      'gpt-mini',
      '--effort',
      'high',
      'what is warm-up for?',
    ]);
    assert.equal(stdout.text, 'Warm.\n');
    assert.equal(openai.requests[0]?.body.model, 'gpt-5.4-mini');
    assert.equal((openai.requests[0]?.body.reasoning as { effort: string }).effort, 'high');
  });
});
