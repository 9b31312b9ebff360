import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import type { CliOptions } from '../../../src/cli/arguments.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { readerOf } from '../../../src/cli/commandTable.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';

const world = () => fakeDeps({ folder: '/nowhere' });

async function parse(...argv: string[]): Promise<CliOptions | undefined> {
  let taken: CliOptions | undefined;
  const take = (options: CliOptions): Promise<number> => {
    taken = options;
    return Promise.resolve(0);
  };
  await readerOf(argv, { deps: world(), home: undefined, code: 0 }, take).parseAsync(argv, {
    from: 'user',
  });
  return taken;
}

describe('command line', () => {
  const accepted: [string[], Partial<CliOptions>][] = [
    [[], { text: undefined, provider: undefined, claudeMode: 'api', mode: undefined, budget: {} }],
    [['train it', 'well'], { text: 'train it well' }],
    [['-P', 'demo', 'goal'], { provider: 'demo', text: 'goal' }],
    [['--provider', 'openai', '-m', 'gpt-5.4', 'goal'], { provider: 'openai', model: 'gpt-5.4' }],
    [['--claude-mode', 'cli', 'goal'], { claudeMode: 'cli' }],
    [['-p', 'question'], { isPrint: true, text: 'question' }],
    [['-c'], { isContinue: true }],
    [['-c', 'use lr 0.1'], { isContinue: true, text: 'use lr 0.1' }],
    [
      ['-r', 's-0mb2k4x9qf3t7ab'],
      { resume: 's-0mb2k4x9qf3t7ab' as NonNullable<CliOptions['resume']> },
    ],
    [['--home', '/tmp/h', 'goal'], { home: '/tmp/h' }],
    [['--json', '--yes', 'goal'], { isJson: true, mode: 'allow' }],
    [['--headless', 'goal'], { isHeadless: true, mode: undefined, text: 'goal' }],
    [['goal'], { isHeadless: false }],
    [
      ['--max-turns', '5', '--budget-usd', '1.5', '--max-minutes', '.5', 'g'],
      { budget: { turns: 5, usd: 1.5, minutes: 0.5 } },
    ],
    [['--budget-tokens', '2M', 'g'], { budget: { tokens: 2_000_000 } }],
    [['--budget-tokens', '80000', 'g'], { budget: { tokens: 80_000 } }],
    [
      ['--budget-experiment', '$0.50, 20 min', '--budget-day', '$20, 5M tokens', 'g'],
      {
        budget: { experiment: { usd: 0.5, minutes: 20 } },
        dayLimits: { usd: 20, tokens: 5_000_000 },
      },
    ],
  ];
  for (const [argv, expected] of accepted) {
    it(`takes: helios ${argv.join(' ')}`, async () => {
      const options = await parse(...argv);
      assert.deepEqual({ ...options, ...expected }, options);
    });
  }

  const refused: [string[], RegExp][] = [
    [['-P', 'mistral', 'g'], /Allowed choices are claude, .*openai, .*demo/],
    [['--claude-mode', 'web', 'g'], /Allowed choices are cli, api/],
    [['--max-turns', '1.5', 'g'], /whole number above 0, such as 50/],
    [['--max-turns', '0', 'g'], /whole number above 0/],
    [['--max-turns', 'many', 'g'], /whole number above 0/],
    [['--budget-usd', '-1', 'g'], /number above 0, such as 1.5/],
    [['--budget-usd', '1e999', 'g'], /number above 0/],
    [['--budget-tokens', 'a few', 'g'], /a number of tokens, such as 2M/],
    [['--budget-experiment', 'plenty', 'g'], /“plenty” is not a limit/],
    [['--budget-experiment', '$1 per day', 'g'], /Only limits per experiment are allowed/],
    [['--budget-day', '', 'g'], /[Mm]ust not be empty/],
    [['--budget-day', '2 h', 'g'], /limits per day are in dollars or tokens/],
    [['--max-minutes', 'NaN', 'g'], /number above 0/],
    [['--continue', '--resume', 's-0mb2k4x9qf3t7ab'], /cannot be used with/],
    [['--print', '--continue', 'g'], /cannot be used with/],
    [['--model', '', 'g'], /ust not be empty/],
    [['--colour', 'g'], /^Unknown option '--colour'\.$/],
    [['--resum', 'g'], /^Unknown option '--resum'\. Did you mean --resume\?$/],
    [['--home'], /^Option '--home <folder>' argument missing\.$/],
    [['--home', '', 'g'], /'--home <folder>' argument '' is invalid\. Must not be empty\.$/],
  ];
  for (const [argv, message] of refused) {
    it(`refuses: helios ${argv.join(' ')}`, () =>
      assert.rejects(
        () => parse(...argv),
        (error) => {
          assert.ok(error instanceof UserFacing);
          assert.match(error.message, message);
          return error.action === 'See helios --help.';
        },
      ));
  }

  it('writes a refusal with what to do', async () => {
    const it = world();
    assert.equal(await runCli(['--colour', 'g'], it), 1);
    assert.deepEqual(
      [it.stdout.text, it.stderr.text],
      ['', "helios: Unknown option '--colour'.\nSee helios --help.\n"],
    );
  });

  it('prints help with every option and examples, and the version', async () => {
    const help = world();
    assert.equal(await runCli(['--help'], help), 0);
    for (const option of [
      '-P, --provider',
      '-p, --print',
      '--budget-day',
      '--home',
      '-v, --version',
      '--headless',
      '-h, --help',
    ])
      assert.match(help.stdout.text, new RegExp(`^  ${option} `, 'm'));
    assert.match(help.stdout.text, /Examples:/);
    assert.match(
      help.stdout.text,
      /Exit code: 0 goal met or best found, 2 ended otherwise, 1 error, 130 interrupted/,
    );
    for (const argv of [['--version'], ['-v'], ['--home', '/nowhere/h', '-v']]) {
      const version = world();
      assert.equal(await runCli(argv, version), 0);
      assert.deepEqual([version.stdout.text, version.stderr.text], ['9.9.9\n', '']);
    }
  });
});
