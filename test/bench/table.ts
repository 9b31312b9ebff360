/** One line per figure, with columns that stand below each other. */
import { isMet, type Figure } from './figure.ts';

const nameWidth = 56;
const valueWidth = 12;

/** `  wake, p95    84 ms   aim ≤ 500 ms   met` */
export function figureLine(figure: Figure): string {
  const { name, value, unit, aim } = figure;
  const measured = `${shown(value).padStart(valueWidth)} ${unit}`;
  if (aim === undefined) return `  ${name.padEnd(nameWidth)}${measured}`;
  const limit = 'atMost' in aim ? `≤ ${shown(aim.atMost)}` : `≥ ${shown(aim.atLeast)}`;
  const verdict = isMet(figure) === true ? 'met' : 'MISSED';
  return `  ${name.padEnd(nameWidth)}${measured.padEnd(valueWidth + 10)}aim ${limit} ${unit}  ${verdict}`;
}

/** Three significant digits below a thousand, whole numbers with groups above. */
function shown(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  return String(Number(value.toPrecision(3)));
}
