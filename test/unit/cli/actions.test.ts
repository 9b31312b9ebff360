import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { SessionActions } from '../../../src/agent/journal/actions.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';

const key = 'sk-ant-api03-4fV9xQ2mLr7TbN1cZs8KwPeYgHdUj3';

describe('helios actions', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'helios-cli-'))));
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  async function helios(...words: readonly string[]): Promise<FakeDeps> {
    const model = new ScriptedModel([
      [{ name: 'remote_exec', input: { command: `echo ${key}; exit 3`, cwd: folder } }],
      [{ name: 'remote_exec', input: { command: 'rm -rf /' } }],
      [{ name: 'write_file', input: { path: 'made.py', content: 'x = 1\n' } }],
      [{ name: 'remote_exec_background', input: { command: 'echo loss=1' } }],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'done' } }],
    ]);
    const deps = fakeDeps({ folder, model });
    await runCli([...words, '--home', path.join(folder, 'home')], deps);
    return deps;
  }

  it('lists what the newest session did and what it was refused, without secrets', async () => {
    await helios('bring loss < 0.7', '--provider', 'demo', '--yes');
    const { text } = (await helios('actions')).stdout;
    assert.match(text, /^ {2}.* · local · .*exit code 3 · allowed by .*\n {6}echo .*; exit 3$/m);
    assert.ok(!text.includes(key), text);
    assert.match(
      text,
      /^ {2}.* · local · .* · run 1 · .*allowed: permission mode is allow\n {6}echo loss=1$/m,
    );
    assert.match(text, /^Files \(1\)\n {2}.*made\.py · 1 call · last /m);
    assert.match(text, /^Hosts \(0\)$/m);
    assert.match(text, /^Refused \(1\)\n.* · refused by a rule: .*\n {6}local: rm -rf \/$/m);

    const json = JSON.parse((await helios('actions', '1', '--json')).stdout.text) as SessionActions;
    assert.equal(json.goal, 'bring loss < 0.7');
    assert.deepEqual(
      json.actions.filter(({ decision }) => decision?.isAllowed === false).map(({ tool }) => tool),
      ['remote_exec'],
    );
  });
});
