/** Machines as columns of a terminal. */
import { cleanText, oneLine } from '../base/text.ts';
import type { MachineReport } from '../machines/machineReport.ts';
import { gpusText, hostText } from '../machines/resources/resourceText.ts';

const header = ['machine', 'kind', 'place', 'status', 'slots', 'gpu', 'load', ''];
/** Of a column; an image or a reason may be long. */
const maxCellChars = 36;

/** A line for each, no longer than `columns`: the last cell gives way. Columns that nobody fills are left out. */
export function machineTable(reports: readonly MachineReport[], columns: number): string {
  const rows = [header, ...reports.map(cellsOf)];
  const kept = header.map((_, index) => index).filter((index) => rows.some((row, at) => at > 0 && row[index] !== ''));
  const width = (index: number): number => Math.max(...rows.map((row) => row[index]?.length ?? 0));
  const line = (row: readonly string[]): string =>
    kept
      .map((index) => (row[index] ?? '').padEnd(width(index)))
      .join('  ')
      .slice(0, columns)
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}

function cellsOf({ id, kind, place = '', status, slots, resources, description, why }: MachineReport): string[] {
  const gpus = resources === undefined ? undefined : gpusText(resources);
  const load = resources === undefined ? undefined : hostText(resources);
  const about = status === 'connected' ? (description ?? '') : (why ?? '');
  const cells = [id, kind, place, status, slots === undefined ? '' : String(slots), gpus ?? '', load ?? ''];
  return [...cells.map((cell) => oneLine(cleanText(cell), maxCellChars)), cleanText(about).replace(/\s+/g, ' ')];
}
