/**
 * The system prompt, rendered deterministically from parts. The stable parts come first and stay
 * the same for a whole session, so that providers can cache them; what changes (machines, memory,
 * stickies) comes last. It stands before the conversation, so a change there costs the cache of all
 * that follows: it is rendered anew only at a checkpoint, which changes the conversation anyway,
 * when the user pins a note, and when a session is taken up again.
 */
import type { SystemPart } from '../../models/model.ts';

export interface PromptFacts {
  /** Stable sections of the profile, in order. */
  readonly sections: readonly string[];
  readonly workFolder: string;
  /** One line per machine: id and description. */
  readonly machines: readonly string[];
  /**
   * Rendered tree of the notes, already within its token budget; empty when there are none, absent
   * where a briefing has it.
   */
  readonly memoryTree?: string;
  readonly stickies: ReadonlyMap<number, string>;
  /** `instructions` of the project's `helios.json`. */
  readonly instructions?: string;
}

export function renderPrompt(facts: PromptFacts): SystemPart[] {
  const stable = [...facts.sections, projectPart(facts.instructions)];
  const changing = [
    `Where you are\nRelative paths and commands start in ${facts.workFolder}.\nMachines:\n${facts.machines.map((line) => `- ${line}`).join('\n')}`,
    notesPart(facts.memoryTree),
    stickyPart(facts.stickies),
  ];
  return [
    { text: stable.filter((part) => part !== undefined).join('\n\n'), isStable: true },
    { text: changing.filter((part) => part !== undefined).join('\n\n'), isStable: false },
  ];
}

/**
 * In one place only: in the briefing once there is one, so that what precedes the conversation
 * stays as it was.
 */
function notesPart(tree: string | undefined): string | undefined {
  if (tree === undefined) return undefined;
  return tree === '' ? 'Notes in memory: none yet.' : `Notes in memory (path: gist):\n${tree}`;
}

const projectPart = (instructions: string | undefined): string | undefined =>
  instructions === undefined || instructions.trim() === ''
    ? undefined
    : `About this project, from its owner\n${instructions.trim()}`;

const stickyPart = (stickies: ReadonlyMap<number, string>): string | undefined =>
  stickies.size === 0
    ? undefined
    : `Notes that the user pinned for you\n${[...stickies].map(([number, text]) => `[${number}] ${text}`).join('\n')}`;

/** What a turn without tools is answered with. */
export function reminderText(talkTurns: number, limit: number): string {
  const left = limit - talkTurns;
  return `No tool was called, and the work is not ended by saying so. Nobody answers questions: decide yourself and go on with the next experiment, or call finish (goal_met with evidence, or blocked with what is missing).${left <= 2 ? ` After ${left} more turn${left === 1 ? '' : 's'} without progress the session ends.` : ''}`;
}

export const resumeText =
  'Helios was restarted and has taken the work up again. Runs went on meanwhile; go on where you were.';

/** What a paused session is told when it is to go on and nothing else is said. */
export const goOnText = 'Go on with the work.';

export const goalText = (goal: string, limits: readonly string[]): string =>
  `The goal:\n${goal}${limits.length > 0 ? `\n\nLimits: ${limits.join(', ')}.` : ''}`;
