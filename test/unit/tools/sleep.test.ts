import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { describe, it } from 'mocha';
import { ToolFailure } from '../../../src/base/errors.ts';
import type { RunId, SessionId } from '../../../src/base/ids.ts';
import { MachineFailure, type Machine } from '../../../src/machines/machine.ts';
import type { SleepRequest } from '../../../src/sleep/trigger.ts';
import { sleep, type SleepDeps } from '../../../src/tools/waiting/sleep.ts';
import { startMonitor } from '../../../src/tools/waiting/startMonitor.ts';
import { stopMonitor } from '../../../src/tools/waiting/stopMonitor.ts';
import type { Tool, ToolResult } from '../../../src/tools/tool.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { FakeDeps } from '../sleep/fakePorts.ts';

const context = {
  sessionId: 's-1' as SessionId,
  callId: 'c',
  signal: new AbortController().signal,
  accesses: [],
  progress: () => undefined,
};

async function call(tool: Tool, input: unknown): Promise<ToolResult> {
  const parsed = tool.parse(input);
  if (!parsed.ok) throw new Error(parsed.problem);
  return tool.execute(parsed.args, context);
}

const local = { id: 'local', path: posix, workFolder: '/project' } as Machine;

function setUp(more: Partial<SleepDeps> = {}): {
  tool: Tool;
  requests: SleepRequest[];
  commands: string[];
} {
  const requests: SleepRequest[] = [];
  const commands: string[] = [];
  const run = { id: 'r-00000000700000' as RunId, name: 'run 7', isEnded: false };
  const deps = new FakeDeps(new ManualClock());
  const tool = sleep({
    clock: new ManualClock(),
    runs: {
      find: (reference) => (reference === '7' ? run : undefined),
      findSweep: () => undefined,
      going: () => [run],
      isIdle: () => false,
      isOwn: () => false,
    },
    endMs: () => undefined,
    nothingLaunched: () => false,
    machines: {
      get(id) {
        if (id === 'local') return local;
        throw new MachineFailure('unknown_machine', `There is no machine ${id}; there is local.`);
      },
    },
    probes: deps.probes,
    resources: deps.resources,
    guardCommand(_, command) {
      commands.push(command);
      return Promise.resolve(`guarded ${command}`);
    },
    sleep: (request) => {
      requests.push(request);
      return Promise.resolve();
    },
    ...more,
  });
  return { tool, requests, commands };
}

const command = {
  type: 'metric',
  machine_id: 'local',
  source: { type: 'command', command: 'cat loss' },
  comparator: '<',
  threshold: 1,
};

describe('sleep', () => {
  it('has no condition in its summary that the reason already names', async () => {
    const { tool } = setUp();
    const summaryOf = async (reason: string): Promise<string | undefined> => {
      const wake_conditions = [{ type: 'process_exit', run: '7' }];
      return (await call(tool, { reason, wake_conditions, deadline_minutes: 4 })).summary;
    };
    assert.equal(await summaryOf('until run 7 ends'), 'at most 4 min');
    assert.equal(await summaryOf('Run 7 trains'), 'at most 4 min');
    assert.equal(await summaryOf('until run 70 ends'), 'until run 7 ends, at most 4 min');
    assert.equal(await summaryOf('the first epoch'), 'until run 7 ends, at most 4 min');
  });

  it('records the request, ends the turn and says what is waited for', async () => {
    const { tool, requests } = setUp();
    const result = await call(tool, {
      reason: 'the run',
      conditions: [
        { type: 'process_exit', task_id: '7' },
        { type: 'metric', metric_name: 'loss', direction: 'below', threshold: 1 },
      ],
    });
    assert.equal(tool.endsTurn, true);
    assert.deepEqual(result.content, {
      status: 'sleeping',
      reason: 'the run',
      conditions: ['run 7 ends', 'loss < 1'],
      logic: 'any',
      deadline: '2026-01-01T08:00:00.000Z',
      note: 'No deadline was given, so the default applies: you are woken after 8 h.',
    });
    assert.equal(result.summary, 'until run 7 ends or loss < 1, at most 8 h');
    assert.equal(requests.length, 1);
    assert.equal(requests[0]?.triggers.length, 2);
    assert.equal(tool.effect, 'read');
  });

  it('takes the conditions by each of their names', async () => {
    for (const key of ['wake_conditions', 'conditions', 'triggers']) {
      const { tool, requests } = setUp();
      await call(tool, {
        reason: 'r',
        [key]: [{ type: 'timer', minutes: 5 }],
        deadline_minutes: 10,
        logic: 'all',
      });
      assert.deepEqual(requests[0], {
        reason: 'r',
        logic: 'all',
        triggers: [{ type: 'timer', atMs: Date.UTC(2026, 0, 1, 0, 5) }],
        deadlineMs: Date.UTC(2026, 0, 1, 0, 10),
      });
    }
  });

  it('does not sleep on what is wrong, and says what is right', async () => {
    const { tool, requests } = setUp();
    const wrong: [unknown, RegExp][] = [
      [{ reason: 'r' }, /Nothing would end this sleep/],
      [{ reason: 'r', conditions: [{ type: 'timer' }] }, /Expected shape/],
      [{ reason: 'r', conditions: [{ ...command, machine_id: 'gpu9' }] }, /there is local/],
    ];
    for (const [input, message] of wrong)
      await assert.rejects(
        call(tool, input),
        (error: unknown) => error instanceof ToolFailure && message.test(error.message),
      );
    for (const input of [
      {},
      { reason: 'r', deadline_minutes: -1 },
      { reason: 'r', logic: 'xor' },
      { reason: 'r', conditions: 'x' },
    ])
      assert.equal(tool.parse(input).ok, false, JSON.stringify(input));
    assert.deepEqual(requests, []);
  });

  it('checks a command before it is run again and again', async () => {
    const allowed = setUp();
    await call(allowed.tool, { reason: 'r', conditions: [command] });
    assert.deepEqual(allowed.commands, ['cat loss']);
    const [trigger] = allowed.requests[0]?.triggers ?? [];
    assert.ok(trigger?.type === 'metric');
    const source = { ...command.source, shellCommand: 'guarded cat loss' };
    assert.deepEqual(trigger.source, source);
    const denied = setUp({
      guardCommand: () => Promise.reject(new ToolFailure('It changes the repository.')),
    });
    await assert.rejects(
      call(denied.tool, { reason: 'r', conditions: [command] }),
      /changes the repository/,
    );
    assert.deepEqual(denied.requests, []);
  });

  it('tells the gate of the commands that its conditions would run', async () => {
    const { tool } = setUp();
    const parsed = tool.parse({
      reason: 'r',
      wake_conditions: [command, { type: 'timer', minutes: 1 }],
    });
    assert.ok(parsed.ok);
    assert.deepEqual(await tool.accesses(parsed.args), [
      { kind: 'command', machineId: 'local', command: 'cat loss' },
    ]);
    assert.equal(tool.approvedAs, 'remote_exec');
  });
});

describe('start_monitor and stop_monitor', () => {
  it('start at the usual interval, within bounds', async () => {
    const plans: unknown[] = [];
    const tool = startMonitor({
      startMonitor: (plan) => {
        plans.push(plan);
        return Promise.resolve(Date.UTC(2026, 0, 1));
      },
    });
    assert.deepEqual((await call(tool, { goal: 'loss falls' })).content, {
      status: 'monitoring',
      interval_minutes: 2,
      goal: 'loss falls',
      started_at: '2026-01-01T00:00:00.000Z',
    });
    await call(tool, { goal: 'g', interval_minutes: 0.25 });
    assert.deepEqual(plans, [
      { goal: 'loss falls', intervalMs: 120_000 },
      { goal: 'g', intervalMs: 15_000 },
    ]);
    for (const minutes of [0, 0.1, 1441, '2']) {
      const parsed = tool.parse({ goal: 'g', interval_minutes: minutes });
      assert.ok(!parsed.ok && /interval_minutes/.test(parsed.problem));
    }
    assert.equal(plans.length, 2);
  });

  it('stop tells whether there was one', async () => {
    for (const [wasActive, status] of [
      [true, 'stopped'],
      [false, 'no_active_monitor'],
    ] as const)
      assert.deepEqual(
        (await call(stopMonitor({ stopMonitor: () => Promise.resolve(wasActive) }), {})).content,
        {
          status,
        },
      );
  });
});
