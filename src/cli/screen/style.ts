import { styleText } from 'node:util';

/** Colours, for terminals that want them. */
export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

type Format = Parameters<typeof styleText>[0];

/** `styleFor` judges the terminal, so `styleText` does not. */
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
 * Plain where the output is no terminal, and where the user set NO_COLOR or has a dumb terminal.
 */
export const styleFor = (
  isTTY: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Style => (isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? colours : plainStyle);
