/** `helios` on Windows, without another machine. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import type { Section } from '../../../src/cli/doctor/finding.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';

describe('helios on Windows', () => {
  const folder = scratchFolder();
  const helios = async (
    ...argv: string[]
  ): Promise<FakeDeps & { readonly code: number; readonly model: ScriptedModel }> => {
    const model = new ScriptedModel([]);
    const deps = fakeDeps({ folder: folder(), platform: 'win32', model });
    return Object.assign(deps, { model, code: await runCli(argv, deps) });
  };

  for (const words of [[], ['--detach'], ['--print']])
    it(`refuses a goal ${words.join(' ')} with the commands that help, and asks no model`, async () => {
      const { code, model, stderr } = await helios('-P', 'demo', '--yes', ...words, 'loss < 1');
      assert.notEqual(code, 0);
      assert.equal(model.requests.length, 0);
      assert.match(
        stderr.text,
        /^helios: Helios cannot work here: commands cannot run on Windows itself, and there is no other machine\.\nUse WSL, an SSH host or a container:\n {2}wsl /,
      );
      assert.match(
        stderr.text,
        /\n {2}helios machine add gpu1 .*\n {2}helios machine add box --kind container/,
      );
    });

  for (const words of [[], ['-P', 'openai']])
    it(`names the missing machine before the missing key ${words.join(' ')}`.trim(), async () => {
      const { code, stderr } = await helios('--yes', ...words, 'loss < 1');
      assert.notEqual(code, 0);
      assert.match(stderr.text, /^helios: Helios cannot work here: .*\nUse WSL, an SSH host/);
    });

  it('names it in doctor and in the list of machines', async () => {
    const { stdout } = await helios('doctor', '--json');
    const findings = (JSON.parse(stdout.text) as Section[]).flatMap((section) => section.findings);
    const local = findings.filter(({ name }) => name.endsWith('local'));
    assert.deepEqual(
      local.map(({ level, name, text }) => [level, name, text]),
      [['warning', 'local', 'Windows: use WSL, SSH or a container']],
    );
    assert.match(local[0]?.action ?? '', /helios machine add/);
    const { stdout: listed } = await helios('machines');
    assert.match(listed.text, /Windows: use WSL, SSH or a container/);
  });
});
