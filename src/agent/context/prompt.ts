/**
 * Renders the system prompt deterministically. The stable sections come first and stay the same for
 * a whole session, so that providers can cache them. The sections that change (machines, memory,
 * stickies) come last. A change of these sections makes the provider's cache of the whole
 * conversation useless, because the conversation follows them. They are therefore rendered again
 * only at a checkpoint, which changes the conversation anyway, when the user pins a sticky, and
 * when a session is resumed.
 */
import {
  requirementTexts,
  uncheckedTexts,
  type Requirements,
} from '../../experiments/target/requirements.ts';
import { targetText, type Target } from '../../experiments/target/target.ts';
import type { SystemPart } from '../../models/model.ts';
import type { PermissionMode } from '../../permissions/mode.ts';

export interface PromptFacts {
  /** Stable sections of the profile, in order. */
  readonly sections: readonly string[];
  readonly workFolder: string;
  /** False if no command can run on this computer. Default: true. */
  readonly isShellHere?: boolean;
  readonly permissionMode?: PermissionMode | undefined;
  /** Sentences on what confinement means for commands on this computer. */
  readonly confinement?: string | undefined;
  /** Lines of the machines: id and description. */
  readonly machines: readonly string[];
  /**
   * Rendered tree of the notes, within its token budget. Empty without notes; undefined when a
   * briefing contains it.
   */
  readonly memoryTree?: string;
  readonly stickies: ReadonlyMap<number, string>;
  /** `instructions` of the project's `helios.json`. */
  readonly instructions?: string;
  /** Minutes after which every run ends. */
  readonly runMinutes?: number | undefined;
}

export function renderPrompt(facts: PromptFacts): SystemPart[] {
  const stable = [...facts.sections, limitPart(facts.runMinutes), projectPart(facts.instructions)];
  const changing = [
    `Where you are\n${placeText(facts)}\nMachines:\n${facts.machines.map((line) => `- ${line}`).join('\n')}${heavyPart(facts)}`,
    facts.permissionMode &&
      ['Permissions', modeText[facts.permissionMode], facts.confinement ?? '']
        .filter((line) => line !== '')
        .join('\n'),
    notesPart(facts.memoryTree),
    stickyPart(facts.stickies),
  ];
  return [
    { text: stable.filter((part) => part !== undefined).join('\n\n'), isStable: true },
    { text: changing.filter((part) => part !== undefined).join('\n\n'), isStable: false },
  ];
}

const placeText = ({ workFolder, isShellHere = true }: PromptFacts): string =>
  isShellHere
    ? `Relative paths and commands start in ${workFolder} on machine local, and in the working folder of any other machine.`
    : `Relative paths and commands start in the working folder of their machine. On machine local, in ${workFolder}, files can be read and written, but no command can run.`;

/**
 * Returns the line on the machines for heavy work: those with GPUs (`2 × NVIDIA A100`) or, if none has any, the machines
 * that the user added. Empty if no machine differs from the others.
 */
function heavyPart({ machines, isShellHere = true }: PromptFacts): string {
  const idOf = (line: string): string => line.split(':', 1)[0] ?? line;
  const withGpus = machines.filter((line) => /\d × /.test(line));
  const heavy = (
    withGpus.length > 0 ? withGpus : machines.filter((one) => idOf(one) !== 'local')
  ).map(idOf);
  const light = machines
    .map(idOf)
    .filter((id) => !heavy.includes(id) && (isShellHere || id !== 'local'));
  return heavy.length === 0 || light.length === 0
    ? ''
    : `\nTraining and evaluation belong on ${heavy.join(', ')}; ${light.join(', ')} ${light.length === 1 ? 'is' : 'are'} for editing and short commands, unless the goal says otherwise.`;
}

/** Sentences that tell the model the effect of each permission mode. */
const modeText: Readonly<Record<PermissionMode, string>> = {
  ask: 'Every call that changes something needs the approval of the user. A call that is refused or not answered waits in their inbox: continue without it. Commands that only read files of the working folder or the state of the machine (ls, grep, tail, git status, nvidia-smi) need none.',
  mandate:
    'Nobody is asked. The mandate covers work in the working folder, its worktrees and run folders, installs into an environment of the folder (.venv/bin/pip, uv, conda -p ./env), and downloads from package indexes and hubs. What is outside the mandate is refused with the reason and waits in the inbox: choose another way, and never wait for it.',
  allow:
    'Every tool may be used without asking. Commands that no mode allows are refused: reading or printing keys, running what a download prints, removing whole folders of the system.',
};

/**
 * Returns the part with the notes. After the first briefing, only the briefing contains the notes,
 * so that the text before the conversation does not change.
 */
function notesPart(tree: string | undefined): string | undefined {
  if (tree === undefined) return undefined;
  return tree === ''
    ? 'Notes in memory: none at the start.'
    : `Notes in memory (path: gist):\n${tree}`;
}

const limitPart = (minutes: number | undefined): string | undefined =>
  minutes === undefined
    ? undefined
    : `Time of runs\nThe user limits every run and every point of a sweep to ${minutes} minute${minutes === 1 ? '' : 's'} from its launch, whatever max_minutes says. Plan runs that are done by then.`;

const projectPart = (instructions: string | undefined): string | undefined =>
  instructions === undefined || instructions.trim() === ''
    ? undefined
    : `About this project, from its owner\n${instructions.trim()}`;

const stickyPart = (stickies: ReadonlyMap<number, string>): string | undefined =>
  stickies.size === 0
    ? undefined
    : `Stickies that the user pinned for you\n${[...stickies].map(([number, text]) => `[${number}] ${text}`).join('\n')}`;

/** Returns the message to the model after a turn without a tool call. */
export function reminderText(talkTurns: number, limit: number): string {
  const remainingTurns = limit - talkTurns;
  return `No tool was called, and text alone does not end the work. Nobody answers questions: decide yourself and continue with the next experiment, or call finish (goal_met with evidence, or blocked with what is missing).${remainingTurns <= 2 ? ` After ${remainingTurns} more turn${remainingTurns === 1 ? '' : 's'} without progress the session ends.` : ''}`;
}

export const resumeText =
  'Helios was restarted and has resumed the work. Runs continued meanwhile; continue where you were.';

/** Message that resumes a paused session when the user sends no message. */
export const goOnText = 'Continue the work.';

export const goalText = (goal: string, { limits, target, requirements }: OpeningFacts): string =>
  [
    `The goal:\n${goal}`,
    target === undefined
      ? 'No target was read from it: state one with set_target in your first turns.'
      : `Target: ${targetText(target)}. If this is not what the goal says, or runs print the metric under another name, state it with set_target.`,
    ...(requirements === undefined ? [] : uncheckedText(requirements, target)),
    ...(requirements === undefined ? [] : besidesText(requirements)),
    ...(limits.length > 0 ? [`Limits: ${limits.join(', ')}.`] : []),
  ].join('\n\n');

function besidesText(requirements: Requirements): string[] {
  const texts = requirementTexts(requirements);
  return texts.length === 0
    ? []
    : [`Besides: ${texts.join('; ')}.${requirementHint(requirements)}`];
}

/** Returns the sentence that tells the model how the requirements of the goal are checked. */
const requirementHint = ({ unchanged, checks }: Requirements): string =>
  `${unchanged.length > 0 ? ' Helios compares the files at each launch.' : ''}${checks.length > 0 ? ' Give finish the command of each check.' : ''}`;

function uncheckedText(requirements: Requirements, target: Target | undefined): string[] {
  const unchecked = uncheckedTexts(requirements, target);
  return unchecked.length === 0
    ? []
    : [
        `Not checked by Helios: ${unchecked.join('; ')}. Each holds for every run that counts: keep them yourself, or state with set_target what the runs print of them.`,
      ];
}

export interface OpeningFacts {
  readonly limits: readonly string[];
  readonly target: Target | undefined;
  readonly requirements?: Requirements | undefined;
}
