/** The Machines tree: machines, and below each the runs of this window's sessions. Pure: no `vscode` here. */
import type { MachineKind } from '../../machines/machine.ts';
import type { OpenSessionView } from './experimentRows.ts';
import { runRow } from './runRows.ts';
import type { TreeNode } from './treeNode.ts';
import { plain, type Icon } from './words.ts';

export interface MachineView {
  readonly id: string;
  readonly kind: MachineKind;
  /** What the machine says of itself; absent while it is being asked. */
  readonly description?: string;
  /** Why it did not answer. */
  readonly problem?: string;
  /** It was reached, and nothing speaks against it since. */
  readonly isConnected?: boolean;
  /** In a Remote-SSH window: the host that `local` is. */
  readonly host?: string;
}

const icons: Readonly<Record<MachineKind, string>> = {
  local: 'device-desktop',
  ssh: 'remote',
  slurm: 'server-environment',
  container: 'package',
};

export function machineRows(
  machines: readonly MachineView[],
  open: readonly OpenSessionView[],
  nowMs: number,
): readonly TreeNode[] {
  return machines.map((machine) => machineRow(machine, open, nowMs));
}

function machineRow(machine: MachineView, open: readonly OpenSessionView[], nowMs: number): TreeNode {
  const runs = open.flatMap(({ state, ledger }) =>
    ledger.rows
      .filter((row) => row.machineId === machine.id)
      .map((row) => ({ row, place: { sessionId: state.id, decisive: ledger.decisive, nowMs, idPrefix: machine.id } })),
  );
  const running = runs.filter(({ row }) => row.verdict === undefined).length;
  const about = machine.problem ?? machine.description ?? 'asking …';
  const going = running === 0 ? '' : `${running} ${running === 1 ? 'run' : 'runs'} going`;
  const host = machine.host === undefined ? '' : `${machine.host}, the host of this window`;
  const words = [machine.kind === machine.id ? host : machine.kind, going, about].filter((word) => word !== '');
  const icon: Icon =
    machine.problem === undefined
      ? { id: icons[machine.kind], ...(machine.isConnected && { color: 'charts.green' }) }
      : { id: 'warning', color: 'charts.yellow' };
  return {
    id: machine.id,
    label: machine.id,
    description: words.join(' · '),
    tooltip: `**${plain(machine.id)}** ${machine.kind}\n\n${plain(about, 300)}`,
    icon,
    context: machine.kind === 'local' ? 'machine' : 'machine remote',
    spoken: `${machine.id}, ${words.join(', ')}`,
    target: { kind: 'machine', machineId: machine.id },
    isExpanded: running > 0,
    ...(runs.length > 0 && {
      children: runs
        .sort((a, b) => (b.row.startedMs ?? nowMs) - (a.row.startedMs ?? nowMs))
        .map(({ row, place }) => runRow(row, place)),
    }),
  };
}

/** What is wrong with `machines.json`; a click opens it. */
export const problemRows = (problems: readonly string[]): readonly TreeNode[] =>
  problems.map((problem, index) => ({
    id: `problem-${index}`,
    label: 'machines.json',
    description: problem,
    tooltip: plain(problem, 400),
    icon: { id: 'warning', color: 'charts.yellow' },
    spoken: problem,
    onClick: 'helios.editMachines',
  }));
