/** The contract of a tool, and the only door from untyped model output to typed arguments. */
import * as z from 'zod';
import { HeliosError, ToolFailure } from '../base/errors.ts';
import type { RunId, SessionId } from '../base/ids.ts';
import type { AttachmentBlock, ToolSpec } from '../models/model.ts';
import type { Access } from '../permissions/access.ts';

/**
 * What a call can do to the world. It decides permission and whether calls may run side by side; in
 * doubt the stronger.
 */
export type Effect = 'read' | 'write' | 'execute' | 'network';

export interface ToolContext {
  readonly sessionId: SessionId;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** One line for the user while the call works. */
  progress(text: string): void;
}

export interface ToolResult {
  /** For the model. Objects are shown to it as JSON. */
  readonly content: string | Readonly<Record<string, unknown>>;
  readonly attachments?: readonly AttachmentBlock[];
  /** For the views and the journal: what the call did, in the words of the product. */
  readonly summary?: string;
  /** Files that the call changed on `local`, absolute: views show them as references. */
  readonly changedFiles?: readonly string[];
  readonly runId?: RunId;
}

/** What a call means that leaves a parameter out. */
export interface ToolDefault {
  readonly parameter: string;
  readonly value: unknown;
  /** A parameter that says the same in another way: a call that has it leaves nothing out. */
  readonly unless?: string;
}

/** How a call of a tool is treated by others. */
export interface ToolTraits {
  readonly effect: Effect;
  /**
   * Made twice with the same arguments, the call does no more than once: after a crash it is made
   * again.
   */
  readonly isRepeatable: boolean;
  /** Changes only what Helios keeps for the agent, such as its notes: never needs an approval. */
  readonly isOwnData: boolean;
  /**
   * May change what a run finds (code, data, packages), so that a repeat of a failed run makes
   * sense.
   */
  readonly changesCode: boolean;
  /** After the call the session waits or ends: never made beside other calls. */
  readonly endsTurn: boolean;
  /** Its success shows in the event that it causes, so views give it no line of its own. */
  readonly isQuiet: boolean;
  /** The tool whose approval for the session counts for this one, too. */
  readonly approvedAs?: string;
  /** Lines of the system prompt of every session that has the tool: when to use it, and how. */
  readonly guidance: readonly string[];
  /** Names that recorded conversations may call it by. */
  readonly formerNames: readonly string[];
}

export interface Tool extends ToolTraits {
  readonly spec: ToolSpec;
  /**
   * Verb and object for a list of calls, such as `read_file train.py`; never throws on any input.
   */
  describe(input: unknown): string;
  /**
   * The typed arguments, or a text that tells the model what is wrong with them and what is right.
   */
  parse(
    input: unknown,
  ):
    | { readonly ok: true; readonly args: unknown }
    | { readonly ok: false; readonly problem: string };
  /**
   * What the call would need beyond Helios's own data; `args` is what `parse` returned. Never
   * rejects.
   */
  accesses(args: unknown): Promise<readonly Access[]>;
  /**
   * The same tool, with these values where a call leaves them out; its schema says so. Parameters
   * of other tools are passed over.
   */
  withDefaults(defaults: readonly ToolDefault[]): Tool;
  /**
   * `args` is what `parse` returned. Rejects with `ToolFailure` for the model; anything else is a
   * fault of ours.
   */
  execute(args: unknown, context: ToolContext): Promise<ToolResult>;
}

/**
 * `isRepeatable` defaults to true for reading tools, `changesCode` to true for those that write or
 * execute, `guidance` and `formerNames` to none, every other trait to false.
 */
export interface ToolDefinition<Schema extends z.ZodType> extends Partial<ToolTraits> {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly parameters: Schema;
  /** Accepted spellings of a parameter: alias → name. */
  readonly aliases?: Readonly<Record<string, string>>;
  describe(args: z.output<Schema>): string;
  /** Default: none. */
  accesses?(args: z.output<Schema>): readonly Access[] | Promise<readonly Access[]>;
  execute(args: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
}

export function defineTool<Schema extends z.ZodType>(
  definition: ToolDefinition<Schema>,
  defaults: readonly ToolDefault[] = [],
): Tool {
  const { name, description, parameters, aliases = {} } = definition;
  const inputSchema = schemaWith(
    z.toJSONSchema(parameters, { io: 'input' }) as InputSchema,
    defaults,
  );
  const own = defaults.filter(({ parameter }) =>
    Object.hasOwn(inputSchema.properties ?? {}, parameter),
  );
  const read = (input: unknown) => parameters.safeParse(completed(renamed(input, aliases), own));
  const tool: Tool = {
    spec: { name, description, inputSchema },
    ...traitsOf(definition),
    describe(input) {
      const parsed = read(input);
      return parsed.success ? definition.describe(parsed.data) : name;
    },
    parse(input) {
      if (typeof input === 'string')
        return {
          ok: false,
          problem: `The arguments of ${name} are not valid JSON. Send one JSON object.`,
        };
      const parsed = read(input);
      return parsed.success
        ? { ok: true, args: parsed.data }
        : { ok: false, problem: problemText(name, parsed.error, inputSchema) };
    },
    accesses: async (args) => (await definition.accesses?.(args as z.output<Schema>)) ?? [],
    withDefaults: (others) => (others.length === 0 ? tool : defineTool(definition, others)),
    execute: (args, context) =>
      definition.execute(args as z.output<Schema>, context).catch(forModel),
  };
  return tool;
}

const traitsOf = ({
  effect,
  approvedAs,
  ...traits
}: Pick<ToolDefinition<z.ZodType>, keyof ToolTraits>): ToolTraits => ({
  effect,
  isRepeatable: traits.isRepeatable ?? effect === 'read',
  isOwnData: traits.isOwnData ?? false,
  changesCode: traits.changesCode ?? (effect === 'write' || effect === 'execute'),
  endsTurn: traits.endsTurn ?? false,
  isQuiet: traits.isQuiet ?? false,
  guidance: traits.guidance ?? [],
  formerNames: traits.formerNames ?? [],
  ...(approvedAs !== undefined && { approvedAs }),
});

type InputSchema = Readonly<Record<string, unknown>> & {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
};

/** A parameter with a default is no longer asked for, and says what it is when it is left out. */
function schemaWith(
  { $schema: _, ...schema }: InputSchema,
  defaults: readonly ToolDefault[],
): InputSchema {
  const { properties = {}, required } = schema;
  const given = new Map(defaults.map(({ parameter, value }) => [parameter, value]));
  if (!Object.keys(properties).some((name) => given.has(name))) return schema;
  const changed = { ...properties };
  for (const [name, value] of given) {
    const property = properties[name];
    if (property === undefined) continue;
    const said = property.description?.replace(/ ?Default: .*$/, '') ?? '';
    const description = `${said} Default, as the project says: ${JSON.stringify(value)}.`.trim();
    Object.assign(changed, { [name]: { ...property, description, default: value } });
  }
  const asked = required?.filter((name) => !given.has(name));
  return { ...schema, properties: changed, ...(asked && { required: asked }) };
}

function completed(input: unknown, defaults: readonly ToolDefault[]): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const missing = defaults.filter(
    ({ parameter, unless }) =>
      !(parameter in input) && (unless === undefined || !(unless in input)),
  );
  return {
    ...input,
    ...Object.fromEntries(missing.map(({ parameter, value }) => [parameter, value])),
  };
}

/**
 * An error of ours that names its reason is advice for the model; everything else stays a fault.
 */
function forModel(error: unknown): never {
  if (error instanceof HeliosError && !(error instanceof ToolFailure))
    throw new ToolFailure(error.message, { cause: error });
  throw error;
}

function renamed(input: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key in input && aliases[key] && !(aliases[key] in input) ? aliases[key] : key,
      value,
    ]),
  );
}

const problemText = (
  name: string,
  error: z.ZodError,
  inputSchema: Record<string, unknown>,
): string =>
  `The arguments of ${name} do not fit:\n${z.prettifyError(error)}\nThe right shape: ${JSON.stringify(inputSchema.properties ?? inputSchema)}`;
