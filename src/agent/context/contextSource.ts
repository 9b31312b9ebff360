/**
 * Renders a session's prompt and briefings from the current state of its machines, notes, stickies
 * and runs.
 */
import type { Clock } from '../../base/clock.ts';
import { counted } from '../../base/text.ts';
import { untrustedLine } from '../../base/untrusted.ts';
import { describeWithin } from '../../machines/describeWithin.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import type { SystemPart } from '../../models/model.ts';
import { renderBriefing } from './briefing.ts';
import { newestPart, type Shortening } from './checkpoint.ts';
import type { ProjectFile } from '../../project/projects.ts';
import type { PermissionMode } from '../../permissions/mode.ts';
import { renderPrompt } from './prompt.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import { startTexts } from '../journal/describeEvent.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

export interface ContextSourceDeps {
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly memory: MemoryStore;
  readonly machines: Machines;
  readonly clock: Clock;
  /** Stable sections of the system prompt, in order. */
  readonly sections: readonly string[];
  readonly project?: Pick<ProjectFile, 'instructions'>;
  /** Returns the minutes after which every run ends; `undefined` without such a limit. */
  runMinutes(): number | undefined;
  /** Returns the permission mode; `undefined` if the profile decides what is allowed. */
  permissionMode(): PermissionMode | undefined;
  readonly confining: { ruleOn(machine: Machine): Promise<string | undefined> };
}

/**
 * Maximum tokens for the memory notes in the system prompt. The system prompt lists the notes until
 * the first briefing (the summary that replaces older turns); then the briefing lists them.
 */
const memoryTokens = 2_500;
/** Maximum length of the description that a machine gives of itself, in the system prompt. */
const maxMachineChars = 400;

/**
 * Provides the texts that the model reads: the system prompt before the conversation, and the
 * briefing in place of older turns.
 */
export interface ContextSource {
  /**
   * Resolves with the system prompt. Renders it again when `isNew` is true or a sticky has changed;
   * otherwise resolves with the prompt of the previous call.
   */
  prompt(isNew: boolean): Promise<readonly SystemPart[]>;
  /** Resolves with the briefing that replaces a part of the conversation. */
  brief(shortening: Shortening): Promise<string>;
}

export const contextSource = (deps: ContextSourceDeps): ContextSource => ({
  prompt: promptSource(deps),
  brief: briefer(deps),
});

/**
 * Creates the function that renders the system prompt: once, and again after a checkpoint or when a
 * sticky has changed. In between, the prompt stays the same, so that the provider can use its
 * cache.
 */
function promptSource({
  log,
  memory,
  machines,
  clock,
  project,
  sections,
  runMinutes,
  permissionMode,
  confining,
}: ContextSourceDeps): ContextSource['prompt'] {
  let rendered: { stickies: ReadonlyMap<number, string>; parts: readonly SystemPart[] } | undefined;
  return async (isNew) => {
    const { stickies, workFolder } = log.state;
    if (rendered !== undefined && !isNew && rendered.stickies === stickies) return rendered.parts;
    const hasBriefing = log.events.some((event) => event.type === 'context.checkpointed');
    const parts = renderPrompt({
      sections,
      workFolder,
      isShellHere: machines.get('local').filesOnly === undefined,
      permissionMode: permissionMode(),
      confinement: await confining.ruleOn(machines.get('local')),
      runMinutes: runMinutes(),
      stickies,
      machines: await Promise.all(machines.list().map((machine) => machineLine(machine, clock))),
      ...(!hasBriefing && { memoryTree: await memory.render(memoryTokens) }),
      ...(project?.instructions !== undefined && { instructions: project.instructions }),
    });
    rendered = { stickies, parts };
    return parts;
  };
}

/**
 * Describes a machine in one line. Waits only a limited time for a machine that does not answer.
 */
async function machineLine(machine: Machine, clock: Clock): Promise<string> {
  const answer = await describeWithin(machine, clock);
  const marked = (text: string): string =>
    machine.kind === 'local' ? text : untrustedLine(text, 'the machine', maxMachineChars);
  const description =
    'description' in answer
      ? marked(answer.description)
      : `not reachable: ${marked(answer.problem)}`;
  const passed = Object.keys((await machine.setup?.())?.runEnv ?? {});
  const places = machine.share?.slots === undefined ? [] : [counted(machine.share.slots, 'place')];
  const texts = [description, ...places, ...startTexts({ runVariables: passed })];
  return `${machine.id}: ${texts.join(' · ')}`;
}

/**
 * Creates the function that renders a briefing. If the newest turn is too long to stay verbatim,
 * the briefing contains a truncated copy.
 */
const briefer =
  ({ log, sessionRuns, memory }: ContextSourceDeps): ContextSource['brief'] =>
  async ({ upTo, room }) => {
    const notes = await memory.tree();
    const { events, state } = log;
    const replaced = events.slice(0, events.findLastIndex(({ id }) => id === upTo) + 1);
    const briefing = renderBriefing(
      { state, ledger: sessionRuns.ledger(), replaced, notes },
      room.briefing,
    );
    return [briefing, newestPart(events, upTo, room.kept)]
      .filter((part) => part !== undefined)
      .join('\n\n');
  };
