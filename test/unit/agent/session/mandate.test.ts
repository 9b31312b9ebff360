import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { runCli } from '../../../../src/cli/cli.ts';
import { fakeDeps } from '../../../fakes/cliDeps.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import {
  eventsOf,
  testEngine,
  type TestEngine,
  type TestEngineOptions,
} from '../../../fakes/testEngine.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

const quit = { name: 'finish', input: { outcome: 'blocked', summary: 'enough' } };
const write = (file: string) => ({ name: 'write_file', input: { path: file, content: 'x\n' } });

describe('a session in mode mandate', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const decisions = async (
    calls: readonly { name: string; input: object }[],
    options: TestEngineOptions = { settings: { permissionMode: 'mandate' } },
  ) => {
    bed ??= await testEngine(new ScriptedModel([...calls, quit].map((each) => [each])), options);
    const session = await bed.start();
    await session.ended;
    const decided = eventsOf(session, 'permission.decided');
    return { session, decided: decided.map(({ isAllowed, by, why }) => ({ isAllowed, by, why })) };
  };

  it('says which optional part of a launch is refused, where the rest would be allowed', async () => {
    const launch = (input: object) => ({
      name: 'remote_exec_background',
      input: { machine_id: 'local', command: 'python3 train.py', ...input },
    });
    const { session } = await decisions([
      launch({ env: { OUT: '/etc/out', SEED: 1 } }),
      launch({ env: { OUT: '/etc/out' } }),
      launch({ log_path: '/etc/train.log', env: { SEED: 1 } }),
      launch({ env: { HF_TOKEN: 'x', SEED: 1 } }),
      launch({ command: 'reboot', env: { SEED: 1 } }),
      {
        name: 'sweep',
        input: {
          command_template: 'python3 train.py --lr {lr}',
          params: { lr: [1] },
          env: { OUT: '/etc/out' },
        },
      },
    ]);
    const advice = eventsOf(session, 'tool.finished').map(
      ({ text }) => /Leave out .*$/.exec(text)?.[0],
    );
    const allowed = (part: string): string => `Leave out \`${part}\`; the rest would be allowed.`;
    assert.deepEqual(advice.slice(0, 6), [
      allowed('env.OUT'),
      allowed('env'),
      allowed('log_path'),
      'Leave out `env.HF_TOKEN`; the rest is valid.',
      undefined,
      allowed('env'),
    ]);
  });

  it('writes files of the working folder, and no other, no protected one and none by a link', async () => {
    const files = ['train.py', '/etc/helios-no', 'helios.json', '.vscode/tasks.json', 'out/x'];
    bed = await testEngine(new ScriptedModel([...files.map(write), quit].map((each) => [each])), {
      settings: { permissionMode: 'mandate' },
    });
    await symlink(path.dirname(bed.work), path.join(bed.work, 'out'));
    const { decided } = await decisions([]);
    const each = ', and each change needs an approval';
    assert.deepEqual(
      decided.slice(0, 5).map(({ isAllowed, why }) => [isAllowed, why]),
      [
        [true, 'the mandate covers it'],
        [false, `outside the mandate: it writes /etc/helios-no: write below ${bed.work} or /tmp`],
        [
          false,
          `outside the mandate: ${bed.work}/helios.json is a file of settings of Helios${each}`,
        ],
        [
          false,
          `outside the mandate: ${bed.work}/.vscode/tasks.json is a file of settings of the editor${each}`,
        ],
        [false, 'outside the mandate: it may do other than it says'],
      ],
    );
  });

  it('does nothing with a bad mandate of the user, and says so first', async () => {
    bed = await testEngine(new ScriptedModel([[write('train.py')], [quit]]), {
      settings: { permissionMode: 'mandate' },
    });
    await mkdir(path.join(bed.home, 'mandates'), { recursive: true });
    await writeFile(path.join(bed.home, 'mandates', 'a.json'), '{"host": []}');
    const { session, decided } = await decisions([]);
    assert.equal(decided[0]?.isAllowed, false);
    const [started] = eventsOf(session, 'session.started');
    assert.match(started?.permissions?.note ?? '', /^The mandate grants nothing: .*a\.json/);
  });

  it('applies in place of ask where nobody can be asked, and says so first', async () => {
    const options = { isAlone: true, settings: { permissionMode: 'ask' } } as const;
    const { session, decided } = await decisions([write('train.py'), write('/etc/no')], options);
    assert.deepEqual(
      decided.slice(0, 2).map(({ isAllowed, by }) => [isAllowed, by]),
      [
        [true, 'mandate'],
        [false, 'mandate'],
      ],
    );
    const [started] = eventsOf(session, 'session.started');
    assert.equal(started?.permissions?.mode, 'mandate');
  });
});

describe('helios without a terminal', () => {
  const folder = scratchFolder();
  const helios = async (...words: string[]) => {
    const model = new ScriptedModel([[write('train.py')], [write('/etc/no')], [quit]]);
    const deps = fakeDeps({ folder: folder(), model });
    deps.stdin.end();
    const code = await runCli(['-P', 'demo', ...words], deps);
    return { code, out: deps.stdout.text, err: deps.stderr.text };
  };

  it('works within the mandate, and says so in its first lines', async () => {
    const { out, err } = await helios('bring loss below 1');
    assert.match(out, /^Goal: .*\n.*\nPermission mode mandate instead of ask: nobody can be/, err);
    assert.match(out, /Not allowed.*outside the mandate: it writes \/etc\/no/);
    assert.match((await helios('--mode', 'mandate', 'bring loss below 1')).out, /outside the man/);
  });

  it('refuses to begin in a mode that would ask', async () => {
    const { code, err } = await helios('--mode', 'ask', 'bring loss below 1');
    assert.equal(code, 1);
    assert.match(err, /cannot ask for approvals.*\n.*--mode mandate/);
  });
});
