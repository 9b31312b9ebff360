/** What calls would need, as the gate is told before it decides. */
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { describe, it } from 'mocha';
import type { Machines } from '../../../src/machines/machine.ts';
import { MachineFailure } from '../../../src/machines/machine.ts';
import { journalAccess } from '../../../src/permissions/access.ts';
import { allTools, type AllToolsDeps } from '../../../src/tools/allTools.ts';

const read = (machineId: string, path: string) => ({ kind: 'read', machineId, path });
const write = (machineId: string, path: string) => ({ kind: 'write', machineId, path });
const command = (machineId: string, text: string) => ({
  kind: 'command',
  machineId,
  command: text,
});

/** `local` is known; of `away` nothing is known before it was reached. */
function machines(): Pick<Machines, 'get'> {
  return {
    get(id) {
      if (id === 'local')
        return { id, path: posix, workFolder: '/work', homeFolder: '/home/ada' } as ReturnType<
          Machines['get']
        >;
      throw new MachineFailure('unreachable', `${id} was not reached yet`);
    },
  };
}

const depsWith = (known: Pick<Machines, 'get'>): AllToolsDeps => {
  const deps = { machines: known, checkPlaces: () => [{ machineId: 'away', folder: '/code' }] };
  return new Proxy({} as AllToolsDeps, { get: () => deps });
};

describe('accesses', () => {
  const tools = new Map(allTools(depsWith(machines())).map((tool) => [tool.spec.name, tool]));

  const cases: readonly (readonly [tool: string, input: object, accesses: readonly object[]])[] = [
    ['read_file', { path: 'a.py' }, [read('local', '/work/a.py')]],
    ['read_file', { path: '~/a.py' }, [read('local', '/home/ada/a.py')]],
    ['read_file', { path: '../../etc/passwd' }, [read('local', '/etc/passwd')]],
    ['read_file', { machine_id: 'away', path: 'a.py' }, [read('away', 'a.py')]],
    ['read_file', { machine_id: 'nowhere', path: '/a.py' }, [read('nowhere', '/a.py')]],
    ['write_file', { path: 'a.py', content: '' }, [write('local', '/work/a.py')]],
    ['patch_file', { path: '/a.py', old_string: 'a', new_string: 'b' }, [write('local', '/a.py')]],
    ['remote_exec', { command: 'ls' }, [{ ...command('local', 'ls'), asArguments: true }]],
    [
      'remote_exec_background',
      { machine_id: 'away', command: 'python t.py' },
      [command('away', 'python t.py')],
    ],
    [
      'sweep',
      { command_template: 'python t.py {lr}', params: { lr: [1, 2] }, machines: ['local', 'away'] },
      ['local', 'away'].map((id) => ({
        ...command(id, 'python t.py {lr}'),
        judged: ['python t.py {lr}\npython t.py 1\npython t.py 2'],
      })),
    ],
    ['sweep', { command_template: 'python t.py {lr}', params: { lr: [1, 2] }, dry_run: true }, []],
    [
      'finish',
      { outcome: 'goal_met', summary: 's', checks: ['python3 check.py'] },
      [{ ...command('away', 'python3 check.py'), folder: '/code' }],
    ],
    ['finish', { outcome: 'blocked', summary: 's' }, []],
    [
      'remote_upload',
      { machine_id: 'away', local_path: 'data', remote_path: '/data' },
      [read('local', '/work/data'), write('away', '/data')],
    ],
    [
      'remote_download',
      { machine_id: 'away', remote_path: '/out', local_path: 'out' },
      [read('away', '/out'), write('local', '/work/out')],
    ],
    ['env_snapshot', { python: '/opt/python' }, [command('local', '/opt/python')]],
    ['env_snapshot', { venv_path: 'env' }, [command('local', 'env/bin/python')]],
    ['env_snapshot', {}, [command('local', './.venv/bin/python'), command('local', 'python3')]],
    ['exp_branch', { experiment_name: 'x' }, [write('local', '/work')]],
    ['exp_branches', {}, [read('local', '/work')]],
    [
      'web_fetch',
      { url: 'https://example.org:8443/a?b' },
      [{ kind: 'host', host: 'example.org:8443', url: 'https://example.org:8443/a?b' }],
    ],
    ['memory_write', { path: '/goal', content: 'x', gist: 'x' }, []],
    ['kill_task', { run: '7' }, []],
  ];
  for (const [name, input, accesses] of cases) {
    it(`${name} ${JSON.stringify(input)}`, async () => {
      const tool = tools.get(name);
      const parsed = tool?.parse(input);
      assert.ok(tool !== undefined && parsed?.ok, parsed?.ok === false ? parsed.problem : name);
      assert.deepEqual(await tool.accesses(parsed.args), accesses);
    });
  }

  it('are recorded with long commands truncated', () => {
    const recorded = (chars: number): string => {
      const access = journalAccess({
        kind: 'command',
        machineId: 'local',
        command: 'x'.repeat(chars),
      });
      return access.kind === 'command' ? access.command : '';
    };
    assert.equal(recorded(5_000), `${'x'.repeat(2_000)}…`);
    assert.equal(recorded(2_000), 'x'.repeat(2_000));
  });
});

describe('traits of tools', () => {
  const named = (trait: 'isOwnData' | 'endsTurn' | 'isQuiet'): string[] =>
    allTools(depsWith(machines()))
      .filter((tool) => tool[trait])
      .map(({ spec }) => spec.name);

  it('name the tools that others treat in a way of their own', () => {
    assert.deepEqual(named('isOwnData'), [
      'clear_metrics',
      'memory_write',
      'memory_rm',
      'exp_decide',
      'start_monitor',
      'stop_monitor',
    ]);
    assert.deepEqual(named('endsTurn'), ['sleep', 'finish']);
    const quiet = [
      'exp_decide',
      'set_target',
      'ask_user',
      'start_monitor',
      'stop_monitor',
      'sleep',
      'finish',
    ];
    assert.deepEqual(named('isQuiet'), quiet);
  });
});
