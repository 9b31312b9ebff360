import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionSummary } from '../../../src/agent/contract/sessions.ts';
import { newSessionId } from '../../../src/base/ids.ts';
import type { Ledger } from '../../../src/experiments/ledger.ts';
import { experimentRows, runningRuns } from '../../../src/vscode/experiments/experimentRows.ts';
import type { ResourceSample } from '../../../src/machines/resources/resourceSample.ts';
import type { Liveness } from '../../../src/runs/run.ts';
import {
  firstRows,
  machineRows,
  problemRows,
  type MachineView,
} from '../../../src/vscode/machines/machineRows.ts';
import { memoryRows } from '../../../src/vscode/memory/memoryRows.ts';
import { runIdOf, sessionIdOf, noteOf } from '../../../src/vscode/ui/commandTarget.ts';
import { failureRow } from '../../../src/vscode/ui/failureRow.ts';
import type { TreeNode } from '../../../src/vscode/ui/treeNode.ts';
import { endedRun, rowOf, runId, runsOf, runState, startMs, stateOf, summaryOf } from './states.ts';

const champion = rowOf(2, { isChampion: true, metrics: [summaryOf('loss', 0.83)] });
const running = rowOf(3, { machineId: 'local' });
const { verdict: _verdict, endedMs: _endedMs, ...alive } = running;
const ledger: Ledger = {
  ...{ experiments: [], imported: [] },
  rows: [rowOf(1, { verdict: { kind: 'failed', code: 3 } }), champion, alive],
  decisive: { metric: 'loss', direction: 'lower', rule: 'last' as const },
  champion,
  best: {
    ...{ metric: 'loss', rule: 'last', mean: 0.83, n: 1, best: 0.83 },
    runs: [champion],
  },
};
const state = stateOf({
  phase: 'acting',
  usd: 1.2,
  runs: runsOf(
    endedRun(1, 1),
    endedRun(2, 0.83),
    runState(3),
    runState(4, { notStarted: 'no such folder' }),
  ),
});
const nowMs = startMs + 7_800_000;
const childrenOf = async (node: TreeNode | undefined): Promise<readonly TreeNode[]> =>
  typeof node?.children === 'function' ? node.children() : (node?.children ?? []);
const view = (changes: Partial<Parameters<typeof experimentRows>[0]> = {}): readonly TreeNode[] =>
  experimentRows({
    open: [{ state, ledger }],
    listed: [],
    nowMs,
    read: () => Promise.resolve({ state, ledger }),
    ...changes,
  });

const listedSession: SessionSummary = {
  id: newSessionId(startMs - 1),
  goal: 'older',
  startedMs: startMs - 1000,
  lastEventMs: startMs,
  phase: 'ready',
  going: 1,
  runs: 3,
  turns: 9,
  usd: 0.5,
  hasUnknownCost: false,
  best: 'loss 2',
};

describe('experiments tree', () => {
  it('shows what a watchdog saw of a run, and that it was ended for it', async () => {
    const alarmed = {
      ...alive,
      alarm: { detail: 'grad_norm became infinite', action: 'warn' },
    } as const;
    const alarm = { detail: 'loss became NaN at step 120', action: 'kill' } as const;
    const killed = rowOf(2, { verdict: { kind: 'killed' }, alarm });
    const [goingOn, ended] = await childrenOf(
      view({ open: [{ state, ledger: { ...ledger, rows: [killed, alarmed] } }] })[0],
    );
    assert.equal(goingOn?.icon?.id, 'warning');
    assert.match(goingOn?.description ?? '', / · grad_norm became infinite · /);
    assert.match(goingOn?.spoken ?? '', /alarm: grad_norm became infinite/);
    assert.match(goingOn?.tooltip ?? '', /Alarm: grad\\?_norm became infinite/);
    assert.match(ended?.description ?? '', /killed after the alarm: loss became NaN at step 120/);
  });

  it('shows an open session with its best value, opened out', () => {
    const [row] = view();
    assert.equal(row?.label, 'loss 0.83 · bring loss < 1.0');
    assert.equal(row?.description, 'Working · $1.20');
    assert.equal(row?.context, 'session open');
    assert.equal(row?.isExpanded, true);
    assert.match(row?.tooltip ?? '', /2026-11-20 14:03:27/);
  });

  it('calls a session by the title that the user gave it', () => {
    const open = [{ state: { ...state, title: 'Night 1' }, ledger }];
    const listed = [{ ...listedSession, title: 'Night 0' }];
    const rows = view({ open, listed });
    assert.deepEqual(
      rows.map(({ label }) => label),
      ['loss 0.83 · Night 1', 'loss 2 · Night 0'],
    );
    assert.match(rows[0]?.tooltip ?? '', /^\*\*Night 1\*\*\n\nbring loss \\< 1\.0/);
    assert.match(rows[1]?.spoken ?? '', /^Night 0, /);
  });

  it('shows runs newest first, the champion marked, failures in words', async () => {
    const rows = await childrenOf(view()[0]);
    assert.deepEqual(
      rows.map(({ label, description, context, icon }) => [label, description, context, icon?.id]),
      [
        ['3 · lr=3', 'run 3 · 2 h 10 min', 'run running', 'sync~spin'],
        ['0.83 · lr=2', 'run 2 · champion · 2 h 8 min ago', 'run ended', 'star-full'],
        ['1 · lr=1', 'run 1 · failed (exit code 3) · 2 h 9 min ago', 'run ended', 'error'],
        ['lr=4', 'run 4 · did not start: no such folder', 'run failed', 'error'],
      ],
    );
    assert.equal(rows[1]?.spoken, 'Run 2, ok, champion, loss 0.83, lr=2, on gpu1');
  });

  it('gives a session without a run no twisty, and a new row once it has one', () => {
    const [row] = view({ open: [{ state: stateOf(), ledger: { ...ledger, rows: [] } }] });
    assert.equal(row?.children, undefined);
    assert.notEqual(row?.id, view()[0]?.id);
    const best = `val_loss 0.83 ± 0.02 over 3 runs`;
    assert.equal(
      view({ open: [], listed: [{ ...listedSession, best }] })[0]?.label,
      'val_loss 0.83 · older',
    );
  });

  it('draws an end that only a newer version knows, and keeps every other session', () => {
    const newer = { ...listedSession, endReason: 'stopped' as 'user' };
    const broken = { ...listedSession, id: newSessionId(3), best: 7 as never };
    const rows = view({
      open: [],
      listed: [newer, broken, { ...listedSession, endReason: 'user' }],
    });
    assert.equal(rows.length, 3);
    assert.equal(rows[0]?.description, 'Ended · 2 h 10 min ago');
    assert.equal(rows[0].icon?.id, 'circle-outline');
    assert.match(rows[1]?.label ?? '', /^older could not be read: /);
    assert.equal(rows[1]?.onClick, 'helios.showOutput');
  });

  it('says of what cannot be read why, and where more stands', () => {
    const row = failureRow('Sessions', new Error('disk\n gone'), '');
    assert.equal(row.label, 'Sessions could not be read: disk gone');
    assert.equal(row.description, 'Show Output');
    assert.equal(row.onClick, 'helios.showOutput');
  });

  it('crowns no run that still goes on', async () => {
    const { rows, ...rest } = ledger;
    const crowned = rows.map((row) => (row === alive ? { ...row, isChampion: true } : row));
    const [run] = await childrenOf(
      view({ open: [{ state, ledger: { ...rest, rows: crowned } }] })[0],
    );
    assert.doesNotMatch(`${run?.description}${run?.spoken}`, /champion/);
  });

  it('keeps ids apart and stable, so that what is expanded stays so', async () => {
    const idsOf = async (): Promise<string[]> => {
      const roots = view();
      return [...roots, ...(await childrenOf(roots[0]))].map(({ id }) => id);
    };
    const first = await idsOf();
    assert.equal(new Set(first).size, first.length);
    assert.deepEqual(await idsOf(), first);
  });

  it('lists the sessions that are not open here once, and reads them when they are opened', async () => {
    const other = newSessionId(startMs - 1);
    const summary = { ...listedSession, id: other };
    const read: string[] = [];
    const rows = view({
      listed: [
        { ...summary, id: state.id },
        summary,
        { ...summary, id: newSessionId(1), endReason: 'budget', runs: 0 },
      ],
      read: (id) => {
        read.push(id);
        return Promise.resolve({ state, ledger });
      },
    });
    assert.deepEqual(
      rows.map(({ label, description, context }) => [label, description, context]),
      [
        ['loss 0.83 · bring loss < 1.0', 'Working · $1.20', 'session open'],
        ['loss 2 · older', 'Not ended · 2 h 10 min ago', 'session unfinished'],
        ['loss 2 · older', 'Budget used up · 2 h 10 min ago', 'session ended resumable'],
      ],
    );
    assert.deepEqual(read, []);
    assert.equal((await childrenOf(rows[1])).length, 4);
    assert.deepEqual(read, [other]);
    assert.equal(rows[2]?.children, undefined);
  });

  for (const [kind, where] of [
    ['window', 'in another window'],
    ['terminal', 'in a terminal'],
    ['detached', 'in the background'],
    [undefined, 'in another process'],
  ] as const)
    it(`says of a session that is not open here that it goes on ${where}`, () => {
      const id = newSessionId(2);
      const owner = { pid: 7, host: 'lab1', ...(kind !== undefined && { kind }) };
      const summary: SessionSummary = {
        ...{
          id,
          goal: 'another goal',
          startedMs: startMs,
          lastEventMs: startMs,
          phase: 'sleeping' as const,
        },
        ...{ runs: 0, going: 0, turns: 9, usd: 0.5, hasUnknownCost: false },
      };
      const [row] = view({ open: [], listed: [summary], owners: new Map([[id, owner]]) });
      assert.equal(row?.description, `Running ${where} · 2 h 10 min ago`);
      assert.deepEqual([row.context, row.icon?.id], ['session unfinished', 'eye']);
    });

  it('counts the runs that go on for the badge', () => {
    assert.equal(runningRuns([{ state, ledger }]), 1);
  });
});

describe('machines tree', () => {
  const gb = 2 ** 30;
  const machine = (id: string, more: Partial<MachineView> = {}): MachineView => ({
    id,
    kind: 'ssh',
    place: `ada@${id}`,
    hasHost: true,
    state: 'connected',
    ...more,
  });
  const local: MachineView = {
    id: 'local',
    kind: 'local',
    state: 'connected',
    description: 'this computer · 8 CPUs',
  };
  const sample: ResourceSample = {
    atMs: nowMs,
    cpuPercent: 12,
    memoryUsedBytes: 3 * gb,
    memoryTotalBytes: 64 * gb,
    gpus: [
      {
        id: '0',
        utilisationPercent: 93,
        temperatureCelsius: 71,
        processes: [{ pid: 9, sessionPid: 103 }],
      },
      { id: '1', utilisationPercent: 0, temperatureCelsius: 40, processes: [] },
    ],
  };
  const onGpu1 = { ...ledger, rows: ledger.rows.map((row) => ({ ...row, machineId: 'gpu1' })) };

  it('shows kind, slots, what goes on, and what is measured', async () => {
    const cpu = { atMs: nowMs, cpuPercent: 7, memoryUsedBytes: 3 * gb, memoryTotalBytes: 64 * gb };
    const rows = machineRows(
      [
        local,
        machine('gpu1', { slots: { total: 4, held: 3 }, sample }),
        machine('gpu2', { sample: cpu }),
        machine('gpu3'),
      ],
      [{ state, ledger: onGpu1 }],
      nowMs,
    );
    assert.deepEqual(
      rows.map(({ description, icon }) => [description, icon?.id, icon?.color]),
      [
        ['this computer · 8 CPUs', 'device-desktop', undefined],
        ['ssh · 3/4 slots · 2 GPUs 47 % · 71 °C', 'remote', 'charts.green'],
        ['ssh · CPU \u20077 % · 3/64 GB', 'remote', 'charts.green'],
        ['ssh · reading hardware …', 'remote', 'charts.green'],
      ],
    );
    assert.deepEqual(
      (await childrenOf(rows[1])).map(({ label }) => label),
      ['3 · lr=3', '0.83 · lr=2', '1 · lr=1'],
    );
    assert.equal(rows[2]?.children, undefined);
  });

  it('tells its own runs and the bound apart while nobody asked the machine who has its slots', () => {
    const [row] = machineRows(
      [machine('gpu1', { slots: { total: 4 } })],
      [{ state, ledger: onGpu1 }],
      nowMs,
    );
    assert.equal(row?.description, 'ssh · 1 run · 4 slots · reading hardware …');
  });

  it('is another row once it has a run, so that it is drawn opened out', () => {
    const [before] = machineRows([machine('gpu1')], [], nowMs);
    const [now] = machineRows([machine('gpu1')], [{ state, ledger: onGpu1 }], nowMs);
    assert.notEqual(before?.id, now?.id);
    assert.equal(now?.isExpanded, true);
  });

  it('names in its tooltip each part, and which run holds which GPU', () => {
    const [row] = machineRows([machine('gpu1', { sample })], [{ state, ledger: onGpu1 }], nowMs);
    const lines = row?.tooltip?.split('\n') ?? [];
    assert.match(lines[0] ?? '', /^\*\*gpu1\*\* ssh · ada@gpu1$/);
    assert.match(row?.tooltip ?? '', /^- GPU 0 93 % · 71 °C · run 3$/m);
    assert.match(row?.tooltip ?? '', /^- GPU 1 0 % · 40 °C$/m);
    assert.match(row?.tooltip ?? '', /^- Memory 3\/64 GB$/m);
  });

  it('tells runs that wait in a queue, and those that cannot be asked, from those that go on', async () => {
    const livenessOf = (liveness: Liveness) => () => ({ liveness });
    const shown = async (liveness: Liveness) => {
      const session = { state, ledger: onGpu1, facts: livenessOf(liveness) };
      const [row] = machineRows(
        [machine('gpu1', { kind: 'slurm', description: 'Slurm' })],
        [session],
        nowMs,
      );
      const [run] = await childrenOf(row);
      return [row?.description, run?.description, run?.icon?.id, run?.spoken.split(',')[1]];
    };
    assert.deepEqual(await shown({ kind: 'queued', jobId: '7', why: 'Priority' }), [
      'slurm · 1 queued · Slurm',
      'run 3 · queued (Priority)',
      'clock',
      ' queued (Priority)',
    ]);
    assert.deepEqual(await shown({ kind: 'unknown', why: 'link lost' }), [
      'slurm · 1 run · Slurm',
      'run 3 · no answer from gpu1 (link lost) · 2 h 10 min',
      'debug-disconnect',
      ' no answer from gpu1 (link lost)',
    ]);
    assert.equal((await shown({ kind: 'running' }))[1], 'run 3 · 2 h 10 min');
  });

  it('says for how much of its time the GPUs of a run were idle, where they were watched', async () => {
    const gpuTime = { idleSeconds: 15, watchedSeconds: 60 };
    const facts = () => ({ liveness: { kind: 'running' as const }, gpuTime });
    const [row] = machineRows([machine('gpu1')], [{ state, ledger: onGpu1, facts }], nowMs);
    assert.match((await childrenOf(row))[0]?.tooltip ?? '', /GPU idle 25 % of 1 min measured/);
  });
});

describe('machines that are reached, or not', () => {
  it('tells by colour, words and menu which are there', () => {
    const rows = machineRows(
      [
        { id: 'local', kind: 'local', state: 'connected', description: '8 CPUs', host: 'login1' },
        { id: 'gpu1', kind: 'ssh', hasHost: true, state: 'connected', description: '8 CPUs' },
        { id: 'gpu2', kind: 'ssh', hasHost: true, state: 'unused', place: 'ada@gpu2' },
        {
          id: 'box',
          kind: 'container',
          hasHost: false,
          state: 'unreachable',
          place: 'x',
          problem: 'no engine',
        },
      ],
      [],
      nowMs,
    );
    assert.deepEqual(
      rows.map(({ description, icon, context }) => [description, icon?.color, context]),
      [
        ['login1, the host of this window · 8 CPUs', undefined, 'machine'],
        ['ssh · 8 CPUs', 'charts.green', 'machine remote host'],
        ['ssh · not used yet · ada@gpu2', undefined, 'machine remote host'],
        ['container · not reachable · no engine', 'charts.yellow', 'machine remote'],
      ],
    );
  });

  it('offers the first machine, and the hosts of the ssh config where there are some', () => {
    assert.deepEqual(
      firstRows([]).map(({ onClick }) => onClick),
      ['helios.addMachine'],
    );
    assert.deepEqual(
      firstRows(['lab', 'gpu1']).map(({ label, description, onClick }) => [
        label,
        description,
        onClick,
      ])[1],
      ['Import from SSH Config…', 'lab, gpu1', 'helios.importMachines'],
    );
  });

  it('says what is wrong with the file, and opens it', () => {
    const [row] = problemRows(
      ['/home/ada/machines.json, line 3: it is not valid JSON.'],
      '/home/ada/machines.json',
    );
    assert.deepEqual([row?.icon?.id, row?.onClick], ['warning', 'helios.editMachines']);
    assert.equal(row?.description, 'line 3: it is not valid JSON.');
  });
});

describe('memory tree', () => {
  const note = (path: string, gist = '', type: 'dir' | 'file' = 'file') => ({
    path,
    gist,
    type,
    updatedMs: startMs,
  });

  it('nests notes, with gists beside them, session notes apart from shared ones', async () => {
    const shared = [
      ...[note('/project', '', 'dir'), note('/project/data', 'shifted')],
      ...[note('/global', '', 'dir'), note('/global/tricks', 'warm up')],
    ];
    const rows = memoryRows([
      {
        session: { id: state.id, name: 'g' },
        root: '/',
        nodes: [note('/best', 'run 7'), note('/obs', '', 'dir'), note('/obs/1', 'a'), ...shared],
      },
      { root: '/project', nodes: shared },
      { root: '/global', nodes: shared },
    ]);
    assert.deepEqual(
      rows.map(({ label, context }) => [label, context]),
      [
        ['g', 'notes'],
        ['Shared in this project', 'notes'],
        ['Shared by all sessions', 'notes'],
      ],
    );
    const own = await childrenOf(rows[0]);
    assert.deepEqual(
      own.map(({ label, description, context }) => [label, description, context]),
      [
        ['best', 'run 7', 'note'],
        ['obs', '', 'note notes'],
      ],
    );
    assert.deepEqual(
      (await childrenOf(own[1])).map(({ label }) => label),
      ['1'],
    );
    assert.deepEqual(
      (await childrenOf(rows[1])).map(({ label }) => label),
      ['data'],
    );
    assert.deepEqual(
      (await childrenOf(rows[2])).map(({ label }) => label),
      ['tricks'],
    );
  });

  it('is empty while there is no note, so that the view says what to do', () => {
    assert.deepEqual(
      memoryRows([
        { root: '/', session: { id: state.id, name: 'g' }, nodes: [note('/project', '', 'dir')] },
        { root: '/global', nodes: [note('/global', '', 'dir')] },
      ]),
      [],
    );
  });
});

describe('target of a command', () => {
  it('is read from a row, from an argument, or is nothing', async () => {
    const [session] = view();
    const [run] = await childrenOf(session);
    assert.equal(sessionIdOf(session), state.id);
    assert.equal(sessionIdOf(run), state.id);
    assert.equal(runIdOf(run), runId(3));
    assert.equal(sessionIdOf(state.id), state.id);
    for (const nothing of [undefined, null, 7, 'x', {}, { target: 5 }]) {
      assert.equal(sessionIdOf(nothing), undefined);
      assert.equal(runIdOf(nothing), undefined);
      assert.equal(noteOf(nothing), undefined);
    }
  });
});
