import { styleCode } from './terminalText.ts';

/** Text styles, for terminals with colours. A styled text must be written with `forTerminal`. */
export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

/** Returns a function that styles text with the codes that begin and end the style. */
const styled =
  (begin: number, end: number) =>
  (text: string): string =>
    `${styleCode(begin)}${text}${styleCode(end)}`;
const plain = (text: string): string => text;

export const plainStyle: Style = {
  dim: plain,
  bold: plain,
  good: plain,
  bad: plain,
  accent: plain,
};

const colours: Style = {
  dim: styled(2, 22),
  bold: styled(1, 22),
  good: styled(32, 39),
  bad: styled(31, 39),
  accent: styled(36, 39),
};

/**
 * Returns the styles for an output: plain text if the output is no terminal, NO_COLOR is set, or
 * the terminal is dumb.
 */
export const styleFor = (
  isTTY: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Style => (isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? colours : plainStyle);
