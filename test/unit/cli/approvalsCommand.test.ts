import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { approvalsAt } from '../../../src/compose/approvals.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

const command = { kind: 'command', machineId: 'local', folder: '/w' } as const;

describe('helios approvals', () => {
  const folder = scratchFolder();
  const home = (): string => path.join(folder(), 'home');

  const helios = async (...words: string[]) => {
    const deps = fakeDeps({ folder: folder() });
    const code = await runCli(['approvals', ...words, '--home', home()], deps);
    return { code, out: deps.stdout.text, err: deps.stderr.text };
  };
  const rows = async (): Promise<readonly { readonly id: string }[]> =>
    JSON.parse((await helios('--json')).out) as { id: string }[];

  beforeEach(() =>
    approvalsAt(home()).add([
      { scope: 'always', grant: { ...command, words: ['pip', 'install'] } },
      { scope: 'workspace', workspace: '/w', grant: { ...command, words: ['pytest'] } },
      { scope: 'workspace', workspace: '/w', grant: { kind: 'host', host: 'a\u001b[31m.org' } },
    ]),
  );

  it('lists what is approved, with what it covers', async () => {
    assert.match(
      (await helios()).out,
      /^\w{12} {2}pip install … on local \(always\)\n\w{12} {2}pytest … on local in \/w \(in workspace \/w\)\n\w{12} {2}requests to a[^\u001b]+\n$/,
    );
    assert.deepEqual((await rows()).map(({ id: _id, ...row }) => row)[1], {
      scope: 'workspace',
      workspace: '/w',
      covers: 'pytest … on local in /w',
    });
  });

  it('revokes one, and says when there is none', async () => {
    const [first] = await rows();
    const id = first?.id ?? assert.fail();
    assert.deepEqual(await helios('--revoke', id), { code: 0, out: `Revoked ${id}.\n`, err: '' });
    assert.equal((await rows()).length, 2);
    const again = await helios('--revoke', id);
    assert.equal(again.code, 1);
    assert.match(
      again.err,
      /^helios: There is no approval \w+\.\nList them with helios approvals\.$/m,
    );
  });

  it('says that nothing is approved, or why the file cannot be read', async () => {
    writeFileSync(path.join(home(), 'approvals.json'), '{"version":1,"approvals":[]}');
    assert.equal((await helios()).out, 'Nothing is approved.\n');
    writeFileSync(path.join(home(), 'approvals.json'), '{');
    const { code, err } = await helios();
    assert.equal(code, 1);
    assert.match(err, /approvals\.json cannot be read .*\nCorrect the file, or delete it/);
  });
});
