/** Folds events into a list of the actions of a session. */
import type { RunId } from '../../base/ids.ts';
import { oneLine } from '../../base/text.ts';
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import { verdictText } from '../../runs/run.ts';
import type { HostContact } from '../../machines/confinement/hostContacts.ts';
import type { EventOf } from './describeEvent.ts';
import type { JournalEvent } from './events.ts';

export interface SessionActions {
  readonly goal: string;
  readonly startedMs: number;
  /** An entry for each tool call that the gate decided on, oldest first. */
  readonly actions: readonly Action[];
}

/** A call of a tool, or a run that the user started. */
export interface Action {
  readonly callId: string;
  /** Time of the decision, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly turn: number;
  readonly tool: string;
  /** Verb and object, such as `Ran make`. Omitted for a call that was not started. */
  readonly title?: string;
  /** Decision of the gate. Omitted for a run that the user started. */
  readonly decision?: Pick<EventOf<'permission.decided'>, 'isAllowed' | 'by' | 'why'>;
  /** `false` for a call that was refused, or interrupted before it began. */
  readonly isStarted: boolean;
  readonly isNetwork: boolean;
  /** Commands of the runs that a sweep or another call launched. */
  readonly commands: readonly ActionCommand[];
  readonly writes: readonly ActionPath[];
  /** URLs; the host if no URL is known. */
  readonly hosts: readonly string[];
  /** Hosts that the commands of the call asked for, if they are confined to a list of hosts. */
  readonly contacts?: readonly HostContact[];
  readonly isError?: boolean;
}

export interface ActionCommand {
  readonly machineId: string;
  readonly command: string;
  /** Folder as given in the call; for a run, an absolute path. Default: the working folder. */
  readonly folder?: string;
  readonly runId?: RunId;
  /** Number of the run. */
  readonly run?: number;
  /** When the run was launched and when it ended, in milliseconds since the epoch. */
  readonly startedMs?: number;
  readonly endedMs?: number;
  /** End of the command, such as `exit code 0`. Omitted while it runs, or if the end is unknown. */
  readonly end?: string;
}

export interface ActionPath {
  readonly machineId: string;
  readonly path: string;
  /**
   * Time at which a change of the file was found, in milliseconds since the epoch. Set for a file
   * that changed while the command of the call ran: the user or a run may also have changed it.
   */
  readonly foundMs?: number;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface Draft extends Writable<Omit<Action, 'commands'>> {
  commands: Writable<ActionCommand>[];
  /** Runs and checks that the call started, in place of `commands`. */
  readonly started: Writable<ActionCommand>[];
  writes: ActionPath[];
}

/** Returns the actions of a session. Reads each event once. */
export function actionsOf(events: readonly JournalEvent[]): SessionActions {
  const fold = new ActionsFold();
  for (const event of events) fold.add(event);
  return fold.result();
}

/** The tool whose write access is to a repository as a whole, of which it changes no file. */
const branchTool = 'exp_branch';

class ActionsFold {
  readonly #drafts = new Map<string, Draft>();
  readonly #tools = new Map<string, string>();
  readonly #runs = new Map<RunId, { entry: Writable<ActionCommand>; draft: Draft }>();
  #goal = '';
  #startedMs = 0;
  #turn = 0;

  result(): SessionActions {
    const actions = [...this.#drafts.values()].map(({ started, commands, ...draft }): Action => ({
      ...draft,
      commands: started.length > 0 ? started : commands,
    }));
    return { goal: this.#goal, startedMs: this.#startedMs, actions };
  }

  add(event: JournalEvent): void {
    switch (event.type) {
      case 'session.started':
        this.#goal = event.goal;
        this.#startedMs = event.at;
        break;
      case 'model.requested':
        this.#turn = event.turn;
        break;
      case 'model.replied':
        for (const block of event.content)
          if (block.type === 'tool_call') this.#tools.set(block.id, block.name);
        break;
      case 'permission.decided':
        this.#decided(event);
        break;
      case 'tool.started':
        this.#started(event);
        break;
      case 'tool.finished':
        this.#finished(event);
        break;
      case 'check.ended':
        this.#checked(event);
        break;
      case 'files.changed':
        this.#changed(event);
        break;
      case 'run.planned':
        this.#planned(event);
        break;
      case 'run.started':
        this.#launched(event);
        break;
      case 'run.ended':
        this.#end(event.runId, verdictText(event.verdict), event);
        break;
      case 'run.not_started':
        this.#end(event.runId, `not started: ${withoutUntrustedMarks(event.why)}`);
        break;
      default:
        break;
    }
  }

  #decided({ callId, isAllowed, by, why, accesses = [], at }: EventOf<'permission.decided'>): void {
    const draft = this.#draft(callId, at);
    draft.decision = { isAllowed, by, why };
    // A call that is repeated after a crash gets another decision.
    draft.commands = [];
    draft.writes = [];
    draft.hosts = [];
    for (const access of accesses) {
      if (access.kind === 'host') draft.hosts = [...draft.hosts, access.url ?? access.host];
      if (access.kind === 'write' && draft.tool !== branchTool)
        draft.writes.push({ machineId: access.machineId, path: access.path });
      if (access.kind === 'command') {
        const { machineId, command, folder } = access;
        draft.commands.push({ machineId, command, ...(folder !== undefined && { folder }) });
      }
    }
  }

  #started({ callId, name, title, effect, at }: EventOf<'tool.started'>): void {
    const draft = this.#draft(callId, at);
    Object.assign(draft, { tool: name, title, isStarted: true, isNetwork: effect === 'network' });
  }

  #finished(event: EventOf<'tool.finished'>): void {
    const draft = this.#drafts.get(event.callId);
    this.#tools.delete(event.callId);
    if (draft === undefined) return;
    draft.isError = event.isError;
    addContacts(draft, event.contacts);
    const end = commandEnd(event);
    if (end !== undefined) for (const command of draft.commands) command.end = end;
    for (const path of event.changedFiles ?? [])
      if (!draft.writes.some((write) => write.path === path))
        draft.writes.push({ machineId: 'local', path });
  }

  #checked({
    callId,
    machineId,
    command,
    folder,
    outcome,
    text,
    at,
  }: EventOf<'check.ended'>): void {
    const end = outcome === 'not_started' ? `not started: ${oneLine(text, maxEndChars)}` : text;
    this.#draft(callId, at).started.push({ machineId, command, folder, end });
  }

  /** Adds the files that changed, whether or not an access of the command names them. */
  #changed({ callId, by, files, at: foundMs }: EventOf<'files.changed'>): void {
    const draft = this.#drafts.get(callId);
    if (by !== 'command' || draft === undefined) return;
    const found = new Set(files.map(({ path }) => path));
    draft.writes = [
      ...draft.writes.filter(({ machineId, path }) => machineId !== 'local' || !found.has(path)),
      ...[...found].map((path) => ({ machineId: 'local', path, foundMs })),
    ];
  }

  #planned({ callId, spec, at }: EventOf<'run.planned'>): void {
    const { id: runId, number: run, machineId, command, cwd: folder } = spec;
    const entry = { machineId, command, folder, runId, run, startedMs: at };
    const draft = this.#draft(callId, at);
    this.#runs.set(runId, { entry, draft });
    draft.isStarted = true;
    draft.started.push(entry);
  }

  #launched({ runId, process }: EventOf<'run.started'>): void {
    const run = this.#runs.get(runId);
    if (run !== undefined) run.entry.startedMs = process.startedMs;
  }

  #end(
    runId: RunId,
    end: string,
    { endedMs, contacts }: Partial<Pick<EventOf<'run.ended'>, 'endedMs' | 'contacts'>> = {},
  ): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    run.entry.end = end;
    if (endedMs !== undefined) run.entry.endedMs = endedMs;
    addContacts(run.draft, contacts);
  }

  #draft(callId: string, atMs: number): Draft {
    const found = this.#drafts.get(callId);
    if (found !== undefined) return found;
    const tool = this.#tools.get(callId) ?? 'run';
    const nothing = { isStarted: false, isNetwork: false, commands: [], started: [], writes: [] };
    const draft: Draft = {
      callId,
      atMs,
      turn: this.#turn,
      tool,
      ...nothing,
      hosts: [],
    };
    this.#drafts.set(callId, draft);
    return draft;
  }
}

const maxEndChars = 160;

/**
 * Returns how the command of a call ended; `undefined` for tools whose result does not include
 * this.
 */
function commandEnd({
  name,
  exitCode,
  isError,
  summary,
  text,
}: EventOf<'tool.finished'>): string | undefined {
  if (exitCode !== undefined) return `exit code ${exitCode}`;
  if (isError) return `failed: ${oneLine(text, maxEndChars)}`;
  // The summaries of other tools describe what they found, not how a command ended.
  return name === 'remote_exec' ? summary : undefined;
}

function addContacts(draft: Draft, contacts: readonly HostContact[] = []): void {
  if (contacts.length > 0) draft.contacts = [...(draft.contacts ?? []), ...contacts];
}
