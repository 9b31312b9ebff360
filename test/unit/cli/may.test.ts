import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('helios may', () => {
  const folder = scratchFolder();
  beforeEach(() => {
    mkdirSync(join(folder(), 'data'));
    writeFileSync(join(folder(), 'train.log'), 'loss=1\n');
  });

  const helios = async (argv: readonly string[], input = '') => {
    const deps = fakeDeps({ folder: folder(), env: {} });
    deps.stdin.end(input);
    return {
      deps: { ...deps, cwd: folder() },
      code: await runCli(argv, { ...deps, cwd: folder() }),
    };
  };
  const rowsOf = async (argv: readonly string[], input: string): Promise<readonly unknown[]> => {
    const { deps, code } = await helios(['may', '--lines', '--json', ...argv], input);
    assert.equal(code, 0, deps.stderr.text);
    return deps.stdout.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  };

  it('says whether a command would run, and why not, and runs nothing', async () => {
    const said = async (...words: string[]): Promise<string> =>
      (await helios(['may', '--', ...words])).deps.stdout.text;
    assert.equal(
      await said('grep loss train.log | tail -1'),
      'run      grep loss train.log | tail -1: only reads\n',
    );
    assert.equal(await said('touch', 'made'), 'ask      touch made: writes files\n');
    assert.equal(
      await said('ls; rm -rf ~'),
      'refuse   ls; rm -rf ~: removes or changes a whole home or system folder (rm -rf ~)\n',
    );
    assert.equal(existsSync(join(folder(), 'made')), false);
  });

  it('knows what is asked about in every mode, and the home folder of Helios', async () => {
    const state = join(folder(), 'state');
    const lines = [
      'touch .gitlab-ci.yml',
      `cat ${state}/auth/openai`,
      `touch ${state}/x`,
      'touch y',
    ];
    const rows = await rowsOf(['--mode', 'allow', '--home', state], lines.join('\n'));
    assert.deepEqual(
      (rows as readonly Record<string, string>[]).map(({ decision }) => decision),
      ['ask', 'refuse', 'refuse', 'run'],
    );
  });

  it('gives the verdict and the decision of a mode as JSON', async () => {
    const lines = 'cat train.log\npython train.py\nrm -rf /\n';
    const decisions = async (mode: string) =>
      ((await rowsOf(['--mode', mode], lines)) as readonly Record<string, string>[]).map((row) =>
        Object.values(row).slice(1),
      );
    const read = 'removes or changes a whole home or system folder';
    assert.deepEqual(await decisions('ask'), [
      ['safe', 'run', '', ''],
      ['ask', 'ask', 'runs code', 'python train.py'],
      ['deny', 'refuse', read, 'rm -rf /'],
    ]);
    assert.deepEqual(await decisions('mandate'), [
      ['safe', 'run', '', ''],
      ['ask', 'run', 'runs code', 'python train.py'],
      ['deny', 'refuse', read, 'rm -rf /'],
    ]);
    assert.deepEqual(await decisions('allow'), [
      ['safe', 'run', '', ''],
      ['ask', 'run', 'runs code', 'python train.py'],
      ['deny', 'refuse', read, 'rm -rf /'],
    ]);
  });

  it('says what is wrong with an input line, and reads the next', async () => {
    const input = ['{"line":3}', '{"line', '', 'x'.repeat(100_001), '{"line":"ls\\nls"}', 'ls'];
    const rows = (await rowsOf([], input.join('\n'))) as readonly Record<string, string>[];
    assert.deepEqual(
      rows.map(({ error, verdict }) => error ?? verdict),
      [
        'Expected {"line": "COMMAND"}.',
        'The line begins like JSON, but is not valid JSON.',
        'The line is empty.',
        'The line is too long.',
        'safe',
        'safe',
      ],
    );
  });

  it('says what it needs', async () => {
    const none = await helios(['may']);
    assert.equal(none.code, 1);
    assert.match(none.deps.stderr.text, /No command was given\.\n.*helios may -- ls/);
    const machine = await helios(['may', '--machine', 'gpu9', '--', 'ls']);
    assert.equal(machine.code, 1);
    assert.match(machine.deps.stderr.text, /There is no machine "gpu9"/);
    const mode = await helios(['may', '--mode', 'yolo', '--', 'ls']);
    assert.match(mode.deps.stderr.text, /Allowed choices are ask, mandate, allow/);
  });
});
