/**
 * The loop: think → permit → act → record, until the session ends, sleeps or is interrupted. The
 * loop has no state: every decision depends only on the journal.
 */
import { delay, type Clock } from '../../base/clock.ts';
import { adviceOf, HeliosError } from '../../base/errors.ts';
import { backoffMs } from '../../base/retries.ts';
import type { Effort } from '../../models/effort.ts';
import { retryReason } from '../../models/failures.ts';
import type {
  ModelDescription,
  ModelFailure,
  ModelProvider,
  ModelReply,
  ModelRequest,
  SystemPart,
  ToolCallBlock,
  ToolSpec,
} from '../../models/model.ts';
import type { Cost } from '../../models/prices.ts';
import type { Access } from '../../permissions/access.ts';
import { act, type ActDeps } from './act.ts';
import { budgetEndMs } from '../budget/measures.ts';
import type { BudgetGuard } from '../budget/guard.ts';
import type { RecordedMessage, RequestAttachments } from '../context/attachments.ts';
import { dueShortening } from '../context/checkpoint.ts';
import { estimatedTokens, promptTokens } from '../context/contextSize.ts';
import type { EndReason, JournalEvent, SessionEvent, StreamEvent } from '../journal/events.ts';
import { callsOf, pendingCalls } from '../journal/pendingCalls.ts';
import type { ContextSource } from '../context/contextSource.ts';
import { buildHistory, interruptedPrefix } from '../context/history.ts';
import { dueAttachments, type CachePrice } from '../context/leftOut.ts';
import type { AgentProfile } from '../profiles/profile.ts';
import type { PlateauGuard } from './plateauGuard.ts';
import { endsIdle } from './idleGuard.ts';
import { idleness } from './progress.ts';
import { reminderText } from '../context/prompt.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { supportedEffort } from './supportedEffort.ts';
import { think, withinMinutes } from './think.ts';
import type { Tool } from '../../tools/tool.ts';
import { withUniqueIds } from './uniqueIds.ts';

export interface LoopDeps extends ContextSource {
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly idleTurns: number;
  /** Effort for sessions whose user chose none. */
  readonly effort: Effort;
  provider(id: string): ModelProvider;
  describe(provider: string, model: string): ModelDescription | undefined;
  cost(provider: string, reply: ModelReply): Cost;
  /** Returns the prices of the model's cached input; `undefined` if they are unknown. */
  cachePrice(provider: string, model: string): CachePrice | undefined;
  readonly budget: BudgetGuard;
  readonly plateau: Pick<PlateauGuard, 'endsNow'>;
  readonly act: ActDeps;
  /** Returns whether requests list the tool. Calls of tools that are not listed work, too. */
  offers(tool: Pick<Tool, 'needs'>): boolean;
  readonly attachments: Pick<RequestAttachments, 'fill'>;
  readonly profile: Pick<AgentProfile, 'replyMeans'>;
  show(event: StreamEvent): void;
  end(reason: EndReason, summary: string): Promise<void>;
  /**
   * Called after a turn without a tool call. Continues a sleep that a check-in of the monitor
   * interrupted. If there is none and the session has a monitor, puts the session to sleep until
   * its next check-in. Returns true in both cases, otherwise false.
   */
  waitForMonitor(): Promise<boolean>;
}

/** Times to wait after each consecutive failed call while the provider has an outage. */
const outagePolicy = { waitsMs: [30_000, 60_000, 120_000, 300_000, 600_000] };
const maxOutageCalls = 100;
/**
 * Maximum number of consecutive requests that are too long for the model. After each, the next
 * request has at most three quarters of the size.
 */
const maxOverflows = 4;

/**
 * Runs the loop. Resolves when the session has ended, sleeps or was paused, or when `signal`
 * aborts. Rejects only when events cannot be recorded.
 */
export async function runLoop(deps: LoopDeps, signal: AbortSignal): Promise<void> {
  await actOnPending(deps, signal);
  while (!signal.aborted && isGoing(deps)) {
    if (await endsBefore(deps)) return;
    const reply = await turn(deps, signal);
    if (reply === undefined || signal.aborted) return;
    // The minutes of the goal are used up, so the session ends before the next call.
    if (reply.stop === 'aborted') continue;
    if (reply.stop === 'error') await afterFailure(deps, reply.failure, signal);
    else await afterReply(deps, reply, signal);
  }
}

const isGoing = ({ log }: LoopDeps): boolean =>
  !['sleeping', 'paused', 'ended'].includes(log.state.phase);

/**
 * Completes the calls without a result. Records a call as interrupted if it had started and cannot
 * safely be repeated, or if the session was paused or ended since the reply. Executes the other
 * calls now.
 */
async function actOnPending(deps: LoopDeps, signal: AbortSignal): Promise<void> {
  const { log } = deps;
  const begun = new Set(
    log.events.flatMap((event) => (event.type === 'tool.started' ? [event.callId] : [])),
  );
  const pending = isGoing(deps) ? pendingCalls(log.events) : [];
  const wasHalted = isHaltedSinceReply(log.events);
  const isLost = (call: ToolCallBlock): boolean =>
    wasHalted || (begun.has(call.id) && deps.act.tools.get(call.name)?.isRepeatable !== true);
  for (const call of pending.filter(isLost)) {
    const fate = await deps.act.fate({
      sessionId: log.state.id,
      callId: call.id,
      accesses: accessesOf(call, log),
      timeoutMs,
    });
    await log.record(interruptedCall(call, `${interruptedPrefix}${fate}`));
  }
  const rest = pending.filter((call) => !isLost(call));
  if (rest.length > 0) await act(rest, deps.act, signal);
}

const timeoutMs = 10_000;

/** Returns the accesses of a call that began; none if the call was never decided on. */
const accessesOf = ({ id }: ToolCallBlock, { events }: SessionLog): readonly Access[] =>
  events.flatMap((event) =>
    event.type === 'permission.decided' && event.callId === id ? (event.accesses ?? []) : [],
  );

function isHaltedSinceReply(events: readonly JournalEvent[]): boolean {
  const replied = events.findLastIndex((event) => event.type === 'model.replied');
  return events
    .slice(replied)
    .some((event) => event.type === 'session.paused' || event.type === 'session.ended');
}

/** Returns the event that records a call as interrupted. */
export const interruptedCall = (call: ToolCallBlock, text: string): SessionEvent => ({
  type: 'tool.finished',
  callId: call.id,
  name: call.name,
  text,
  isError: true,
  durationMs: 0,
});

/**
 * Ends the session when a limit is used up, on a plateau, or after too many turns without progress.
 * Resolves with true when the session was ended.
 */
async function endsBefore(deps: LoopDeps): Promise<boolean> {
  if ((await deps.budget.endsNow()) || (await deps.plateau.endsNow())) return true;
  return endsIdle(deps);
}

/**
 * Makes one model call. Resolves with the reply as recorded, or with `undefined` when the call was
 * aborted.
 */
async function turn(deps: LoopDeps, signal: AbortSignal): Promise<ModelReply | undefined> {
  const { log } = deps;
  const provider = deps.provider(log.state.provider);
  const offered = [...deps.act.tools.values()].filter((tool) => deps.offers(tool));
  const isAlone = !deps.offers({ needs: 'machines' });
  const tools = offered.map(({ spec, specAlone }) => (isAlone ? specAlone : spec));
  const system = await fittingPrompt(deps, windowOf(deps, provider, log.state.model), tools);
  const built = log.events.length;
  const price = deps.cachePrice(provider.id, log.state.model);
  const leftOut = dueAttachments(log.events, price, deps.clock.now());
  const messages = await deps.attachments.fill(buildHistory(log.events, leftOut));
  const fullRequest: ModelRequest = {
    model: log.state.model,
    system,
    messages,
    tools,
    ...supportedEffort(deps),
    conversation: log.state.id,
  };
  const fitted = (one: ModelRequest): Promise<ModelRequest | undefined> =>
    deps.budget.fitted(one, estimatedTokens(log.events, promptTokens(system, tools)));
  const first = await fitted(fullRequest);
  if (first === undefined) return undefined;
  const number = log.state.turns + 1;
  await log.record({
    type: 'model.requested',
    turn: number,
    provider: provider.id,
    model: log.state.model,
    ...(leftOut.length > 0 && { leftOut }),
  });
  if (signal.aborted) return undefined;
  const late = lateHistory(log.events, built);
  const request =
    late === undefined
      ? first
      : await fitted({ ...fullRequest, messages: await deps.attachments.fill(late) });
  if (request === undefined) return undefined;
  const replied = await withinMinutes(
    (inTime) => think(provider, request, (event) => deps.show(event), inTime),
    { clock: deps.clock, endMs: budgetEndMs(log.state), signal },
  );
  const reply = withUniqueIds(replied, log.events, number);
  await log.record(repliedEvent(deps, { provider: provider.id, model: request.model }, reply));
  return reply;
}

/**
 * Returns the messages for events that were recorded after the first `built` events and before
 * `model.requested`; `undefined` if there are none. The request must contain them, because events
 * that precede it in the journal are treated as read by the model.
 */
function lateHistory(
  events: readonly JournalEvent[],
  built: number,
): RecordedMessage[] | undefined {
  const asked = events.findLastIndex((event) => event.type === 'model.requested');
  return asked === built ? undefined : buildHistory(events.slice(0, asked + 1));
}

/**
 * Returns the description of a model, which contains its context window. For an unlisted model,
 * returns the description of the provider's model with the smallest window, because some servers
 * truncate long input without an error.
 */
function windowOf(
  deps: LoopDeps,
  provider: ModelProvider,
  id: string,
): ModelDescription | undefined {
  const smallest = provider.models().toSorted((a, b) => a.contextTokens - b.contextTokens)[0];
  return deps.describe(provider.id, id) ?? smallest;
}

/**
 * Returns the event for a reply. The cost is that of the requested model, because the user may have
 * changed the session's model during the call.
 */
function repliedEvent(
  deps: LoopDeps,
  { provider, model }: { readonly provider: string; readonly model: string },
  reply: ModelReply,
): SessionEvent {
  const { content, stop, usage, failure } = reply;
  const cost =
    stop === 'error' && usage.outputTokens === 0
      ? { usd: 0 }
      : deps.cost(provider, { ...reply, model });
  return {
    type: 'model.replied',
    turn: deps.log.state.turns,
    provider,
    model: reply.model,
    content,
    stop,
    usage,
    cost,
    ...(failure && { failure }),
  };
}

/**
 * Resolves with the system prompt. If the system prompt and the conversation do not fit the model's
 * window, shortens the conversation first.
 */
async function fittingPrompt(
  deps: LoopDeps,
  window: ModelDescription | undefined,
  tools: readonly ToolSpec[],
): Promise<readonly SystemPart[]> {
  const { log } = deps;
  const system = await deps.prompt(false);
  const unmeasured = promptTokens(system, tools);
  const due = dueShortening(log.events, window, unmeasured);
  if (due === undefined) return system;
  const tokensBefore = estimatedTokens(log.events, unmeasured);
  const briefing = await deps.brief(due);
  await log.record({ type: 'context.checkpointed', upTo: due.upTo, briefing, tokensBefore });
  return deps.prompt(true);
}

async function afterReply(deps: LoopDeps, reply: ModelReply, signal: AbortSignal): Promise<void> {
  const calls = callsOf(reply.content);
  if (calls.length > 0) return act(calls, deps.act, signal);
  if (wasSpokenTo(deps.log)) return;
  if (deps.profile.replyMeans === 'answer' && reply.stop !== 'length')
    return deps.end('answered', answerIn(reply));
  if (reply.stop !== 'length' && (await deps.waitForMonitor())) return;
  const { talkTurns } = idleness(deps.log.events);
  const text = reply.stop === 'length' ? cutText : reminderText(talkTurns, deps.idleTurns);
  await deps.log.record({ type: 'message.added', origin: 'reminder', text });
}

const answerIn = ({ content }: ModelReply): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');

const cutText =
  'The reply was truncated at the output limit, and the missing part was not executed. Continue in smaller steps: write long files in several parts (write_file with append).';

/** Returns true if events that the model must read were recorded while it was replying. */
function wasSpokenTo({ events, state }: SessionLog): boolean {
  const asked = events.findLastIndex((event) => event.type === 'model.requested');
  return events.slice(asked).some((event) => {
    if (event.type === 'run.ended') return state.runs.get(event.runId)?.spec.sweep === undefined;
    return ['message.added', 'sweep.ended', 'sweep.paused', 'run.alarmed'].includes(event.type);
  });
}

/**
 * Handles a failed model call. Ends the session when waiting cannot fix the failure. During an
 * outage, waits before the next attempt, but only if a model has replied at least once in this
 * session.
 */
async function afterFailure(
  deps: LoopDeps,
  failure: ModelFailure | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { log } = deps;
  const text = failure?.message ?? 'the model gave no reply';
  const failures = failuresInARow(log.events);
  // The model's window is smaller than assumed. The failure is in the journal, so the next request
  // is smaller.
  if (failure?.reason === 'overflow' && failures <= maxOverflows) return;
  const isOutage =
    failure !== undefined && ['network', 'server', 'rate_limit'].includes(failure.reason);
  const hasAnswered = log.events.some(
    (event) => event.type === 'model.replied' && event.stop !== 'error' && event.stop !== 'aborted',
  );
  if (!isOutage || !hasAnswered || failures >= maxOutageCalls)
    return deps.end('error', `The model cannot be used: ${text}`);
  const waitMs = Math.max(failure.retryAfterMs ?? 0, backoffMs(outagePolicy, failures - 1));
  deps.show({
    type: 'text.discarded',
    why: retryReason(deps.provider(log.state.provider).label, failure),
    retryMs: waitMs,
  });
  await outWaited(deps, waitMs, signal);
}

/**
 * Waits before the next attempt. A message of the user or a change of the model ends the wait
 * immediately.
 */
async function outWaited(
  { log, clock }: LoopDeps,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const news = new AbortController();
  const listener = log.onDidRecord((event) => {
    if (event.type === 'message.added' || event.type === 'session.model_changed') news.abort();
  });
  try {
    await delay(clock, waitMs, AbortSignal.any([signal, news.signal]));
  } catch (error) {
    if (!signal.aborted && !news.signal.aborted) throw error;
  } finally {
    listener.dispose();
  }
}

function failuresInARow(events: readonly JournalEvent[]): number {
  const replies = events.filter((event) => event.type === 'model.replied');
  const lastGood = replies.findLastIndex((event) => event.stop !== 'error');
  return replies.length - 1 - lastGood;
}

/** Returns the reason, for the user, why the session cannot continue. */
export const faultText = (error: unknown): string =>
  error instanceof HeliosError
    ? adviceOf(error)
    : `Internal error: ${error instanceof Error ? error.message : String(error)}`;
