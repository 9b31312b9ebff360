/** Colours, for terminals that want them. */
export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

const escape = (code: number, text: string): string => `\u001b[${code}m${text}\u001b[0m`;
const plain = (text: string): string => text;

export const plainStyle: Style = { dim: plain, bold: plain, good: plain, bad: plain, accent: plain };

const colours: Style = {
  dim: (text) => escape(2, text),
  bold: (text) => escape(1, text),
  good: (text) => escape(32, text),
  bad: (text) => escape(31, text),
  accent: (text) => escape(36, text),
};

/** Plain where the output is no terminal, and where the person set NO_COLOR or has a dumb terminal. */
export const styleFor = (isTTY: boolean, env: Readonly<Record<string, string | undefined>>): Style =>
  isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? colours : plainStyle;
