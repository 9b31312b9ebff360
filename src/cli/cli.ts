/** The command `helios`: parses the command line, opens the engine, and follows one session. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CommanderError } from 'commander';
import type { Engine } from '../agent/contract/engine.ts';
import type { ApprovalRequest } from '../agent/contract/ports.ts';
import type { Session } from '../agent/contract/sessions.ts';
import type { EngineSettings } from '../agent/contract/settings.ts';
import { messageOf, UserFacing } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import { silentLogger, type Logger } from '../base/logger.ts';
import { withoutUntrustedMarks } from '../base/untrusted.ts';
import type { EngineOptions } from '../compose/engine.ts';
import { createDemoProvider } from '../compose/demoProvider.ts';
import { effortFor } from '../presentation/models/effort.ts';
import { placeHere } from '../base/place.ts';
import { warningsHere } from '../base/placeWarnings.ts';
import { homeAt } from '../compose/home.ts';
import { fileAttachment, type Attachment } from '../presentation/sessions/attachments.ts';
import { leftOutOf, leftOutText } from '../presentation/sessions/sessionText.ts';
import { askUser } from './approvals.ts';
import { Asking } from './asking.ts';
import { askGoal } from './askGoal.ts';
import type { CliOptions, GoalWork } from './arguments.ts';
import { settingsFor } from './choose.ts';
import { chosenProvider } from './chosenProvider.ts';
import type { CommandContext, CommandLine } from './command.ts';
import { helpArguments, readerOf, rejectSlashWord } from './commandTable.ts';
import { detachedText, handOverToBackground } from './detach.ts';
import { follow } from './follow.ts';
import { secretStore } from '../compose/secrets.ts';
import { machineAdvice } from './machines/machineAdvice.ts';
import { keyReader } from './auth/keys.ts';
import { modelNamed } from './models/modelChoice.ts';
import { refusingPrompts, terminalPrompts } from './machines/machinePrompts.ts';
import { ProviderMemory, rememberedText, type RememberedProvider } from './rememberedProvider.ts';
import { namedSession } from './sessionReference.ts';
import { printAnswer } from './screen/printAnswer.ts';
import { styleFor } from './screen/style.ts';
import { forTerminal, TerminalOutput } from './screen/terminalText.ts';
import { TerminalView } from './screen/terminalView.ts';
import { JsonView, PlainView, type SessionView } from './screen/views.ts';
import { exitCodes, type CliDeps } from './cliDeps.ts';

/**
 * Runs `helios` with the arguments `argv`, and resolves with the exit code. Writes errors, with the
 * action to take, to stderr. Applies `forTerminal` to everything that is written. Never rejects.
 */
export async function runCli(argv: readonly string[], surroundings: CliDeps): Promise<number> {
  const { stdout, stderr } = surroundings;
  const deps: CliDeps = {
    ...surroundings,
    stdout: new TerminalOutput(stdout),
    stderr: { write: (text) => stderr.write(forTerminal(text)) },
  };
  const line: CommandLine = { deps, home: undefined, code: exitCodes.goal };
  const workOn: GoalWork = async (options, context) =>
    work(await withInput(options, deps), context);
  try {
    const words = helpArguments(argv);
    await readerOf(words, line, workOn).parseAsync([...words], { from: 'user' });
    return line.code;
  } catch (error) {
    // Commander has printed the help or the version.
    if (error instanceof CommanderError) return error.exitCode;
    const action = actionOf(error);
    const text = withoutUntrustedMarks(messageOf(error));
    deps.stderr.write(`helios: ${text}${action === undefined ? '' : `\n${action}`}\n`);
    return exitCodes.error;
  }
}

/** Returns what the user can do about an error, with the commands for a machine if none is there. */
const actionOf = (error: unknown): string | undefined =>
  error instanceof UserFacing
    ? error.reason === 'no_machine'
      ? machineAdvice
      : error.action
    : undefined;

/**
 * Returns the options with a goal, if the command line has none and resumes no session: asks for it
 * at a terminal, and otherwise reads it from stdin.
 */
async function withInput(options: CliOptions, deps: CliDeps): Promise<CliOptions> {
  if (options.text !== undefined || options.isContinue || options.resume !== undefined)
    return options;
  const { stdin, stdout } = deps;
  if (stdin.isTTY && (!stdout.isTTY || options.isJson || options.isHeadless)) return options;
  const text = stdin.isTTY ? await askGoal(deps) : await allOf(stdin);
  return text === '' ? options : { ...options, text };
}

async function allOf(stdin: CliDeps['stdin']): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) text += String(chunk);
  return text.trim();
}

async function work(options: CliOptions, { deps, home: folder }: CommandContext): Promise<number> {
  const isTerminal =
    deps.stdin.isTTY === true &&
    deps.stdout.isTTY === true &&
    !options.isJson &&
    !options.isHeadless &&
    !options.isDetached;
  rejectInput(options, isTerminal);
  const home = homeAt(folder);
  const readKey = keyReader(deps.env, home.authFolder);
  const chosen = await chosenProvider(options, { home, readKey, deps });
  const { provider, preferences, remembered } = chosen;
  const approvals: Approvals = {
    asking: new Asking(),
    view: undefined,
    last: Promise.resolve(),
  };
  const settings = (): EngineSettings => settingsFor(options, provider, deps, preferences);
  const engineOptions: EngineOptions = {
    home: home.folder,
    assetsFolder: deps.assetsFolder,
    settings,
    ports: {
      secret: readKey,
      storeSecret: secretStore(home.authFolder),
      ...(isTerminal ? askingPorts(approvals, deps) : refusingPrompts(deps)),
    },
    clock: deps.clock,
    logger: loggerFor(approvals),
    workFolder: deps.cwd,
    // In a terminal, a user watches, so the demo replies at reading speed.
    ...(isTerminal && { providers: [createDemoProvider({ paced: true, clock: deps.clock })] }),
  };
  const engine = await deps.createEngine(engineOptions);
  const memory = new ProviderMemory(home.folder, options);
  try {
    const handOver = (session: Session): Promise<void> =>
      handOverToBackground(session, { engine, settings: settings(), readKey, deps });
    const opened = { engine, options, provider, deps, approvals, isTerminal };
    return await withEngine({ ...opened, settings, handOver, memory, remembered });
  } finally {
    await engine.close();
    await memory.settled();
  }
}

/**
 * Throws `UserFacing` if there is no goal, or if the session has to ask the user but there is no
 * terminal.
 */
function rejectInput(options: CliOptions, isTerminal: boolean): void {
  const isOpening = options.isContinue || options.resume !== undefined;
  if (options.text === undefined && !isOpening)
    throw new UserFacing(
      'There is no goal.',
      'Write one: helios "bring val_loss below 0.3" (see helios --help).',
    );
  rejectSlashWord(options.text);
  if (options.mode === 'ask' && !options.isPrint && !isTerminal)
    throw new UserFacing(
      cannotAsk(options),
      'Pass --mode mandate, or --yes to allow every tool call.',
    );
}

function cannotAsk({ isDetached, isHeadless }: CliOptions): string {
  if (isDetached) return 'Helios cannot ask for approvals in the background.';
  const why = isHeadless ? 'it runs with --headless' : 'this is not a terminal';
  return `Helios cannot ask for approvals: ${why}.`;
}

/** Returns the ports that ask the user in the terminal. */
const askingPorts = (approvals: Approvals, deps: CliDeps) => ({
  ...terminalPrompts(deps, (ask) => askAside(approvals, ask)),
  approve: (request: ApprovalRequest, signal: AbortSignal) =>
    askAside(approvals, () => askUser(request, deps, signal, approvals.asking)),
});

/** The view that shows approval questions; set after the engine was created. */
interface Approvals {
  view: SessionView | undefined;
  readonly asking: Asking;
  /** Resolves when the last question was answered. */
  last: Promise<unknown>;
}

/** Asks one question at a time, because all read the same input. */
function askAside<T>(approvals: Approvals, ask: () => Promise<T>): Promise<T> {
  const answer = approvals.last.then(() =>
    approvals.view === undefined ? ask() : approvals.view.aside(ask),
  );
  approvals.last = answer.catch(() => undefined);
  return answer;
}

const loggerFor = (approvals: Approvals): Logger => ({
  ...silentLogger,
  warn: (message) => approvals.view?.notice(message),
  error: (message, ...details) =>
    approvals.view?.notice([message, ...details].map((part) => messageOf(part)).join(': ')),
});

interface Opened {
  readonly engine: Engine;
  readonly options: CliOptions;
  readonly provider: string | undefined;
  readonly deps: CliDeps;
  readonly approvals: Approvals;
  readonly isTerminal: boolean;
  readonly memory: ProviderMemory;
  readonly remembered: RememberedProvider | undefined;
  settings(): EngineSettings;
  handOver(session: Session): Promise<void>;
}

async function withEngine(opened: Opened): Promise<number> {
  const { engine, options, deps, approvals } = opened;
  if (options.isPrint) {
    if (options.text === undefined)
      throw new UserFacing('There is no question.', 'Write it after --print.');
    const { session } = await openWatched(opened);
    const leftOut = leftOutOf(session.events());
    if (leftOut !== undefined) deps.stderr.write(`${leftOutText(leftOut)}\n`);
    return printAnswer(session, deps);
  }
  if (options.isDetached) return detach(opened);
  const style = styleFor(opened.isTerminal, deps.env);
  const view = createView(opened, style);
  approvals.view = view;
  try {
    const { session, say, attachments } = await openWatched(opened, view);
    noticeEffort(session, opened, view);
    const homeOption = options.home === undefined ? '' : ` --home ${options.home}`;
    return await follow({
      asking: approvals.asking,
      session,
      view,
      engine,
      deps,
      style,
      homeOption,
      handOver: () => opened.handOver(session),
      ...(say !== undefined && { say }),
      ...(attachments && { attachments }),
    });
  } finally {
    if (view instanceof TerminalView) view.dispose();
  }
}

/**
 * Opens the session and remembers its provider for later goals. Tells the user if the provider was
 * chosen because it answered last.
 */
async function openWatched(opened: Opened, view?: SessionView): Promise<OpenedSession> {
  const { remembered, memory, deps } = opened;
  const result = await openSession(opened);
  memory.watch(result.session);
  if (remembered !== undefined && remembered.provider === result.session.state.provider) {
    const text = rememberedText(remembered);
    if (view === undefined) deps.stderr.write(`${text}\n`);
    else view.notice(text);
  }
  return result;
}

/**
 * Starts or resumes a session, and hands it over to the background. Resolves with the exit code.
 */
async function detach(opened: Opened): Promise<number> {
  const { session, say, attachments } = await openWatched(opened);
  if (say !== undefined) await session.say(say, attachments);
  await opened.handOver(session);
  const warnings = warningsHere(placeHere(opened.deps), opened.engine.home);
  opened.deps.stdout.write(`${detachedText(session.id, warnings)}\n`);
  return exitCodes.goal;
}

/**
 * Tells the user that the model does not support the requested reasoning effort. If the effort
 * comes from the settings and the model supports no effort at all, says nothing.
 */
function noticeEffort({ state }: Session, opened: Opened, view: SessionView): void {
  const { provider, model } = state;
  const wanted = opened.options.effort ?? state.effort ?? opened.settings().effort;
  if (wanted === undefined) return;
  const description = opened.engine.models.describe(provider, model);
  const { effort, note } = effortFor({ ...description, id: model }, wanted);
  const isSaid = opened.options.effort !== undefined || effort !== undefined;
  if (note !== undefined && isSaid) view.notice(note);
}

function createView(
  { engine, options, deps, isTerminal }: Opened,
  style: ReturnType<typeof styleFor>,
): SessionView {
  const { stdin, stdout, stderr, clock } = deps;
  if (options.isJson) return new JsonView(stdout, stderr);
  if (!isTerminal) return new PlainView(stdout, style);
  const values = {
    summaries: (id: Parameters<Engine['runs']['get']>[0]) =>
      engine.runs.get(id)?.metrics.summaries(),
    series: (id: Parameters<Engine['runs']['get']>[0], metric: string) =>
      engine.runs.get(id)?.metrics.series(metric),
  };
  return new TerminalView({ input: stdin, output: stdout.raw ?? stdout, clock, style, values });
}

interface OpenedSession {
  readonly session: Session;
  /** Message that continues the session. */
  readonly say?: string;
  readonly attachments?: readonly Attachment[];
}

const seeFiles = 'See the attached files.';

/** Reads the attached files. Rejects with `UserFacing` if a file cannot be read. */
const filesOf = ({ files }: CliOptions, { cwd }: CliDeps): Promise<readonly Attachment[]> =>
  Promise.all(
    files.map(async (name) => {
      const file = path.resolve(cwd, name);
      const bytes = await readFile(file).catch((error: unknown) => {
        throw new UserFacing(`${name} cannot be attached: ${messageOf(error)}`);
      });
      return fileAttachment(name, file, bytes);
    }),
  );

async function openSession({ engine, options, provider, deps }: Opened): Promise<OpenedSession> {
  const { text, budget } = options;
  if (!options.isContinue && options.resume === undefined) {
    const profile = options.isPrint ? 'question' : 'goal';
    const request = {
      goal: text ?? '',
      profile,
      budget,
      workFolder: deps.cwd,
      attachments: await filesOf(options, deps),
      ...(options.target !== undefined && { target: options.target }),
    } as const;
    const named =
      options.model === undefined
        ? provider && { provider }
        : await modelNamed(options, provider, engine);
    return { session: await engine.sessions.start({ ...request, ...named }) };
  }
  const id = await resumedId(engine, options);
  const hasBudget = Object.keys(budget).length > 0;
  const session = await engine.sessions.resume(id, hasBudget ? { budget } : {});
  await useChosenModel(session, { engine, options });
  if (options.target !== undefined) await session.setTarget(options.target);
  const attachments = await filesOf(options, deps);
  const say = text ?? (attachments.length > 0 ? seeFiles : resumeMessage(session));
  return { session, attachments, ...(say !== undefined && { say }) };
}

/** Returns the session that is named or, without a name, the newest. Rejects with `UserFacing`. */
async function resumedId(engine: Engine, { resume }: CliOptions): Promise<SessionId> {
  if (resume !== undefined) return (await namedSession(engine.sessions, resume)).id;
  const [newest] = await engine.sessions.list();
  if (newest !== undefined) return newest.id;
  throw new UserFacing(
    `There is no session in ${engine.home} yet.`,
    'Start one with a goal: helios "…"',
  );
}

/** Changes the model and the reasoning effort of a session if the options name them. */
async function useChosenModel(
  session: Session,
  { engine, options }: Pick<Opened, 'engine' | 'options'>,
): Promise<void> {
  if (options.effort !== undefined) await session.useEffort(options.effort);
  if (options.provider === undefined && options.model === undefined) return;
  const { provider, model } = session.state;
  if (options.model === undefined && options.provider === provider) return;
  const chosen = await modelNamed(options, provider, engine);
  if (chosen.provider !== provider || chosen.model !== model)
    await session.useModel(chosen.provider, chosen.model);
}

/**
 * Returns the message that resumes an ended or paused session; `undefined` for a session that runs.
 * Throws `UserFacing` if the goal of the session is met.
 */
function resumeMessage({ state }: Session): string | undefined {
  if (state.end?.reason === 'goal')
    throw new UserFacing(
      `The goal of session ${state.id} is met.`,
      'Write what to do next: helios --continue "…", or start a new goal.',
    );
  return state.phase === 'ended' || state.phase === 'paused' ? 'Continue the work.' : undefined;
}
