import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { actionsOf } from '../../../../src/agent/journal/actions.ts';
import type { CheckEnded } from '../../../../src/agent/journal/experimentEvents.ts';
import type { JournalEvent, SessionEvent } from '../../../../src/agent/journal/events.ts';
import { noUsage } from '../../../../src/models/model.ts';
import type { Access } from '../../../../src/permissions/access.ts';
import { JournalOf } from '../../../fakes/journalOf.ts';
import { runId, runState } from '../../vscode/states.ts';

type Decided = Extract<SessionEvent, { type: 'permission.decided' }>;

const decided = (callId: string, accesses: readonly Access[], more: Partial<Decided> = {}) =>
  ({
    ...{ type: 'permission.decided', callId, isAllowed: true, by: 'mode', why: 'mode is allow' },
    accesses,
    ...more,
  }) as const satisfies SessionEvent;
const begun = (callId: string, name: string, effect: 'read' | 'execute' | 'network' = 'execute') =>
  ({ type: 'tool.started', callId, name, effect, title: `Did ${name}` }) as const;
const ended = (callId: string, name: string, more: object = {}) =>
  ({
    ...{ type: 'tool.finished', callId, name, text: '', isError: false, durationMs: 1 },
    ...more,
  }) as const satisfies SessionEvent;
const command = (text: string): Access => ({
  kind: 'command',
  machineId: 'local',
  command: text,
  folder: 'sub',
});

const actionsAfter = (...events: readonly SessionEvent[]) => {
  const journal = new JournalOf();
  for (const event of events) journal.add(event);
  return actionsOf(journal.events).actions;
};

describe('the actions of a session', () => {
  it('name commands with their folder, their end, and why they were allowed', () => {
    const [action] = actionsAfter(
      { type: 'model.requested', turn: 3, provider: 'p', model: 'm' },
      decided('a', [command('make')]),
      begun('a', 'remote_exec'),
      ended('a', 'remote_exec', { exitCode: 2 }),
    );
    assert.deepEqual(action?.commands, [
      { machineId: 'local', command: 'make', folder: 'sub', end: 'exit code 2' },
    ]);
    assert.deepEqual(action.decision, { isAllowed: true, by: 'mode', why: 'mode is allow' });
    assert.deepEqual([action.turn, action.tool, action.isStarted], [3, 'remote_exec', true]);
  });

  it('name each check at the end with the folder in which it ran, and how it ended', () => {
    const check = (folder: string, more: Partial<CheckEnded>): CheckEnded => ({
      ...{ type: 'check.ended', callId: 'a', command: 'python3 check.py', machineId: 'gpu1' },
      ...{ folder, experimentId: 'e7', outcome: 'passed', text: 'exit code 0', ...more },
    });
    const [action] = actionsAfter(
      decided('a', [command('python3 check.py'), command('make test')]),
      begun('a', 'finish'),
      check('/copies/check-of-e7-3', {}),
      check('/work', { command: 'make test', outcome: 'failed', text: 'exit code 2' }),
      check('/gone', { outcome: 'not_started', text: 'its folder is missing' }),
      ended('a', 'finish', { isError: true, text: 'Not ended.' }),
    );
    assert.deepEqual(
      action?.commands.map(({ command: text, folder, end }) => [text, folder, end]),
      [
        ['python3 check.py', '/copies/check-of-e7-3', 'exit code 0'],
        ['make test', '/work', 'exit code 2'],
        ['python3 check.py', '/gone', 'not started: its folder is missing'],
      ],
    );
  });

  it('say of a command that it failed to start, and not what another tool found', () => {
    const text = 'Not run: it was run before as e2. Choose another.';
    const actions = actionsAfter(
      decided('a', [command('train')]),
      begun('a', 'remote_exec_background'),
      ended('a', 'remote_exec_background', { isError: true, text }),
      decided('b', [command('python3')]),
      begun('b', 'env_snapshot'),
      ended('b', 'env_snapshot', { summary: 'local · Python 3.11.2' }),
    );
    assert.deepEqual(
      actions.map(({ commands }) => commands[0]?.end),
      [`failed: ${text}`, undefined],
    );
  });

  it('name each point of a sweep once, in place of its template', () => {
    const point = (index: number): SessionEvent => ({
      type: 'run.planned',
      callId: 'a',
      spec: { ...runState(index).spec, command: `train --lr ${index}` },
    });
    const [action, ...rest] = actionsAfter(
      decided('a', [command('train --lr {lr}')]),
      begun('a', 'sweep'),
      point(1),
      ended('a', 'sweep'),
      point(2),
      {
        ...{ type: 'run.ended', runId: runId(1), verdict: { kind: 'failed', code: 7 }, endedMs: 9 },
        metrics: [],
      },
    );
    assert.deepEqual(rest, []);
    assert.deepEqual(
      action?.commands.map(({ command: text, run, end }) => [text, run, end]),
      [
        ['train --lr 1', 1, 'failed (exit code 7)'],
        ['train --lr 2', 2, undefined],
      ],
    );
    const [first, second] = action.commands;
    assert.equal(first?.endedMs, 9);
    assert.ok((first.startedMs ?? NaN) < (second?.startedMs ?? NaN), 'each by its own launch');
  });

  it('tell the launch of a run from the time it was planned', () => {
    const { spec } = runState(1);
    const process = { pid: 1, startTime: '1', bootId: 'b', startedMs: 77 };
    const [action] = actionsAfter(
      { type: 'run.planned', callId: 'a', spec },
      { type: 'run.started', runId: spec.id, process },
    );
    assert.equal(action?.commands[0]?.startedMs, 77);
  });

  it('do not count a repository as a file, in which a branch was begun', () => {
    const write = (path: string): Access => ({ kind: 'write', machineId: 'local', path });
    const calls = ['exp_branch', 'remote_download'].map((name) => ({
      ...{ type: 'tool_call', id: name, name, input: {} },
    }));
    const actions = actionsAfter(
      {
        ...{ type: 'model.replied', turn: 1, provider: 'p', model: 'm', content: calls as never },
        ...{ stop: 'tools', usage: noUsage, cost: { usd: 0 } },
      },
      ...calls.map(({ name }) => decided(name, [write('/work')])),
    );
    assert.deepEqual(
      actions.map(({ tool, writes }) => [tool, writes.map(({ path }) => path)]),
      [
        ['exp_branch', []],
        ['remote_download', ['/work']],
      ],
    );
  });

  it('name the hosts that confined commands and runs asked for', () => {
    const contacts = [{ host: 'a.org', port: 443 }];
    const { spec } = runState(1);
    const [action] = actionsAfter(
      decided('a', [command('make')]),
      begun('a', 'remote_exec_background'),
      { type: 'run.planned', callId: 'a', spec },
      ended('a', 'remote_exec_background', { contacts }),
      {
        ...{ type: 'run.ended', runId: spec.id, verdict: { kind: 'ok' }, endedMs: 1, metrics: [] },
        contacts: [{ host: 'b.org', port: 443 }],
      },
    );
    assert.deepEqual(
      action?.contacts?.map(({ host }) => host),
      ['a.org', 'b.org'],
    );
  });

  it('name files and hosts, once also where a call was made again after a crash', () => {
    const accesses: readonly Access[] = [
      { kind: 'write', machineId: 'gpu1', path: '/data/x' },
      { kind: 'read', machineId: 'local', path: '/work/a' },
      { kind: 'host', host: 'a.org', url: 'https://a.org/x' },
      { kind: 'host', host: 'b.org' },
    ];
    const [action, ...rest] = actionsAfter(
      decided('a', accesses),
      begun('a', 'x'),
      decided('a', accesses),
      begun('a', 'x', 'network'),
      ended('a', 'x', { changedFiles: ['/work/b'] }),
    );
    assert.deepEqual(rest, []);
    assert.deepEqual(action?.writes, [
      { machineId: 'gpu1', path: '/data/x' },
      { machineId: 'local', path: '/work/b' },
    ]);
    assert.deepEqual(action.hosts, ['https://a.org/x', 'b.org']);
    assert.equal(action.isNetwork, true);
  });

  it('name the files that changed while a command ran, and when that was found', () => {
    const file = (path: string) => ({ path, before: 'missing', after: 'unkept' }) as const;
    const [action] = actionsAfter(
      decided('a', [
        command('sed -i s/1/2/ b'),
        { kind: 'write', machineId: 'local', path: '/work/b' },
      ]),
      begun('a', 'remote_exec'),
      { type: 'files.changed', callId: 'a', by: 'command', files: [file('/work/b')] },
      ended('a', 'remote_exec', { exitCode: 1 }),
    );
    assert.deepEqual(action?.writes, [{ machineId: 'local', path: '/work/b', foundMs: 4_000 }]);
  });

  it('name a file that a tool wrote once', () => {
    const file = { path: '/real/b', before: 'missing', after: 'unkept' } as const;
    const [action] = actionsAfter(
      decided('a', [{ kind: 'write', machineId: 'local', path: '/link/b' }]),
      begun('a', 'write_file'),
      { type: 'files.changed', callId: 'a', by: 'tool', files: [file] },
      ended('a', 'write_file'),
    );
    assert.deepEqual(action?.writes, [{ machineId: 'local', path: '/link/b' }]);
  });

  it('tell a refused call, by the name that the model gave it', () => {
    const [action] = actionsAfter(
      {
        ...{ type: 'model.replied', turn: 1, provider: 'p', model: 'm', stop: 'tools' },
        usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
        cost: { usd: 0 },
        content: [{ type: 'tool_call', id: 'a', name: 'remote_exec', input: {} }],
      },
      decided('a', [command('rm -rf /')], { isAllowed: false, by: 'rule', why: 'no mode allows' }),
      ended('a', 'remote_exec', { isError: true }),
    );
    assert.deepEqual([action?.tool, action?.isStarted], ['remote_exec', false]);
    assert.deepEqual(action?.decision, { isAllowed: false, by: 'rule', why: 'no mode allows' });
  });

  it('include runs that the user started', () => {
    const { spec } = runState(4);
    const [action] = actionsAfter({ type: 'run.planned', callId: 'reproduction-4', spec });
    assert.deepEqual([action?.decision, action?.commands[0]?.run], [undefined, 4]);
  });

  it('are found in one pass, however long the night', () => {
    const readsOf = (calls: number): number => {
      let reads = 0;
      const journal = new JournalOf();
      for (let index = 0; index < calls; index += 1) {
        journal.add(decided(`c${index}`, [command('ls')]));
        journal.add(begun(`c${index}`, 'remote_exec'));
        journal.add(ended(`c${index}`, 'remote_exec', { exitCode: 0 }));
      }
      const counting = journal.events.map(
        (event) =>
          new Proxy(event, {
            get: (target: JournalEvent, name): unknown => {
              reads += 1;
              return Reflect.get(target, name);
            },
          }),
      );
      assert.equal(actionsOf(counting).actions.length, calls);
      return reads;
    };
    const [few, many] = [readsOf(500), readsOf(5_000)];
    assert.ok(many < few * 11, `${few} and ${many} fields were read`);
  });
});
