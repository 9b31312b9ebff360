/**
 * Runs the tool calls of one reply: asks for permission, executes, records. Adjacent calls that
 * only read run in parallel; all other calls run one after the other.
 */
import type { Clock } from '../../base/clock.ts';
import { delay } from '../../base/clock.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import { markHidden } from '../../base/hiddenCharacters.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { redactValue } from '../../base/secrets/redactValue.ts';
import { capText } from '../../base/text.ts';
import { inert } from '../../base/untrusted.ts';
import type { AttachmentBlock, ToolCallBlock } from '../../models/model.ts';
import { linkNote, journalAccess, type Access } from '../../permissions/access.ts';
import type { Decision, Gate, GateCall } from '../../permissions/gate.ts';
import type { PathRules } from '../../permissions/pathRules.ts';
import type { AttachmentFile, AttachmentFiles } from '../../storage/attachmentFiles.ts';
import { labelRefusal } from '../../tools/parameters/secretLabels.ts';
import type { Tool, ToolContext, ToolResult } from '../../tools/tool.ts';
import type { EditKeeper } from '../edits/editKeeper.ts';
import { isClosing } from '../journal/closing.ts';
import type { SessionEvent, StreamEvent } from '../journal/events.ts';
import { resultText } from '../journal/resultText.ts';
import { askedTitle } from '../user/askedTitle.ts';
import { callText } from '../user/callText.ts';
import type { CallFate } from './callFate.ts';
import { refusedPart } from './refusedPart.ts';
import { cappedContent, contentText, withoutSecrets } from './resultFields.ts';

export interface ActDeps {
  readonly sessionId: SessionId;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly paths: PathRules;
  /** Hides secrets in results. */
  readonly secrets: Pick<Redactor, 'redact' | 'label'>;
  /**
   * Stores attachments of results, and the full text of results that are too long for the model.
   */
  readonly files: Pick<AttachmentFiles, 'keep' | 'pathOf'>;
  /** Stores the content of files before calls change them. */
  readonly edits: Pick<EditKeeper, 'begin'>;
  readonly fate: CallFate;
  /** Adds a warning to the result if the call changed a file that the goal leaves alone. */
  warned(result: ToolResult, accesses: readonly Access[]): Promise<ToolResult>;
  record(event: SessionEvent): Promise<void>;
  show(event: StreamEvent): void;
  /**
   * Returns true when the session has ended, is paused or sleeps. The remaining calls of the reply
   * are then not executed.
   */
  isOver(): boolean;
}

/** Maximum length of a result for the model, in characters. */
const maxResultChars = 24_000;
/**
 * Maximum time that an interrupted tool has to return. After that, its call is recorded as
 * interrupted.
 */
const interruptGraceMs = 700;
/** Maximum time to find out whether the command of an interrupted call still runs. */
const fateMs = 300;

type Outcome = Omit<
  Extract<SessionEvent, { type: 'tool.finished' }>,
  'type' | 'callId' | 'name' | 'durationMs'
>;

/**
 * Executes the calls. Resolves when the journal has a result for each call. After an abort, records
 * the remaining calls as interrupted. When Helios closes, records no result for the calls that the
 * closing interrupts.
 */
export async function act(
  calls: readonly ToolCallBlock[],
  deps: ActDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const group of groupCalls(calls, deps.tools)) {
    await Promise.all(group.map((call) => actOne(call, deps, signal)));
  }
}

/** Groups adjacent calls that only read; every other call forms a group of its own. */
function groupCalls(
  calls: readonly ToolCallBlock[],
  tools: ReadonlyMap<string, Tool>,
): ToolCallBlock[][] {
  const groups: ToolCallBlock[][] = [];
  let wasRead = false;
  for (const call of calls) {
    const isRead = isPlainRead(tools.get(call.name));
    const last = groups.at(-1);
    if (isRead && wasRead && last !== undefined) last.push(call);
    else groups.push([call]);
    wasRead = isRead;
  }
  return groups;
}

const isPlainRead = (tool: Tool | undefined): boolean =>
  tool?.effect === 'read' && !tool.endsTurn && !tool.isOwnData;

async function actOne(call: ToolCallBlock, deps: ActDeps, signal: AbortSignal): Promise<void> {
  const startedMs = deps.clock.now();
  const outcome = await outcomeOf(call, deps, signal);
  if (outcome.isError && isClosing(signal)) return;
  await deps.record({
    type: 'tool.finished',
    callId: call.id,
    name: call.name,
    durationMs: deps.clock.now() - startedMs,
    ...outcome,
  });
}

async function outcomeOf(
  call: ToolCallBlock,
  deps: ActDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  if (signal.aborted) return failed('Interrupted by the user before it was started.');
  if (deps.isOver()) return failed('Not executed: an earlier call of this reply ended the turn.');
  if (call.problem !== undefined) return failed(call.problem);
  const tool = deps.tools.get(call.name);
  if (tool === undefined)
    return failed(
      `There is no tool ${call.name}. The tools are: ${[...deps.tools.keys()].join(', ')}.`,
    );
  const parsed = tool.parse(call.input);
  if (!parsed.ok)
    return failed(
      parsed.problem + leaveOut(await refusedPart(tool, call.input, () => true), 'is valid'),
    );
  const accesses = await tool.accesses(parsed.args);
  const runs = accesses.some(({ kind }) => kind === 'command');
  const withLabel = runs ? labelRefusal(call.input) : undefined;
  if (withLabel !== undefined) return failed(withLabel);
  // Remove secrets from the arguments, because the model reads the stored text again in later
  // requests.
  const args = tool.isOwnData ? redactValue(parsed.args, deps.secrets) : parsed.args;
  const judged = { call, tool, args, accesses };
  const permitted = await permit(judged, deps, signal);
  if (typeof permitted === 'string') return failed(permitted);
  return execute({ ...judged, accesses: permitted }, deps, signal);
}

interface ParsedCall {
  readonly call: ToolCallBlock;
  readonly tool: Tool;
  /** Arguments as parsed by `tool.parse`. */
  readonly args: unknown;
  readonly accesses: readonly Access[];
}

/** Returns the call as the gate judges it. */
function gateCall({ call, tool, args, accesses }: ParsedCall, { paths }: ActDeps): GateCall {
  const { id: callId, name, repairs = [] } = call;
  const { effect, isOwnData, approvedAs } = tool;
  return {
    callId,
    tool: name,
    title: markHidden(askedTitle(tool.describe(call.input, accesses))),
    effect,
    accesses,
    isOwnData,
    detail: callText({ args, accesses, repairs, paths }),
    repairs,
    ...(approvedAs && { approvedAs }),
  };
}

/**
 * Asks the permission gate and records its decision. Resolves with the reason when the call is not
 * permitted, else with the accesses on which the gate decided.
 */
async function permit(
  parsed: ParsedCall,
  deps: ActDeps,
  signal: AbortSignal,
): Promise<string | readonly Access[]> {
  const { call, tool, accesses } = parsed;
  const { id: callId, name, repairs = [] } = call;
  const { effect, changesCode } = tool;
  const title = tool.describe(call.input, accesses);
  const judgedCall = gateCall(parsed, deps);
  const decision = await deps.gate.decide(judgedCall, signal);
  const {
    accesses: judged,
    isQueued: _isQueued,
    advice: _advice,
    isObstacle,
    ...ruling
  } = decision;
  const decided = deps.record({
    type: 'permission.decided',
    callId,
    ...ruling,
    ...(judged.length > 0 && { accesses: judged.map(journalAccess) }),
  });
  if (signal.aborted || !decision.isAllowed) await decided;
  if (signal.aborted) return 'Interrupted by the user before it was started.';
  if (isObstacle) return refusalText(decision, []);
  if (!decision.isAllowed)
    return [
      refusalText(decision, repairs),
      linkAdvice(linkNote(accesses)),
      decision.by === 'person' ? '' : await partAdvice(parsed, judgedCall, deps),
    ].join('');
  // Recording both events together needs only one flush to disk.
  await Promise.all([
    decided,
    deps.record({ type: 'tool.started', callId, name, effect, changesCode, title }),
  ]);
  return judged;
}

/**
 * Returns the text for a refused call. If the call was invalid JSON and had to be repaired, it
 * needs the user's approval, so the text asks the model to write valid JSON.
 */
const refusalText = (
  { why, advice, isQueued, isObstacle }: Omit<Decision, 'isAllowed' | 'by' | 'accesses'>,
  repairs: readonly string[],
): string =>
  repairs.length === 0
    ? `${isObstacle ? '' : 'Not allowed: '}${why}. ${advice ?? 'Find another way, or continue without it.'}${isQueued === true ? ' It waits in the inbox, and you are told if the user allows it.' : ''}`
    : `Not executed: ${why}. The call had to be repaired (${repairs.join(', ')}), and a repaired call needs approval. If it is right, write it again as valid JSON.`;

const partAdvice = async (
  { call, tool }: ParsedCall,
  judgedCall: GateCall,
  { gate }: ActDeps,
): Promise<string> =>
  leaveOut(
    await refusedPart(tool, call.input, async (args) =>
      gate.allows({ ...judgedCall, accesses: await tool.accesses(args) }),
    ),
    'would be allowed',
  );

const leaveOut = (part: string | undefined, rest: string): string =>
  part === undefined ? '' : ` Leave out \`${part}\`; the rest ${rest}.`;

const linkAdvice = (link: string): string =>
  link && ` ${link} To write there, use that path in the call.`;

async function execute(
  { call, tool, args, accesses }: ParsedCall,
  deps: ActDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  const context: ToolContext = {
    sessionId: deps.sessionId,
    callId: call.id,
    signal,
    accesses,
    progress: (text) => deps.show({ type: 'tool.progress', callId: call.id, text }),
  };
  const stopped = async (): Promise<string> =>
    `Interrupted by the user while it ran. ${await deps.fate({ ...context, timeoutMs: fateMs })}`;
  try {
    const edit = await deps.edits.begin(call.id, changing(tool, accesses));
    const result = await untilInterrupted(
      tool.execute(args, context).finally(() => edit.end()),
      deps.clock,
      signal,
    );
    if (result === undefined) return failed(await stopped());
    return await succeeded(tool, await deps.warned(result, accesses), deps);
  } catch (error) {
    if (error instanceof ToolFailure) return failed(error.message);
    if (signal.aborted) return failed(await stopped());
    deps.logger.error(`Tool ${call.name} failed`, error);
    return failed(`Internal error in ${call.name}: ${messageOf(error)}. Try another way.`);
  }
}

/** Returns the accesses that may change files before the call returns. */
const changing = ({ startsRuns }: Tool, accesses: readonly Access[]): readonly Access[] =>
  startsRuns ? accesses.filter(({ kind }) => kind !== 'command') : accesses;

/**
 * Resolves with the tool's result, or with `undefined` when the tool does not return soon after an
 * abort.
 */
async function untilInterrupted(
  work: Promise<ToolResult>,
  clock: Clock,
  signal: AbortSignal,
): Promise<ToolResult | undefined> {
  const gaveUp = new AbortController();
  const interrupted = new Promise<undefined>((resolve) => {
    const onAbort = (): void => {
      delay(clock, interruptGraceMs, gaveUp.signal).then(
        () => resolve(undefined),
        () => resolve(undefined),
      );
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: gaveUp.signal });
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    gaveUp.abort();
    // If the abandoned tool fails later, this must not crash the process.
    work.catch(() => undefined);
  }
}

async function succeeded(tool: Tool, result: ToolResult, deps: ActDeps): Promise<Outcome> {
  const { text, fullPath } = await bounded(withoutSecrets(result, deps.secrets), deps);
  const { attachmentFiles, problems } = await keptFiles(result.attachments ?? [], deps);
  const { summary, changedFiles, links, runId, exitCode, contacts = [] } = result;
  return {
    text: [text, ...problems].join('\n'),
    isError: false,
    ...(tool.isQuiet && { isQuiet: true }),
    ...(tool.countedAs !== undefined && { countedAs: tool.countedAs }),
    ...(fullPath !== undefined && { fullPath }),
    ...(summary !== undefined && { summary }),
    ...(attachmentFiles.length > 0 && { attachmentFiles }),
    ...(changedFiles !== undefined && { changedFiles }),
    ...(links !== undefined && { links }),
    ...(exitCode !== undefined && { exitCode }),
    ...(contacts.length > 0 && { contacts }),
    ...(runId !== undefined && { runId }),
  };
}

async function bounded(
  result: ToolResult,
  deps: ActDeps,
): Promise<{ text: string; fullPath?: string }> {
  const whole = contentText(result);
  if (whole.length <= maxResultChars) return { text: whole };
  // Store JSON with one field per line: tools read and search files by lines.
  const kept = typeof result.content === 'string' ? whole : resultText(whole);
  try {
    const fullPath = deps.files.pathOf(await deps.files.keep(Buffer.from(kept), 'text/plain'));
    const hint = `the whole is in ${fullPath}, for read_file on machine local`;
    return { text: cappedContent(result, maxResultChars, hint), fullPath };
  } catch (error) {
    // The call has already taken effect, so it must not be recorded as failed if only its result
    // cannot be stored.
    deps.logger.warn(`A long result could not be stored: ${messageOf(error)}`);
    const hint = 'the complete result could not be stored';
    return { text: cappedContent(result, maxResultChars, hint) };
  }
}

/** Stores attachments. The event that names them is written afterwards. */
async function keptFiles(
  attachments: readonly AttachmentBlock[],
  { files, logger }: ActDeps,
): Promise<{ attachmentFiles: readonly AttachmentFile[]; problems: readonly string[] }> {
  const attachmentFiles: AttachmentFile[] = [];
  const problems: string[] = [];
  for (const { mediaType, name, base64 } of attachments) {
    try {
      attachmentFiles.push({
        ...(await files.keep(Buffer.from(base64, 'base64'), mediaType)),
        name,
      });
    } catch (error) {
      logger.warn(`An attachment could not be stored: ${messageOf(error)}`);
      problems.push(
        inert(`[${name} cannot be shown, because it could not be stored: ${messageOf(error)}]`),
      );
    }
  }
  return { attachmentFiles, problems };
}

const failed = (text: string): Outcome => ({
  text: capText(inert(text), maxResultChars).text,
  isError: true,
});
