/** One line per figure, with columns that stand below each other. */
import { isMet, isWrong, type Aim, type Figure } from './figure.ts';

const nameWidth = 56;
const valueWidth = 12;

/** `  wake, p95    84 ms   aim ≤ 500 ms   met` */
export function figureLine(figure: Figure): string {
  const { name, value, unit, aim } = figure;
  const measured = `${shown(value).padStart(valueWidth)} ${unit}`;
  const line = `  ${name.padEnd(nameWidth)}${measured}`;
  if (aim === undefined) return isWrong(figure) ? `${line}  WRONG` : line;
  const missed = isWrong(figure) ? 'WRONG' : 'MISSED';
  return `${line.padEnd(nameWidth + valueWidth + 12)}aim ${limitOf(aim)} ${unit}  ${isMet(figure) === true ? 'met' : missed}`;
}

function limitOf(aim: Aim): string {
  if ('exactly' in aim) return `= ${shown(aim.exactly)}`;
  return 'atMost' in aim ? `≤ ${shown(aim.atMost)}` : `≥ ${shown(aim.atLeast)}`;
}

/** Three significant digits below a thousand, whole numbers with groups above. */
export function shown(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  return String(Number(value.toPrecision(3)));
}
