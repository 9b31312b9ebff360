/** Reads the calls in the text between the tags of a call. */
import type { ToolSpec } from '../model.ts';
import { fitted } from './fitSchema.ts';
import { readJson, type Reading, type ReadingOptions } from './looseJson.ts';
import { isRecord } from './records.ts';

export interface CallText {
  readonly body: string;
  /** Whether the text ended with the closing tag. */
  readonly isClosed: boolean;
}

export interface WrittenCall {
  readonly name: string;
  readonly input: unknown;
  readonly repairs: readonly string[];
  /** Why the call cannot be read. If present, `input` is the text of the call. */
  readonly problem?: string;
}

/** Name given to a call whose name cannot be read. */
const noName = 'unreadable_call';

const nameKeys = ['tool', 'name', 'tool_name'];
const inputKeys = ['arguments', 'args', 'input', 'parameters'];

/** Returns the calls in order, at least one. A call that cannot be read has a `problem`. */
export function readCalls(
  { body: raw, isClosed }: CallText,
  tools: readonly ToolSpec[],
): readonly WrittenCall[] {
  const body = raw.trim();
  const names = new Set([
    ...nameKeys,
    ...inputKeys,
    ...tools.flatMap(({ inputSchema }) => propertiesOf(inputSchema)),
  ]);
  const options = { isWhole: isClosed, names };
  const { values, repairs, broken } = valuesIn(body, options);
  const all = values
    .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .map(unwrapped);
  const callObjects = all.filter(isCall);
  const noted =
    callObjects.length === all.length ? repairs : [...repairs, 'an object next to the call'];
  const calls = callObjects.map((call) => writtenCall(call, noted, { tools, options }));
  if (broken !== undefined) return [...calls, unreadable(broken.text, broken.problem)];
  return calls.length > 0
    ? calls
    : [unreadable(body, 'it holds no JSON object with "name" and "arguments"')];
}

/** Returns the name of a call that is still streaming, as soon as the name is complete. */
export const earlyName = (body: string): string | undefined => earlyNamePattern.exec(body)?.[1];

const earlyNamePattern = /^\s*(?:\[\s*)?\{\s*"(?:name|tool)"\s*:\s*"([\w-]+)"/;

const propertiesOf = ({ properties }: ToolSpec['inputSchema']): string[] =>
  isRecord(properties) ? Object.keys(properties) : [];

const isCall = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && nameOf(value) !== undefined;

function nameOf(call: Readonly<Record<string, unknown>>): string | undefined {
  const name = nameKeys
    .map((key) => call[key])
    .find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof name === 'string' ? name.trim() : undefined;
}

/** Unwraps `{"function": {"name": …}}`, the format of APIs. */
const unwrapped = (value: unknown): unknown =>
  isRecord(value) && isCall(value.function) ? value.function : value;

interface Values {
  readonly values: readonly unknown[];
  readonly repairs: readonly string[];
  /** The text from the first unreadable object or list on, and why it is unreadable. */
  readonly broken?: { readonly text: string; readonly problem: string };
}

const thinkingPattern = /^\s*<(think|thinking|thought)>[\s\S]*?<\/\1>/;
/** Matches the beginning of an object or a list, but not a word in braces. */
const beginPattern = /[[{](?=\s*(?:["'“‘{}[\]]|[A-Za-z_$][\w$]*\s*:|\/[/*]))/g;
/**
 * Matches text that may be ignored next to a call: fences, tags and tokens of chat templates. Any
 * other text next to a call is reported.
 */
const nothingPattern = /^(?:\s|```\w*|<\/?[\w|]+>)*$/;

/**
 * Returns the objects and lists of a text, from the left. Stops at the first object or list that
 * cannot be read, without searching inside.
 */
function valuesIn(body: string, options: ReadingOptions): Values {
  const strict = strictly(body);
  if (strict !== undefined) return { values: [strict], repairs: [] };
  const text = body.replace(thinkingPattern, '').trimStart();
  const values: unknown[] = [];
  const repairs = new Set<string>();
  let [at, beside] = [0, ''];
  for (;;) {
    beginPattern.lastIndex = at;
    const begin = beginPattern.exec(text)?.index;
    beside += text.slice(at, begin);
    if (begin === undefined) break;
    const reading = readJson(text, begin, options);
    if (!reading.ok)
      return {
        values,
        repairs: [...repairs],
        broken: { text: text.slice(begin), problem: reading.problem },
      };
    values.push(reading.value);
    for (const repair of reading.repairs) repairs.add(repair);
    at = reading.end;
  }
  const extra = /^[\s}\]]*[}\]]\s*$/.test(beside) && values.length > 0;
  if (extra) repairs.add('a surplus closing bracket');
  else if (!nothingPattern.test(beside)) repairs.add('text next to the call');
  return { values, repairs: [...repairs] };
}

function strictly(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

interface Reader {
  readonly tools: readonly ToolSpec[];
  readonly options: ReadingOptions;
}

function writtenCall(
  call: Readonly<Record<string, unknown>>,
  before: readonly string[],
  { tools, options }: Reader,
): WrittenCall {
  const name = validName(nameOf(call) ?? noName);
  const { input, repairs, problem } = inputOf(call, options);
  if (problem !== undefined) return { name, input, repairs: [], problem };
  const schema = tools.find((tool) => tool.name === name)?.inputSchema;
  return { name, input: fitted(input, schema), repairs: [...new Set([...before, ...repairs])] };
}

/**
 * Replaces characters that providers with native calls refuse, because the history may later be
 * sent to such a provider.
 */
const validName = (name: string): string => name.replace(/[^\w-]/g, '_').slice(0, 64);

function inputOf(
  call: Readonly<Record<string, unknown>>,
  options: ReadingOptions,
): Pick<WrittenCall, 'input' | 'repairs' | 'problem'> {
  const key = inputKeys.find((candidate) => Object.hasOwn(call, candidate));
  if (key === undefined) return besideName(call);
  const input = call[key];
  if (input === null) return { input: {}, repairs: [] };
  if (typeof input !== 'string') return { input, repairs: [] };
  return input.trim() === '' ? { input: {}, repairs: [] } : inputFromText(input, options);
}

/** Returns arguments that were written next to the name of the tool. */
function besideName(
  call: Readonly<Record<string, unknown>>,
): Pick<WrittenCall, 'input' | 'repairs'> {
  const [name] = nameKeys.filter((key) => typeof call[key] === 'string');
  const input = Object.fromEntries(
    Object.entries(call).filter(([key]) => key !== name && key !== 'type'),
  );
  return { input, repairs: Object.keys(input).length > 0 ? ['arguments next to the name'] : [] };
}

function inputFromText(
  text: string,
  options: ReadingOptions,
): Pick<WrittenCall, 'input' | 'repairs' | 'problem'> {
  const begin = text.search(/\S/);
  const reading: Reading = readJson(text, begin, options);
  if (!reading.ok)
    return { input: text, repairs: [], problem: `the arguments: ${reading.problem}` };
  const isAll = text.slice(reading.end).trim() === '';
  return isAll && isRecord(reading.value)
    ? { input: reading.value, repairs: reading.repairs }
    : { input: text, repairs: [], problem: 'the arguments are a string, not a JSON object' };
}

const brokenPattern =
  /^\s*\{\s*"(?:name|tool)"\s*:\s*"([\w-]+)"\s*,\s*"(?:arguments|args|input|parameters)"\s*:\s*([\s\S]*)$/;

/** Returns what can be read of a broken call: at best its name and the text of its arguments. */
function unreadable(body: string, problem: string): WrittenCall {
  const [, name = noName, written] = brokenPattern.exec(body) ?? [];
  const input = written?.trimEnd().replace(/\}$/, '').trimEnd() ?? body.trim();
  return { name, input, repairs: [], problem };
}
