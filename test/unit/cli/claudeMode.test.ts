import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { parseArguments } from '../../../src/cli/arguments.ts';
import { chooseProvider } from '../../../src/cli/choose.ts';
import { fakeWorld } from '../../fakes/cliWorld.ts';

describe('the mode of Claude', () => {
  const choose = (...argv: string[]) => {
    const ignore = (): void => undefined;
    const parsed = parseArguments([...argv, 'goal'], { version: '1', commands: '', out: ignore, error: ignore });
    assert.ok(parsed.kind === 'options');
    return chooseProvider(parsed.options, () => Promise.resolve('a key'), fakeWorld({ folder: '/nowhere' }));
  };

  for (const [argv, provider] of [
    [['--claude-mode', 'cli'], 'claude-cli'],
    [['--claude-mode', 'cli', '-P', 'claude'], 'claude-cli'],
    [['-P', 'claude-cli'], 'claude-cli'],
    [['-m', 'claude-cli/opus'], 'claude-cli'],
    [['-P', 'claude'], 'claude'],
    [[], 'claude'],
  ] as const)
    it(`${argv.join(' ') || 'nothing'} chooses ${provider}`, async () => {
      assert.equal(await choose(...argv), provider);
    });

  it('goes with no other provider', () =>
    assert.rejects(
      choose('--claude-mode', 'cli', '-P', 'openai'),
      (error) => error instanceof UserFacing && /openai/.test(error.message),
    ));
});
