import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';

describe('helios report', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'helios-cli-'))));
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  async function helios(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly deps: FakeDeps }> {
    const model = new ScriptedModel([
      [
        {
          name: 'remote_exec_background',
          input: { command: 'echo loss=0.5', metric_names: ['loss'] },
        },
      ],
      [
        {
          name: 'sleep',
          input: {
            reason: 'r',
            wake_conditions: [{ type: 'process_exit', run: 1 }],
            deadline_minutes: 1,
          },
        },
      ],
      [
        {
          name: 'finish',
          input: { outcome: 'goal_met', summary: 'done', evidence: [{ run: '1', metric: 'loss' }] },
        },
      ],
    ]);
    const deps = fakeDeps({ folder, model });
    return { code: await runCli([...words, '--home', path.join(folder, 'home')], deps), deps };
  }

  it('prints the brief of the newest session, and writes nothing', async () => {
    const { deps } = await helios('bring loss < 0.7', '--provider', 'demo', '--yes');
    const written = /^Report +(.+)$/m.exec(deps.stdout.text)?.[1] ?? '';
    await rm(path.join(folder, 'helios-reports'), { recursive: true });
    const { code, deps: read } = await helios('report');
    assert.equal(code, 0, read.stderr.text);
    assert.match(read.stdout.text, /^# bring loss \\< 0\.7\n[\s\S]*\*\*loss 0\.5\*\*: \[run 1\]/);
    assert.ok(!(await readdir(folder)).includes('helios-reports'), written);
  });

  it('writes it beside what a user changed, and prints where', async () => {
    const { deps } = await helios('bring loss < 0.7', '--provider', 'demo', '--yes');
    const file = /^Report +(.+)$/m.exec(deps.stdout.text)?.[1] ?? '';
    await writeFile(file, 'my own words');
    const { code, deps: second } = await helios('report', '1', '--write');
    assert.equal(code, 0, second.stderr.text);
    const [brief = '', writeup = ''] = second.stdout.text.trim().split('\n');
    assert.deepEqual([path.basename(brief), path.basename(writeup)], ['brief-2.md', 'writeup.md']);
    assert.equal(await readFile(file, 'utf8'), 'my own words');
    assert.match(await readFile(writeup, 'utf8'), /\*\*loss 0\.5\*\*/);
  });

  it('says what is wrong: no session, one that is not there, an option that is not known', async () => {
    for (const [words, problem] of [
      [['report'], /There is no session yet/],
      [['report', '--pdf'], /--pdf[\s\S]*See helios report --help/],
      [['report', '1', '2'], /Too many arguments/],
    ] as const) {
      const { code, deps } = await helios(...words);
      assert.equal(code, 1);
      assert.match(deps.stderr.text, problem);
    }
  });
});
