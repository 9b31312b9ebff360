import { styleText } from 'node:util';

/** Text styles, for terminals with colours. */
export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

type Format = Parameters<typeof styleText>[0];

/** Returns a function that styles text. Does not check the terminal, because `styleFor` does. */
const styled =
  (format: Format) =>
  (text: string): string =>
    styleText(format, text, { validateStream: false });
const plain = (text: string): string => text;

export const plainStyle: Style = {
  dim: plain,
  bold: plain,
  good: plain,
  bad: plain,
  accent: plain,
};

const colours: Style = {
  dim: styled('dim'),
  bold: styled('bold'),
  good: styled('green'),
  bad: styled('red'),
  accent: styled('cyan'),
};

/**
 * Returns the styles for an output: plain text if the output is no terminal, NO_COLOR is set, or
 * the terminal is dumb.
 */
export const styleFor = (
  isTTY: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Style => (isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? colours : plainStyle);
