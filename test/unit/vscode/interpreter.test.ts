import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'mocha';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { interpreterEnv } from '../../../src/machines/local/interpreterEnv.ts';
import {
  interpreterOf,
  type InterpreterSources,
} from '../../../src/vscode/ui/interpreterChoices.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';

describe('the interpreter that is selected in VS Code', () => {
  const sources = (apis: Record<string, unknown>, configured?: string): InterpreterSources => ({
    api: (id) => Promise.resolve(apis[id]),
    resource: 'file:///project',
    folder: '/project',
    homeFolder: '/home/ada',
    configured,
  });
  const python = (path: string, fsPath?: string) => ({
    environments: {
      getActiveEnvironmentPath: (resource: unknown) => {
        assert.equal(resource, 'file:///project');
        return { id: path, path };
      },
      resolveEnvironment: () =>
        Promise.resolve(fsPath === undefined ? undefined : { executable: { uri: { fsPath } } }),
    },
  });
  const environments = (executable?: string) => ({
    getEnvironment: () => Promise.resolve(executable && { execInfo: { run: { executable } } }),
  });
  const [ms, envs] = ['ms-python.python', 'ms-python.vscode-python-envs'];

  const cases: readonly (readonly [string, InterpreterSources, string | undefined])[] = [
    ['none without extensions', sources({}), undefined],
    [
      'that of the Python extension',
      sources({ [ms]: python('/e', '/e/bin/python') }),
      '/e/bin/python',
    ],
    [
      'its path when it is not resolved',
      sources({ [ms]: python('/v/bin/python') }),
      '/v/bin/python',
    ],
    ['no bare name', sources({ [ms]: python('python') }), undefined],
    [
      'that of the environments extension',
      sources({ [ms]: python('python'), [envs]: environments('/c/bin/python') }),
      '/c/bin/python',
    ],
    [
      'that of the setting',
      sources({}, '${workspaceFolder}/.venv/bin/python'),
      resolve('/project/.venv/bin/python'),
    ],
    [
      'one in the home folder',
      sources({}, '~/venv/bin/python'),
      resolve('/home/ada/venv/bin/python'),
    ],
    ['no default of the setting', sources({}, 'python'), undefined],
    [
      'that of the setting when an extension fails',
      sources({ [ms]: { environments: {} } }, '/opt/py/bin/python3'),
      resolve('/opt/py/bin/python3'),
    ],
  ];
  for (const [what, given, expected] of cases)
    it(`is ${what}`, async () => assert.equal(await interpreterOf(given), expected));

  const folder = scratchFolder();
  needs('posix')('comes first for commands on this computer, with its environment', async () => {
    const bin = join(folder(), '.venv/bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(folder(), '.venv/pyvenv.cfg'), '');
    writeFileSync(join(bin, 'python'), '#!/bin/sh\necho "mine in $VIRTUAL_ENV"\n', { mode: 0o755 });
    const env = interpreterEnv(join(bin, 'python'), process.env);
    const machine = new LocalMachine({ runsFolder: folder(), workFolder: folder() });
    const { stdout } = await machine.exec('python', { env });
    assert.equal(stdout, `mine in ${join(folder(), '.venv')}\n`);
    assert.deepEqual(interpreterEnv(join(folder(), 'gone/bin/python'), process.env), {});
  });
});
