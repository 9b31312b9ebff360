/**
 * Reads the colours of VS Code's theme, for drawing on a canvas, and assigns line styles to runs.
 */

export interface LineStyle {
  readonly colour: string;
  /** Alternating lengths of dashes and gaps in pixels; empty for a solid line. */
  readonly dash: readonly number[];
}

export interface Theme {
  readonly foreground: string;
  readonly muted: string;
  readonly grid: string;
  readonly background: string;
  readonly focus: string;
  readonly selection: string;
  readonly error: string;
  readonly fontFamily: string;
  readonly runColours: readonly string[];
}

const chartColours = ['blue', 'orange', 'green', 'purple', 'red', 'yellow'];
/** Hues in degrees for the seventh run and later ones, between the hues of `chartColours`. */
const furtherHues = [187, 325, 80, 25, 240, 152];

export function readTheme(): Theme {
  const styles = getComputedStyle(document.body);
  const read = (name: string, otherwise: string): string =>
    styles.getPropertyValue(`--vscode-${name}`).trim() || otherwise;
  const isLight = /vscode-(high-contrast-)?light/.test(document.body.className);
  const foreground = read('foreground', isLight ? '#3b3b3b' : '#cccccc');
  return {
    foreground,
    muted: read('descriptionForeground', foreground),
    grid: `color-mix(in srgb, ${foreground} 13%, transparent)`,
    background: read('editor-background', isLight ? '#ffffff' : '#1f1f1f'),
    focus: read('focusBorder', foreground),
    selection: read('editor-selectionBackground', '#80808059'),
    error: read('errorForeground', '#f85149'),
    fontFamily: read('font-family', 'sans-serif'),
    runColours: [
      ...chartColours.map((name) => read(`charts-${name}`, foreground)),
      ...furtherHues.map((hue) => `hsl(${hue} ${isLight ? '70% 36%' : '62% 64%'})`),
    ],
  };
}

const dashes: readonly (readonly number[])[] = [[], [7, 3], [2, 2], [9, 3, 2, 3]];

/**
 * Returns the line style of the group with this number in its session, from 1. The style depends
 * only on the number, so that a group looks the same in every chart, whatever other groups there
 * are. With a `position` above 0, returns the style of a run of the group: the same colour, other
 * dashes.
 */
export function lineStyle(
  { runColours, foreground }: Theme,
  number: number,
  position = 0,
): LineStyle {
  const index = number - 1;
  const turn = Math.floor(index / runColours.length) + position;
  return {
    colour: runColours[index % runColours.length] ?? foreground,
    dash: dashes[turn % dashes.length] ?? [],
  };
}

/** Paints a sample of the run's line, with its dashes. */
export function paintSwatch(swatch: HTMLElement, { colour, dash }: LineStyle): void {
  const ends = dash.map((_, index) => dash.slice(0, index + 1).reduce((sum, part) => sum + part));
  const stops = ends.map((end, index) => {
    const part = index % 2 === 0 ? 'currentColor' : 'transparent';
    return `${part} ${ends[index - 1] ?? 0}px ${end}px`;
  });
  swatch.style.color = colour;
  swatch.style.backgroundImage =
    stops.length === 0
      ? 'linear-gradient(currentColor, currentColor)'
      : `repeating-linear-gradient(90deg, ${stops.join(', ')})`;
}

/** Calls `listener` when the theme changes, for the lifetime of the page. */
export function onThemeChange(listener: () => void): void {
  const observer = new MutationObserver(listener);
  observer.observe(document.body, { attributes: true, attributeFilter: ['class'] });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
}

export const wantsLessMotion = (): boolean =>
  document.body.classList.contains('vscode-reduce-motion') ||
  matchMedia('(prefers-reduced-motion: reduce)').matches;
