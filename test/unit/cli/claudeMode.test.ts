import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { chooseProvider } from '../../../src/cli/choose.ts';
import { readerOf } from '../../../src/cli/commandTable.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';

describe('the mode of Claude', () => {
  async function choose(...argv: string[]): Promise<string | undefined> {
    const deps = fakeDeps({ folder: '/nowhere' });
    let chosen: string | undefined;
    await readerOf([...argv, 'goal'], { deps, home: undefined, code: 0 }, async (options) => {
      chosen = await chooseProvider(options, () => Promise.resolve('a key'), deps);
      return 0;
    }).parseAsync([...argv, 'goal'], { from: 'user' });
    return chosen;
  }

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
