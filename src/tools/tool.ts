/** The contract of a tool. `parse` is the only way from untyped model output to typed arguments. */
import * as z from 'zod';
import { HeliosError, ToolFailure } from '../base/errors.ts';
import type { RunId, SessionId } from '../base/ids.ts';
import type { HostContact } from '../machines/confinement/hostContacts.ts';
import type { AttachmentBlock, ToolSpec } from '../models/model.ts';
import type { Access } from '../permissions/access.ts';
import { argumentProblem } from './argumentProblem.ts';
import { compactSchema } from './compactSchema.ts';

/**
 * The strongest effect that a call can have. The effect decides whether the call needs an approval,
 * and whether it may run in parallel with others. In doubt, declare the stronger effect.
 */
export type Effect = 'read' | 'write' | 'execute' | 'network';

export interface ToolContext {
  readonly sessionId: SessionId;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** The accesses on which the gate decided. */
  readonly accesses: readonly Access[];
  /** Shows one line to the user while the call works. */
  progress(text: string): void;
}

export interface ToolResult {
  /** The result for the model. An object is sent as JSON. */
  readonly content: string | Readonly<Record<string, unknown>>;
  /**
   * Origins of the text fields of `content` that others wrote, such as `{ stdout: 'output of the
   * command on gpu1' }`. `machines.description` names a field of each entry of a list. Helios marks
   * these fields with all texts in them, see `untrusted`; a list of texts is written as lines.
   */
  readonly origins?: Readonly<Record<string, string>>;
  readonly attachments?: readonly AttachmentBlock[];
  /**
   * Web addresses in the content that others wrote. The model may fetch them without an approval,
   * so an address that the model itself composed must not be among them.
   */
  readonly links?: readonly string[];
  /** A line about what the call did, for the views and the journal. */
  readonly summary?: string;
  /**
   * Absolute paths of the files on `local` that the call changed. Views show them as references.
   */
  readonly changedFiles?: readonly string[];
  /** Folder whose files the call stored as code of an experiment. */
  readonly stored?: { readonly machineId: string; readonly path: string };
  readonly runId?: RunId;
  /** Exit code of the command that the call ran. */
  readonly exitCode?: number;
  /** Hosts that the command asked for, if it is confined to a list of hosts. */
  readonly contacts?: readonly HostContact[];
}

/** The default of a parameter, used when a call omits the parameter. */
export interface ToolDefault {
  readonly parameter: string;
  readonly value: unknown;
  /**
   * Name of another parameter with the same meaning. A call that has this other parameter does not
   * get the default.
   */
  readonly unless?: string;
  /** Effect of the tools that have the default; omitted for all tools. */
  readonly effect?: Effect;
}

/** Kinds of calls that views count. */
export type CountedCall = 'note' | 'note_read' | 'result' | 'file';

/** Properties of a tool that decide what the engine and the views do with its calls. */
export interface ToolTraits {
  readonly effect: Effect;
  /**
   * True if a second call with the same arguments has no further effect. After a crash, Helios
   * repeats a call that was interrupted only if this is true.
   */
  readonly isRepeatable: boolean;
  /**
   * True if the tool changes only data that Helios stores for the agent, such as its notes. A call
   * then never needs an approval.
   */
  readonly isOwnData: boolean;
  /**
   * True if a call may change what a run uses (code, data, packages). Repeating a failed run makes
   * sense after such a call.
   */
  readonly changesCode: boolean;
  /**
   * True if the commands of a call are runs, which continue after the call. What runs change is not
   * recorded as an edit.
   */
  readonly startsRuns: boolean;
  /**
   * True if the session waits or ends after the call. The call is never executed in parallel with
   * others.
   */
  readonly endsTurn: boolean;
  /**
   * True if views omit the call because they already show the event that a successful call causes.
   */
  readonly isQuiet: boolean;
  /**
   * What a call is counted as in views that summarize several calls, because it changes nothing that
   * the user has to see. Omitted for a tool whose calls have a line of their own.
   */
  readonly countedAs?: CountedCall;
  /**
   * What the tool works with: other machines than this computer, or a Git repository. The model is
   * offered the tool only if the session has one. Omitted for a tool that always works.
   */
  readonly needs?: 'machines' | 'repository';
  /** Name of another tool: approving that tool for the whole session also approves this one. */
  readonly approvedAs?: string;
  /** Names of the parameters without which a call still does its work. */
  readonly optionalParts: readonly string[];
  /** Lines for the system prompt of every session that has the tool: when and how to use it. */
  readonly guidance: readonly string[];
  /** Names of the tool in older recorded conversations. */
  readonly formerNames: readonly string[];
}

export interface Tool extends ToolTraits {
  readonly spec: ToolSpec;
  /** `spec` without the parameters that name a machine, for a session that has only one. */
  readonly specAlone: ToolSpec;
  /**
   * Returns a verb and an object that describe the call in a list, such as `Read train.py`. Never
   * throws. `accesses` are those that `accesses` returned, if they are known.
   */
  describe(input: unknown, accesses?: readonly Access[]): string;
  /**
   * Returns the typed arguments, or an error text that tells the model what is wrong and how to
   * correct the call.
   */
  parse(
    input: unknown,
  ):
    | { readonly ok: true; readonly args: unknown }
    | { readonly ok: false; readonly problem: string };
  /**
   * Resolves with the files, commands and hosts that the call needs, other than Helios's own data.
   * `args` is what `parse` returned. Never rejects.
   */
  accesses(args: unknown): Promise<readonly Access[]>;
  /**
   * Returns the same tool with defaults for parameters that a call omits. The schema shows the
   * defaults to the model. Defaults for parameters that the tool does not have are ignored.
   */
  withDefaults(defaults: readonly ToolDefault[]): Tool;
  /**
   * Executes the call; `args` is what `parse` returned. Rejects with `ToolFailure` for errors that
   * the model can act on; any other error is a bug.
   */
  execute(args: unknown, context: ToolContext): Promise<ToolResult>;
}

/**
 * The definition of a tool. Defaults: `isRepeatable` is true for tools that read, `changesCode` is
 * true for tools that write or execute, `guidance` and `formerNames` are empty, and every other
 * trait is false.
 */
export interface ToolDefinition<Schema extends z.ZodType> extends Partial<ToolTraits> {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly parameters: Schema;
  /** Alternative spellings of parameters: alias → name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Rewrites other shapes of arguments that models write. */
  normalize?(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  describe(args: z.output<Schema>, accesses: readonly Access[]): string;
  /** Returns what a call needs beyond Helios's own data. Default: nothing. */
  accesses?(args: z.output<Schema>): readonly Access[] | Promise<readonly Access[]>;
  execute(args: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
}

export function defineTool<Schema extends z.ZodType>(
  definition: ToolDefinition<Schema>,
  given: readonly ToolDefault[] = [],
): Tool {
  const defaults = given.filter(({ effect = definition.effect }) => effect === definition.effect);
  const { name, description, parameters, aliases = {} } = definition;
  const schema = z.toJSONSchema(parameters, { io: 'input' }) as InputSchema;
  const inputSchema = schemaWith(compactSchema(schema), defaults);
  const ownDefaults = defaults.filter(({ parameter }) =>
    Object.hasOwn(schema.properties ?? {}, parameter),
  );
  const read = (input: unknown) => {
    const named = renamed(input, aliases);
    const shaped = isRecord(named) ? (definition.normalize?.(named) ?? named) : named;
    return parameters.safeParse(completed(shaped, ownDefaults));
  };
  const tool: Tool = {
    spec: { name, description, inputSchema },
    specAlone: {
      name,
      description,
      inputSchema: schemaWith(compactSchema(schema, true), defaults),
    },
    ...traitsOf(definition),
    describe(input, accesses = []) {
      const parsed = read(input);
      return parsed.success ? definition.describe(parsed.data, accesses) : name;
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
        : { ok: false, problem: argumentProblem(name, parsed.error, inputSchema) };
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
  countedAs,
  needs,
  ...traits
}: Pick<ToolDefinition<z.ZodType>, keyof ToolTraits>): ToolTraits => ({
  effect,
  isRepeatable: traits.isRepeatable ?? effect === 'read',
  isOwnData: traits.isOwnData ?? false,
  changesCode: traits.changesCode ?? (effect === 'write' || effect === 'execute'),
  startsRuns: traits.startsRuns ?? false,
  endsTurn: traits.endsTurn ?? false,
  isQuiet: traits.isQuiet ?? false,
  optionalParts: traits.optionalParts ?? [],
  guidance: traits.guidance ?? [],
  formerNames: traits.formerNames ?? [],
  ...(approvedAs !== undefined && { approvedAs }),
  ...(countedAs !== undefined && { countedAs }),
  ...(needs !== undefined && { needs }),
});

type InputSchema = Readonly<Record<string, unknown>> & {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
};

/** Makes each parameter with a default optional and adds the default to its description. */
function schemaWith(schema: InputSchema, defaults: readonly ToolDefault[]): InputSchema {
  const { properties = {}, required } = schema;
  const defaultValues = new Map(defaults.map(({ parameter, value }) => [parameter, value]));
  if (!Object.keys(properties).some((name) => defaultValues.has(name))) return schema;
  const changed = { ...properties };
  for (const [name, value] of defaultValues) {
    const property = properties[name];
    if (property === undefined) continue;
    const baseDescription = property.description?.replace(/ ?Default: .*$/, '') ?? '';
    const description =
      `${baseDescription} Default of the project: ${JSON.stringify(value)}.`.trim();
    Object.assign(changed, { [name]: { ...property, description, default: value } });
  }
  const stillRequired = required?.filter((name) => !defaultValues.has(name));
  return { ...schema, properties: changed, ...(stillRequired && { required: stillRequired }) };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function completed(input: unknown, defaults: readonly ToolDefault[]): unknown {
  if (!isRecord(input)) return input;
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
 * Turns a `HeliosError` into a `ToolFailure`, because its message is advice for the model. Rethrows
 * anything else.
 */
function forModel(error: unknown): never {
  if (error instanceof HeliosError && !(error instanceof ToolFailure))
    throw new ToolFailure(error.message, { cause: error });
  throw error;
}

function renamed(input: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (!isRecord(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key in input && aliases[key] && !(aliases[key] in input) ? aliases[key] : key,
      value,
    ]),
  );
}
