/** Tells the user why the gate asks about commands. */
import { markHidden } from '../../../base/hiddenCharacters.ts';
import { oneLine } from '../../../base/text.ts';
import type { Access } from '../../access.ts';

const maxPartChars = 60;

/**
 * Returns a line for each reason to ask about a command, with the part of the command that causes
 * it. A command with a note, which already says what it does, gets no line.
 */
export const reasonNotes = (accesses: readonly Access[]): readonly string[] => [
  ...new Set(
    accesses.flatMap((access) => {
      if (access.kind !== 'command' || access.verdict?.kind !== 'ask' || access.note !== undefined)
        return [];
      const { reason, part, step } = access.verdict;
      const about =
        part === '' || part === access.command ? '' : `: ${oneLine(part, maxPartChars)}`;
      const position = step === undefined ? '' : ` (step ${step})`;
      return [`Reason: ${markHidden(reason + about)}${position}.`];
    }),
  ),
];
