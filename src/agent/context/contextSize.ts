/**
 * How full the model's window is. What the provider measured at the last call counts; what came
 * after it is estimated, by what the calls of this session showed a text to weigh with this model.
 * A fold over the journal: the same events, the same size.
 */
import type { RunId } from '../../base/ids.ts';
import {
  contextTokens,
  type AssistantBlock,
  type SystemPart,
  type ToolSpec,
} from '../../models/model.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';
import { textTokens } from '../../base/textTokens.ts';

export interface ContextSize {
  /** Tokens of the next request in all. */
  readonly totalTokens: number;
  /** Of these, the system prompt and the tools. */
  readonly fixedTokens: number;
  /** Tokens of this model for one token as `textTokens` counts. */
  readonly factor: number;
  /**
   * The smallest conversation that this model refused as too long and has not taken since; in
   * `textTokens`.
   */
  readonly refusedWeight?: number;
}

/**
 * Of the next request with the conversation of `events`. `unmeasuredTokens` are those of the system
 * prompt and the tools; they are needed until the model has told the size of a request.
 */
export const contextSize = (events: readonly JournalEvent[], unmeasuredTokens = 0): ContextSize =>
  meterOf(events).size(unmeasuredTokens);

/** Tokens of the next request: see `contextSize`. */
export const estimatedTokens = (events: readonly JournalEvent[], unmeasuredTokens = 0): number =>
  contextSize(events, unmeasuredTokens).totalTokens;

/**
 * The id of the event up to which the conversation has to be replaced, so that as many whole turns
 * stay as weigh at most `keepWeight`; the newest of them may weigh `newestWeight`. The id of the
 * newest event where no turn fits, `undefined` where there is nothing to replace.
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
    // A call that failed is not yet a turn.
    hasTurn = weight > 0;
    upTo = shown[index - 1]?.id;
  }
  return shown[0]?.id === upTo && shown[0]?.type === 'context.checkpointed' ? undefined : upTo;
}

/** Estimated tokens of what goes with every conversation. */
export const promptTokens = (system: readonly SystemPart[], tools: readonly ToolSpec[]): number =>
  Math.ceil(textTokens(system.map(({ text }) => text).join('\n')) + toolTokens(tools));

const toolTokens = (tools: readonly ToolSpec[]): number =>
  tools.reduce((sum, tool) => sum + blockTokens + textTokens(JSON.stringify(tool)), 0);

const blockTokens = 8;
/** Of an image about as large as the providers take without making it smaller. */
const imageTokens = 1_600;
const pdfPageTokens = 2_500;
/** Of a page, as papers have it. */
const pdfPageBytes = 45_000;
/** Thinking comes back sealed: of so many characters of the seal, one token is charged. */
const sealChars = 6;
const runEndTokens = 40;

const weights = new WeakMap<JournalEvent, number>();

/** What the model is shown of `event`, in `textTokens`. */
function weightOf(event: JournalEvent): number {
  const known = weights.get(event);
  if (known !== undefined) return known;
  const weight = weigh(event);
  weights.set(event, weight);
  return weight;
}

function weigh(event: JournalEvent): number {
  switch (event.type) {
    case 'message.added':
    case 'sweep.ended':
      return blockTokens + textTokens(event.text);
    case 'tool.finished':
      return (
        blockTokens +
        textTokens(event.text) +
        sum(event.attachmentFiles ?? [], ({ mediaType, sizeBytes }) =>
          attachmentTokens(mediaType, sizeBytes),
        ) +
        sum(event.attachments ?? [], ({ mediaType, base64 }) =>
          attachmentTokens(mediaType, bytesIn(base64)),
        )
      );
    case 'model.replied':
      return event.stop === 'error' ? 0 : sum(event.content, replyBlockTokens);
    case 'run.ended':
      return (
        runEndTokens * (1 + Math.min(12, event.metrics.length)) + textTokens(event.outputTail ?? '')
      );
    case 'context.checkpointed':
      return blockTokens + textTokens(event.briefing);
    default:
      return 0;
  }
}

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

/** Of images and documents, not of the characters that carry them. */
function attachmentTokens(mediaType: string, sizeBytes: number): number {
  if (mediaType.startsWith('image/')) return imageTokens;
  return mediaType === 'application/pdf'
    ? pdfPageTokens * Math.ceil(sizeBytes / pdfPageBytes)
    : blockTokens;
}

const bytesIn = (base64: string): number => (base64.length * 3) / 4;

/** What is known of a model from the requests that it measured in this session. */
interface Calibration {
  readonly factor: number;
  readonly fixedTokens: number;
}

/** A request: for which model, and what its conversation weighed. */
interface Asked {
  readonly model: string;
  readonly weight: number;
}

interface Measured extends Asked {
  readonly tokens: number;
}

/**
 * No tokenizer is further off than this; figures below count something else, such as what was not
 * cached.
 */
const minFactor = 0.5;
const maxFactor = 3;
/** A difference between two requests teaches from this weight on. */
const teachingWeight = 1_000;

class ContextMeter {
  /** What the model is shown since the last checkpoint, its briefing first. */
  #shown: JournalEvent[] = [];
  #weight = 0;
  #model = '';
  #asked: Asked | undefined;
  /**
   * The first request that was measured since the checkpoint or the change of model, and the last,
   * with its reply.
   */
  #first: Measured | undefined;
  #last: Measured | undefined;
  readonly #points = new Set<RunId>();
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

  /** The model is told of the sweep and not of the ends of its points. */
  weightOf(event: JournalEvent): number {
    return event.type === 'run.ended' && this.#points.has(event.runId) ? 0 : weightOf(event);
  }

  size(unmeasuredTokens: number): ContextSize {
    const { factor, fixedTokens } = this.#calibrations.get(this.#model) ?? {
      factor: 1,
      fixedTokens: unmeasuredTokens,
    };
    const refusedWeight = this.#refused.get(this.#model);
    const last = this.#last?.model === this.#model ? this.#last : undefined;
    const told = last && last.tokens - fixedTokens + (this.#weight - last.weight) * factor;
    // Some servers leave out of their figures what they had cached.
    const conversation = Math.max(told ?? this.#weight * factor, this.#weight * minFactor);
    return {
      totalTokens: Math.ceil(fixedTokens + conversation),
      fixedTokens,
      factor,
      ...(refusedWeight !== undefined && { refusedWeight }),
    };
  }

  #hear(reply: Extract<JournalEvent, { type: 'model.replied' }>): void {
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked === undefined) return;
    if (reply.stop === 'error') {
      if (reply.failure?.reason === 'overflow') this.#refused.set(asked.model, asked.weight);
      return;
    }
    if (asked.weight >= (this.#refused.get(asked.model) ?? Infinity))
      this.#refused.delete(asked.model);
    const tokens = contextTokens(reply.usage);
    if (tokens > 0) this.#measure({ ...asked, tokens }, reply.usage.outputTokens, weightOf(reply));
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
 * Tokens for each token of weight by which the later request is larger; undefined where that tells
 * nothing.
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
