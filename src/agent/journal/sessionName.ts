import { oneLine } from '../../base/text.ts';

export interface Named {
  readonly goal: string;
  /** Title that the user gave the session. */
  readonly title?: string;
}

/** Returns the name by which lists and messages call a session: its title, otherwise its goal. */
export const sessionName = ({ title, goal }: Named): string => title ?? goal;

const maxTitle = 120;

/** Returns the text as a title: one line of at most 120 characters. */
export const sessionTitle = (text: string): string => oneLine(text, maxTitle).trim();
