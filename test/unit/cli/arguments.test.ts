import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { parseArguments, type CliOptions } from '../../../src/cli/arguments.ts';

function parse(...argv: string[]): { options?: CliOptions; code?: number; out: string; error: string } {
  const written = { out: '', error: '' };
  const parsed = parseArguments(argv, {
    version: '1.2.3',
    commands: '',
    out: (text) => (written.out += text),
    error: (text) => (written.error += text),
  });
  return {
    ...written,
    ...(parsed.kind === 'options' ? { options: parsed.options } : { code: parsed.kind === 'done' ? parsed.code : -1 }),
  };
}

describe('command line', () => {
  const accepted: [string[], Partial<CliOptions>][] = [
    [[], { text: undefined, provider: undefined, claudeMode: 'api', isYes: false, budget: {} }],
    [['train it', 'well'], { text: 'train it well' }],
    [['-P', 'demo', 'goal'], { provider: 'demo', text: 'goal' }],
    [['--provider', 'openai', '-m', 'gpt-5.4', 'goal'], { provider: 'openai', model: 'gpt-5.4' }],
    [['--claude-mode', 'cli', 'goal'], { claudeMode: 'cli' }],
    [['-p', 'question'], { isPrint: true, text: 'question' }],
    [['-c'], { isContinue: true }],
    [['-c', 'use lr 0.1'], { isContinue: true, text: 'use lr 0.1' }],
    [['-r', 's-0mb2k4x9qf3t7ab'], { resume: 's-0mb2k4x9qf3t7ab' as NonNullable<CliOptions['resume']> }],
    [['--home', '/tmp/h', 'goal'], { home: '/tmp/h' }],
    [['--json', '--yes', 'goal'], { isJson: true, isYes: true }],
    [
      ['--max-turns', '5', '--budget-usd', '1.5', '--max-minutes', '.5', 'g'],
      { budget: { turns: 5, usd: 1.5, minutes: 0.5 } },
    ],
    [['--budget-tokens', '2M', 'g'], { budget: { tokens: 2_000_000 } }],
    [['--budget-tokens', '80000', 'g'], { budget: { tokens: 80_000 } }],
    [
      ['--budget-experiment', '$0.50, 20 min', '--budget-day', '$20, 5M tokens', 'g'],
      { budget: { experiment: { usd: 0.5, minutes: 20 } }, dayLimits: { usd: 20, tokens: 5_000_000 } },
    ],
  ];
  for (const [argv, expected] of accepted) {
    it(`takes: helios ${argv.join(' ')}`, () => {
      const { options, error } = parse(...argv);
      assert.equal(error, '');
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
    [['--budget-experiment', 'plenty', 'g'], /“plenty” is no limit/],
    [['--budget-experiment', '$1 per day', 'g'], /the limits of an experiment alone/],
    [['--budget-day', '', 'g'], /must not be empty/],
    [['--budget-day', '2 h', 'g'], /a day is limited in dollars or tokens/],
    [['--max-minutes', 'NaN', 'g'], /number above 0/],
    [['--resume', 'latest'], /no session id: one looks like s-/],
    [['--continue', '--resume', 's-0mb2k4x9qf3t7ab'], /cannot be used with/],
    [['--print', '--continue', 'g'], /cannot be used with/],
    [['--model', '', 'g'], /must not be empty/],
    [['--colour', 'g'], /unknown option '--colour'/],
  ];
  for (const [argv, message] of refused) {
    it(`refuses: helios ${argv.join(' ')}`, () => {
      const { code, error, out } = parse(...argv);
      assert.equal(code, 1);
      assert.match(error, message);
      assert.equal(out, '');
    });
  }

  it('prints help with examples, and the version', () => {
    const help = parse('--help');
    assert.equal(help.code, 0);
    assert.match(help.out, /Examples:/);
    assert.match(help.out, /Exit code: 0 the goal is met, 2 ended without it, 1 an error, 130 interrupted/);
    assert.deepEqual(parse('--version'), { code: 0, out: '1.2.3\n', error: '' });
  });
});
