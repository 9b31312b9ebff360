/** Machines as a list for the chat, which is too narrow for a table. */
import type { MachineReport } from '../../presentation/machines/machineReport.ts';
import { gpusText, hostText } from '../../presentation/machines/resourceText.ts';
import { plain } from '../../base/markdown.ts';

/**
 * Returns two lines per machine: its status and load, then its description or the reason why the
 * machine is unreachable.
 */
export const machineLines = (reports: readonly MachineReport[]): string =>
  `${reports.map((report) => `- **${plain(report.id)}** ${stateOf(report)}${aboutOf(report)}\n`).join('')}\n`;

function stateOf({ id, kind, status, slots, resources }: MachineReport): string {
  const words = [
    kind === id ? '' : kind,
    slots === undefined ? '' : `${slots} ${slots === 1 ? 'slot' : 'slots'}`,
    runStatusText[status],
    resources === undefined ? '' : (gpusText(resources) ?? ''),
    resources === undefined ? '' : (hostText(resources) ?? ''),
  ];
  return words.filter((word) => word !== '').join(' · ');
}

function aboutOf({ status, description, why, place }: MachineReport): string {
  const about = { connected: description, unreachable: why, unused: place }[status] ?? '';
  return about === '' ? '' : `  \n  ${plain(about, 200)}`;
}

const runStatusText: Readonly<Record<MachineReport['status'], string>> = {
  connected: 'connected',
  unreachable: 'not reachable',
  unused: 'not used yet',
};
