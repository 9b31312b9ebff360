/** Findings of `helios doctor`: one line per check. */

/**
 * - `broken`: something that was set up does not work
 * - `warning`: works, but may cause trouble
 * - `note`: useful information
 */
export type Level = 'ok' | 'note' | 'warning' | 'broken';

export interface Finding {
  readonly level: Level;
  /** Name of the check: `ssh gpu1`, `home folder`. */
  readonly name: string;
  readonly text: string;
  /** Advice for the user. */
  readonly action?: string;
}

export interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
}

export const ok = (name: string, text: string): Finding => ({ level: 'ok', name, text });
export const note = (name: string, text: string, action?: string): Finding =>
  found('note', name, text, action);
export const warning = (name: string, text: string, action?: string): Finding =>
  found('warning', name, text, action);
export const broken = (name: string, text: string, action?: string): Finding =>
  found('broken', name, text, action);

const found = (level: Level, name: string, text: string, action: string | undefined): Finding => ({
  level,
  name,
  text,
  ...(action !== undefined && { action }),
});
