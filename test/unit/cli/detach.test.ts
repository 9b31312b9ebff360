import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { until } from '../../fakes/scratch.ts';
import { ScriptedModel, type ScriptedReply } from '../../fakes/scriptedModel.ts';

const wait: ScriptedReply = [
  { name: 'sleep', input: { reason: 'r', wake_conditions: [{ type: 'timer', minutes: 0.02 }] } },
];

describe('a session that is left to the background', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'helios-detach-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const log = (): string => {
    try {
      return readFileSync(path.join(folder, 'home/background.log'), 'utf8');
    } catch {
      return '';
    }
  };
  const helios = async (deps: FakeDeps, ...words: readonly string[]): Promise<number> =>
    runCli([...words], deps);
  const sessions = async (): Promise<string> => {
    const deps = fakeDeps({ folder });
    await helios(deps, 'sessions');
    return deps.stdout.text;
  };
  const untilOver = (): Promise<void> =>
    until(`the background is done:\n${log()}`, () => /No session is left to continue/.test(log()));

  it('works without the terminal from its start with --detach', async () => {
    const env = { ANTHROPIC_API_KEY: 'key-of-test', CODESPACES: 'true' };
    const deps = fakeDeps({ folder, isTerminal: true, env });
    const code = await helios(deps, '-P', 'demo', '--yes', '--detach', 'bring loss below 0.3');
    assert.equal(code, 0, deps.stderr.text);
    const [, id = ''] = /^Session (s-\S+) works in the background\.\n/.exec(deps.stdout.text) ?? [];
    assert.match(deps.stdout.text, new RegExp(`helios watch ${id}\\n.*helios say ${id}`));
    assert.match(
      deps.stdout.text,
      /\nGitHub suspends this codespace.*\n {2}Launch runs on an SSH host/,
    );
    await untilOver();
    assert.match(log(), new RegExp(`Resumed session ${id}\\.[\\s\\S]*has ended: Blocked`));
    assert.doesNotMatch(log(), /key-of-test/);
    assert.match(await sessions(), /Blocked/);
  });

  it('continues when its terminal is closed', async () => {
    const model = new ScriptedModel([wait]);
    const deps = fakeDeps({ folder, model, isTerminal: true });
    const code = helios(deps, '-P', 'demo', '--yes', 'bring loss below 0.3');
    await until('it sleeps', () => /Sleep: r/.test(deps.stdout.text));
    deps.hangUps.fire();
    assert.equal(await code, 2);
    await untilOver();
    assert.match(log(), /Resumed session .*[\s\S]*has ended/);
  });

  it('cannot ask for approvals', async () => {
    const deps = fakeDeps({ folder, isTerminal: true });
    assert.equal(await helios(deps, '-P', 'demo', '--mode', 'ask', '-d', 'a goal'), 1);
    assert.match(deps.stderr.text, /cannot ask for approvals in the background/);
  });
});
