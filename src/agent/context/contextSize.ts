/**
 * Estimates how full the model's window is. Starts from the size that the provider reported for the
 * last call, and adds an estimate of the later events. The estimate uses the ratio of tokens to
 * text that earlier calls of this session showed for this model. A fold over the journal: the same
 * events give the same size.
 */
import type { RunId } from '../../base/ids.ts';
import {
  contextTokens,
  type AssistantBlock,
  type SystemPart,
  type ToolSpec,
} from '../../models/model.ts';
import type { AttachmentFile } from '../../storage/attachmentFiles.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';
import { textTokens } from '../../base/textTokens.ts';

export interface ContextSize {
  /** Tokens of the whole next request. */
  readonly totalTokens: number;
  /** Part of `totalTokens` for the system prompt and the tools. */
  readonly fixedTokens: number;
  /** Number of tokens that this model counts per token that `textTokens` counts. */
  readonly factor: number;
  /**
   * Size, in tokens as `textTokens` counts, of the conversation that this model last refused as too
   * long. Omitted when the model has since accepted a conversation of at least this size.
   */
  readonly refusedWeight?: number;
}

/**
 * Size of the next request with the conversation of `events`. `unmeasuredTokens`: size of the
 * system prompt and the tools, used until the model has reported the size of a request.
 */
export const contextSize = (events: readonly JournalEvent[], unmeasuredTokens = 0): ContextSize =>
  meterOf(events).size(unmeasuredTokens);

/** Tokens of the next request: see `contextSize`. */
export const estimatedTokens = (events: readonly JournalEvent[], unmeasuredTokens = 0): number =>
  contextSize(events, unmeasuredTokens).totalTokens;

/**
 * Chooses the older part of the conversation that a briefing replaces, and returns the id of the
 * last event of this part. The newest turn stays if it fits into `newestWeight`; earlier turns stay
 * as long as all these turns fit into `keepWeight` (both are tokens as `textTokens` counts).
 * Returns the id of the newest event if no turn fits, and `undefined` if nothing has to be
 * replaced.
 */
export function replaceUpTo(
  events: readonly JournalEvent[],
  keepWeight: number,
  newestWeight = keepWeight,
): string | undefined {
  const meter = meterOf(events);
  const { shown } = meter;
  let upTo = shown.at(-1)?.id;
  let weight = 0;
  let hasTurn = false;
  for (let index = shown.length - 1; index > 0; index -= 1) {
    const event = shown[index];
    if (event === undefined) break;
    weight += meter.weightOf(event);
    if (weight > (hasTurn ? keepWeight : newestWeight)) break;
    if (event.type !== 'model.requested') continue;
    // A failed call does not make a turn.
    hasTurn = weight > 0;
    upTo = shown[index - 1]?.id;
  }
  return shown[0]?.id === upTo && shown[0]?.type === 'context.checkpointed' ? undefined : upTo;
}

/** An event of the conversation, with the size of the text that the model gets for the event. */
export interface ShownEvent {
  readonly event: JournalEvent;
  readonly weight: number;
  /** True if the attachments of the event are left out. */
  readonly isLeftOut: boolean;
}

/** Returns the events since the last checkpoint, with their sizes in `textTokens`. */
export function shownWeights(events: readonly JournalEvent[]): readonly ShownEvent[] {
  const meter = meterOf(events);
  return meter.shown.map((event) => ({
    event,
    weight: meter.weightOf(event),
    isLeftOut: meter.isLeftOut(event),
  }));
}

/** Estimated tokens of the system prompt and the tools. */
export const promptTokens = (system: readonly SystemPart[], tools: readonly ToolSpec[]): number =>
  Math.ceil(textTokens(system.map(({ text }) => text).join('\n')) + toolTokens(tools));

const toolTokens = (tools: readonly ToolSpec[]): number => sum(tools, tokensOfTool);

type Finished = Extract<JournalEvent, { type: 'tool.finished' }>;

const blockTokens = 8;
const tokensOfTool = oncePerObject(
  (tool: ToolSpec) => blockTokens + textTokens(JSON.stringify(tool)),
);
/** Tokens of an image of about the largest size that providers do not scale down. */
const imageTokens = 1_600;
const pdfPageTokens = 2_500;
/** Bytes of a typical page of a paper. */
const pdfPageBytes = 45_000;
/** Number of characters of encrypted thinking that the provider charges as one token. */
const sealChars = 6;
const runEndTokens = 40;

/** Size of the text that the model gets for an event, in `textTokens`. */
const weightOf = oncePerObject(weigh);

/** Returns a function that computes the size of each object once. */
function oncePerObject<T extends object>(compute: (object: T) => number): (object: T) => number {
  const sizes = new WeakMap<T, number>();
  return (object) => {
    const size = sizes.get(object) ?? compute(object);
    sizes.set(object, size);
    return size;
  };
}

/** Tokens per byte of text, rounded up. */
const tokensPerByte = 0.4;

const attachedTokens = ({ mediaType, sizeBytes }: AttachmentFile): number =>
  mediaType === 'text/plain'
    ? Math.ceil(tokensPerByte * sizeBytes)
    : attachmentTokens(mediaType, sizeBytes);

function weigh(event: JournalEvent): number {
  switch (event.type) {
    case 'message.added':
      return blockTokens + textTokens(event.text) + sum(event.attachments ?? [], attachedTokens);
    case 'sweep.ended':
    case 'sweep.paused':
      return blockTokens + textTokens(event.text);
    case 'tool.finished':
      return blockTokens + textTokens(event.text) + attachedWeight(event);
    case 'model.replied':
      return event.stop === 'error' ? 0 : sum(event.content, replyBlockTokens);
    case 'run.ended':
      return (
        runEndTokens * (1 + Math.min(12, event.metrics.length)) +
        textTokens(`${event.outputTail ?? ''}${event.withheld ?? ''}`)
      );
    case 'context.checkpointed':
      return blockTokens + textTokens(event.briefing);
    default:
      return 0;
  }
}

/** Size of the attachments of a result, in `textTokens`. */
export const attachedWeight = ({ attachmentFiles = [], attachments = [] }: Finished): number =>
  sum(attachmentFiles, ({ mediaType, sizeBytes }) => attachmentTokens(mediaType, sizeBytes)) +
  sum(attachments, ({ mediaType, base64 }) => attachmentTokens(mediaType, bytesIn(base64)));

const sum = <T>(items: readonly T[], tokens: (item: T) => number): number =>
  items.reduce((total, item) => total + tokens(item), 0);

function replyBlockTokens(block: AssistantBlock): number {
  switch (block.type) {
    case 'text':
      return textTokens(block.text);
    case 'thinking':
      return Math.max(
        textTokens(block.text),
        (JSON.stringify(block.opaque) ?? '').length / sealChars,
      );
    case 'tool_call':
      return blockTokens + textTokens(block.name) + textTokens(JSON.stringify(block.input) ?? '');
  }
}

/** Estimates the tokens of an image or a document from its type and its decoded size. */
function attachmentTokens(mediaType: string, sizeBytes: number): number {
  if (mediaType.startsWith('image/')) return imageTokens;
  return mediaType === 'application/pdf'
    ? pdfPageTokens * Math.ceil(sizeBytes / pdfPageBytes)
    : blockTokens;
}

const bytesIn = (base64: string): number => (base64.length * 3) / 4;

/**
 * Figures for a model, derived from the request sizes that its provider reported in this session.
 */
interface Calibration {
  readonly factor: number;
  readonly fixedTokens: number;
}

/** Model of a request and the weight of its conversation (its size in `textTokens`). */
interface Asked {
  readonly model: string;
  readonly weight: number;
}

interface Measured extends Asked {
  readonly tokens: number;
}

/**
 * Bounds for a plausible factor. A smaller factor means that the reported size is incomplete, for
 * example because it includes only uncached tokens.
 */
const minFactor = 0.5;
const maxFactor = 3;
/** Smallest difference in weight between two requests from which a factor is derived. */
const teachingWeight = 1_000;

class ContextMeter {
  /**
   * Events since the last checkpoint. The checkpoint, which contains the briefing, is the first.
   */
  #shown: JournalEvent[] = [];
  #weight = 0;
  #model = '';
  #asked: Asked | undefined;
  /** First request with a reported size since the last checkpoint or change of the model. */
  #first: Measured | undefined;
  /** Last request with a reported size since the last checkpoint, including its reply. */
  #last: Measured | undefined;
  readonly #points = new Set<RunId>();
  /** Ids of the calls whose attachments are left out. */
  readonly #leftOut = new Set<string>();
  readonly #calibrations = new Map<string, Calibration>();
  readonly #refused = new Map<string, number>();

  add(event: JournalEvent): void {
    switch (event.type) {
      case 'session.started':
      case 'session.model_changed':
        this.#model = `${event.provider}/${event.model}`;
        break;
      case 'run.planned':
        if (event.spec.sweep !== undefined) this.#points.add(event.spec.id);
        break;
      case 'model.requested':
        for (const id of event.leftOut ?? []) this.#leaveOut(id);
        this.#asked = { model: `${event.provider}/${event.model}`, weight: this.#weight };
        break;
      case 'model.replied':
        this.#hear(event);
        break;
      case 'context.checkpointed':
        return this.#shorten(event);
      default:
    }
    this.#shown.push(event);
    this.#weight += this.weightOf(event);
  }

  get shown(): readonly JournalEvent[] {
    return this.#shown;
  }

  /**
   * Returns the size of the text that the model gets for an event. This is 0 for the end of a run
   * of a sweep, because the model only gets the result of the whole sweep.
   */
  weightOf(event: JournalEvent): number {
    if (event.type === 'run.ended' && this.#points.has(event.runId)) return 0;
    return weightOf(event) - (this.isLeftOut(event) ? attachedWeight(event) : 0);
  }

  isLeftOut(event: JournalEvent): event is Finished {
    return event.type === 'tool.finished' && this.#leftOut.has(event.callId);
  }

  #leaveOut(callId: string): void {
    const result = this.#shown.find(
      (event): event is Finished => event.type === 'tool.finished' && event.callId === callId,
    );
    if (result === undefined || this.#leftOut.has(callId)) return;
    this.#leftOut.add(callId);
    this.#weight -= attachedWeight(result);
  }

  size(unmeasuredTokens: number): ContextSize {
    const { factor, fixedTokens } = this.#calibrations.get(this.#model) ?? {
      factor: 1,
      fixedTokens: unmeasuredTokens,
    };
    const refusedWeight = this.#refused.get(this.#model);
    const last = this.#last?.model === this.#model ? this.#last : undefined;
    const estimate = last && last.tokens - fixedTokens + (this.#weight - last.weight) * factor;
    // Lower bound, because some servers report no cached tokens.
    const conversation = Math.max(estimate ?? this.#weight * factor, this.#weight * minFactor);
    return {
      totalTokens: Math.ceil(fixedTokens + conversation),
      fixedTokens,
      factor,
      ...(refusedWeight !== undefined && { refusedWeight }),
    };
  }

  #hear(reply: Extract<JournalEvent, { type: 'model.replied' }>): void {
    const request = this.#asked;
    this.#asked = undefined;
    if (request === undefined) return;
    if (reply.stop === 'error') {
      if (reply.failure?.reason === 'overflow') this.#refused.set(request.model, request.weight);
      return;
    }
    if (request.weight >= (this.#refused.get(request.model) ?? Infinity))
      this.#refused.delete(request.model);
    const tokens = contextTokens(reply.usage);
    if (tokens > 0)
      this.#measure({ ...request, tokens }, reply.usage.outputTokens, weightOf(reply));
  }

  #measure(request: Measured, replyTokens: number, replyWeight: number): void {
    if (this.#first?.model !== request.model) this.#first = request;
    const before = this.#calibrations.get(request.model)?.factor ?? 1;
    const factor = slope(this.#first, request) ?? before;
    const fixedTokens = Math.max(0, request.tokens - request.weight * factor);
    this.#calibrations.set(request.model, { factor, fixedTokens });
    this.#last = {
      model: request.model,
      tokens: request.tokens + replyTokens,
      weight: request.weight + replyWeight,
    };
  }

  #shorten(checkpoint: Extract<JournalEvent, { type: 'context.checkpointed' }>): void {
    const upTo = this.#shown.findLastIndex(({ id }) => id === checkpoint.upTo);
    this.#shown = [checkpoint, ...this.#shown.slice(upTo + 1)];
    this.#weight = sum(this.#shown, (event) => this.weightOf(event));
    this.#first = this.#last = undefined;
  }
}

/**
 * Returns how many tokens the model counts per token of weight, from the difference between two
 * requests. Returns `undefined` when the difference is too small or implausible.
 */
function slope(first: Measured, later: Measured): number | undefined {
  const more = later.weight - first.weight;
  if (more < teachingWeight) return undefined;
  const factor = (later.tokens - first.tokens) / more;
  return factor < minFactor ? undefined : Math.min(maxFactor, factor);
}

const meterOf = growingFold<JournalEvent, ContextMeter>(
  () => new ContextMeter(),
  (meter, event) => meter.add(event),
);
