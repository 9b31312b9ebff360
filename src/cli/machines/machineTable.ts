/** Formats machines as a table for the terminal. */
import { cleanText, oneLine } from '../../base/text.ts';
import type { MachineReport } from '../../presentation/machines/machineReport.ts';
import { gpusText, hostText } from '../../presentation/machines/resourceText.ts';
import { columnsText } from '../screen/columns.ts';

const header = ['machine', 'kind', 'place', 'status', 'slots', 'gpu', 'load', ''];
/** Maximum width of a cell, because the name of an image or an error may be long. */
const maxCellChars = 36;

export function machineTable(reports: readonly MachineReport[], columns: number): string {
  return columnsText(header, reports.map(cellsOf), columns);
}

function cellsOf({
  id,
  kind,
  place = '',
  status,
  slots,
  resources,
  description,
  why,
}: MachineReport): string[] {
  const gpus = resources === undefined ? undefined : gpusText(resources);
  const load = resources === undefined ? undefined : hostText(resources);
  const about = status === 'connected' ? (description ?? '') : (why ?? '');
  const cells = [
    id,
    kind,
    place,
    status,
    slots === undefined ? '' : String(slots),
    gpus ?? '',
    load ?? '',
  ];
  return [
    ...cells.map((cell) => oneLine(cleanText(cell), maxCellChars)),
    cleanText(about).replace(/\s+/g, ' '),
  ];
}
