/** The Machines tree: the machines, with the runs of this window's sessions as children. */
import type { MachineKind } from '../../machines/machine.ts';
import type { GpuSample, ResourceSample } from '../../machines/resources/resourceSample.ts';
import { resourceLines, resourceText } from '../../presentation/machines/resourceText.ts';
import { machineIcons } from './machineLabels.ts';
import type { OpenSessionView } from '../window/sessionFacts.ts';
import { runRow } from '../runs/runRows.ts';
import type { TreeNode } from '../ui/treeNode.ts';
import { plain } from '../../base/markdown.ts';
import type { Icon } from '../ui/icons.ts';
import { runName } from '../../presentation/runs/runText.ts';

export interface SlotsView {
  /** Maximum number of concurrent runs. */
  readonly total: number;
  /**
   * Number of slots in use by runs, including runs of other windows and users; `undefined` if the
   * machine has not reported it recently.
   */
  readonly held?: number | undefined;
}

export interface MachineView {
  readonly id: string;
  readonly kind: MachineKind;
  /** Address (`ada@gpu1:2222`) or image of the machine; `undefined` for this computer. */
  readonly place?: string;
  /** Whether the machine has a host on which a VS Code window can be opened. */
  readonly hasHost?: boolean;
  /** Hardware as the machine reported it; `undefined` until the first report. */
  readonly description?: string;
  /** Reason why the machine is unreachable; `undefined` for a reachable machine. */
  readonly problem?: string;
  readonly state: 'unused' | 'connected' | 'unreachable';
  /** Host name of the machine `local` in a Remote-SSH window. */
  readonly host?: string;
  readonly slots?: SlotsView | undefined;
  readonly sample?: ResourceSample | undefined;
}

export function machineRows(
  machines: readonly MachineView[],
  open: readonly OpenSessionView[],
  nowMs: number,
): readonly TreeNode[] {
  return machines.map((machine) => machineRow(machine, open, nowMs));
}

type RunNode = {
  readonly startedMs: number;
  readonly number: number;
  readonly isGoing: boolean;
  readonly isQueued: boolean;
  readonly node: TreeNode;
};

function machineRow(
  machine: MachineView,
  open: readonly OpenSessionView[],
  nowMs: number,
): TreeNode {
  const runs = open.flatMap((session) => runNodes(session, machine.id, nowMs));
  const words = wordsOf(machine, runs);
  const menus = [machine.kind === 'local' ? '' : 'remote', machine.hasHost === true ? 'host' : ''];
  return {
    // With the first run, the row gets a new id, because VS Code applies `isExpanded` only to new
    // rows.
    id: runs.length > 0 ? `${machine.id}/runs` : machine.id,
    label: machine.id,
    description: words.join(' · '),
    tooltip: tooltip(machine, open),
    icon: iconOf(machine),
    context: ['machine', ...menus].filter((word) => word !== '').join(' '),
    spoken: [machine.id, ...words].join(', '),
    target: { kind: 'machine', machineId: machine.id },
    isExpanded: runs.some(({ isGoing }) => isGoing),
    ...(runs.length > 0 && {
      children: runs
        .sort((a, b) => b.startedMs - a.startedMs || b.number - a.number)
        .map(({ node }) => node),
    }),
  };
}

const runNodes = (
  { state, ledger, facts }: OpenSessionView,
  machineId: string,
  nowMs: number,
): RunNode[] =>
  ledger.rows
    .filter((row) => row.machineId === machineId)
    .map((row) => ({
      startedMs: row.startedMs ?? nowMs,
      number: row.number,
      isGoing: row.verdict === undefined,
      isQueued: row.verdict === undefined && facts?.(row.runId)?.liveness.kind === 'queued',
      node: runRow(row, {
        sessionId: state.id,
        decisive: ledger.decisive,
        nowMs,
        idPrefix: machineId,
        facts,
      }),
    }));

function wordsOf(machine: MachineView, runs: readonly RunNode[]): string[] {
  const { id, kind, host, slots, state } = machine;
  const queued = runs.filter(({ isQueued }) => isQueued).length;
  const going = runs.filter(({ isGoing }) => isGoing).length - queued;
  const words = [
    kind === id ? (host === undefined ? '' : `${host}, the host of this window`) : kind,
    ...(slots?.held === undefined
      ? [countText(going), totalText(slots)]
      : [`${slots.held}/${slots.total} slots`]),
    queued === 0 ? '' : `${queued} queued`,
    stateText[state](machine),
  ];
  return words.filter((word) => word !== '');
}

const totalText = (slots: SlotsView | undefined): string =>
  slots === undefined ? '' : `${slots.total} ${slots.total === 1 ? 'slot' : 'slots'}`;

const countText = (count: number): string =>
  count === 0 ? '' : `${count} ${count === 1 ? 'run' : 'runs'}`;

/**
 * Last part of the text next to the machine's name. For a connected machine: the measured load, or
 * the description until a load has been measured.
 */
const stateText: Readonly<Record<MachineView['state'], (machine: MachineView) => string>> = {
  connected: ({ sample, description }) =>
    (sample && resourceText(sample)) ?? description ?? 'reading hardware …',
  unused: ({ place }) => ['not used yet', place].filter(Boolean).join(' · '),
  unreachable: ({ problem }) => ['not reachable', problem].filter(Boolean).join(' · '),
};

function iconOf({ kind, state }: MachineView): Icon {
  if (state === 'unreachable') return { id: 'warning', color: 'charts.yellow' };
  return {
    id: machineIcons[kind],
    ...(kind !== 'local' && state === 'connected' && { color: 'charts.green' }),
  };
}

/** Returns the tooltip: address, hardware, load of CPU, memory and GPUs, and each GPU's runs. */
function tooltip(machine: MachineView, open: readonly OpenSessionView[]): string {
  const { id, kind, place, description, problem, sample, state } = machine;
  const where = [kind, place].filter((word) => word !== undefined).map((word) => plain(word, 200));
  const gpus = sample?.gpus ?? [];
  const lines = sample === undefined ? [] : resourceLines(sample);
  return [
    `**${plain(id)}** ${where.join(' · ')}`,
    state === 'unused'
      ? 'Not used yet. Helios connects when a run or a command first needs it.'
      : '',
    plain(problem ?? description ?? '', 400),
    lines.map((line, index) => `- ${plain(line)}${holders(gpus[index], id, open)}`).join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Returns the runs whose processes use memory of the GPU, such as ` · run 7, run 8`. */
function holders(
  gpu: GpuSample | undefined,
  machineId: string,
  open: readonly OpenSessionView[],
): string {
  const pids = new Set(gpu?.processes?.map(({ sessionPid }) => sessionPid));
  const numbers = open
    .flatMap(({ state }) => [...state.runs.values()])
    .filter(
      ({ spec, process }) =>
        spec.machineId === machineId && process !== undefined && pids.has(process.pid),
    )
    .map(({ spec }) => runName(spec.number));
  return numbers.length === 0 ? '' : ` · ${numbers.join(', ')}`;
}

/**
 * Returns the rows that offer to add machines, shown while this computer is the only machine.
 * `hosts`: hosts of the ssh config.
 */
export const firstRows = (hosts: readonly string[]): readonly TreeNode[] => [
  {
    id: 'add',
    label: 'Add Machine…',
    description: 'SSH, Slurm, container',
    icon: { id: 'add' },
    spoken: 'Add a machine: an SSH host, a Slurm cluster or a container',
    onClick: 'helios.addMachine',
  },
  ...(hosts.length === 0
    ? []
    : ([
        {
          id: 'import',
          label: 'Import from SSH Config…',
          description: hosts.join(', '),
          icon: { id: 'cloud-download' },
          spoken: `Import hosts from the SSH config: ${hosts.join(', ')}`,
          onClick: 'helios.importMachines',
        },
      ] as const)),
];

/**
 * Returns a row per error in `machines.json`. `file` is the path of `machines.json`, which a click
 * on a row opens.
 */
export const problemRows = (problems: readonly string[], file: string): readonly TreeNode[] =>
  problems.map((problem, index) => ({
    id: `problem-${index}`,
    label: 'machines.json',
    // Omits the path of the file, which would push the error out of view.
    description: problem.replace(`${file}, `, ''),
    tooltip: plain(problem, 400),
    icon: { id: 'warning', color: 'charts.yellow' },
    spoken: problem,
    onClick: 'helios.editMachines',
  }));
