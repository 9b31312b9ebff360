/**
 * Reads and edits `machines.json`, the list of the user's machines. Only the user can read the
 * file, and it never contains passwords. Edits preserve unknown fields and comments. An invalid
 * file is reported and never overwritten.
 */
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { adviceOf, codeOf, messageOf, UserFacing } from '../../base/errors.ts';
import { withItem, withValue } from '../../base/jsonEdit.ts';
import { readJson, type JsonReading } from '../../base/jsonText.ts';
import {
  checkedEntry,
  issueText,
  localEntrySchema,
  localId,
  machineEntrySchema,
  type LocalEntry,
  type MachineEntry,
} from '../machineEntry.ts';
import { isOriginalList } from './originalMachines.ts';

export interface MachineFileOptions {
  /** Absolute path of `machines.json`. */
  readonly path: string;
  /** Replaces the file atomically, with mode 0600; creates parent folders. */
  write(path: string, text: string): Promise<void>;
}

export interface MachineFileReading {
  /** Valid machines, in the order of the file. */
  readonly entries: readonly MachineEntry[];
  /** Settings of this computer. */
  readonly local?: LocalEntry;
  /**
   * Errors in the file, one line of text per error, with the position and a remedy; empty for a
   * valid file.
   */
  readonly problems: readonly string[];
}

const version = 1;
const outerSchema = z.looseObject({ version: z.literal(version), machines: z.array(z.unknown()) });
type Outer = z.output<typeof outerSchema>;
type Whole = Extract<JsonReading, { value: unknown }>;

/** Returns the text of a new file with these machines. */
export const newMachinesText = (machines: readonly MachineEntry[]): string =>
  `${JSON.stringify({ version, machines }, null, 2)}\n`;
const emptyFile = newMachinesText([]);

export class MachineFile {
  readonly path: string;
  readonly #write: MachineFileOptions['write'];
  #last: Promise<unknown> = Promise.resolve();

  constructor({ path, write }: MachineFileOptions) {
    this.path = path;
    this.#write = write;
  }

  /**
   * Reads the file. Never rejects: an unreadable file is reported as a problem. A missing file
   * means no machines.
   */
  async read(): Promise<MachineFileReading> {
    try {
      const { outer, json } = await this.#read();
      return this.#entriesOf(outer, json);
    } catch (error) {
      if (!(error instanceof UserFacing)) throw error;
      return { entries: [], problems: [adviceOf(error)] };
    }
  }

  /**
   * Adds machines. A machine with the same id is replaced. Rejects with `UserFacing` when the file
   * is invalid.
   */
  put(...entries: readonly MachineEntry[]): Promise<void> {
    const checked = entries.map((entry) => checkedEntry(entry));
    return this.#change((text) => checked.reduce(withEntry, text));
  }

  /**
   * Removes a machine. Resolves with false if no machine has this id. Rejects with `UserFacing`
   * when the file is invalid.
   */
  async remove(id: string): Promise<boolean> {
    let isFound = false;
    await this.#change((text) => {
      const next = withoutEntry(text, id);
      isFound = next !== text;
      return next;
    });
    return isFound;
  }

  /** Creates the file if it is missing, so that the user can edit it. */
  async ensure(): Promise<void> {
    if ((await this.#text()) === undefined) await this.#change((text) => text, true);
  }

  /** Applies changes one after the other, each to the current content of the file. */
  #change(edit: (text: string) => string, isForced = false): Promise<void> {
    const change = this.#last.then(async () => {
      const { text } = await this.#read();
      const next = edit(text);
      if (isForced || next !== text) await this.#write(this.path, next);
    });
    this.#last = change.catch(() => undefined);
    return change;
  }

  async #read(): Promise<{ readonly outer: Outer; readonly json: Whole; readonly text: string }> {
    const found = await this.#text();
    const text = found === undefined || found.trim() === '' ? emptyFile : found;
    const json = readJson(text);
    if ('brokenLine' in json) throw this.#broken(json.brokenLine, json.why);
    if (isOriginalList(json.value))
      throw new UserFacing(
        `${this.path}, line 1: it is a list of the original Helios.`,
        'To convert it, run in a terminal: helios import',
      );
    const outer = outerSchema.safeParse(json.value);
    const twice = json.repeated.find((path) => path.length === 1);
    if (twice !== undefined)
      throw this.#broken(json.lineOf(twice), `${String(twice[0])} appears twice`);
    if (outer.success) return { outer: outer.data, json, text };
    const [issue] = outer.error.issues;
    throw this.#broken(
      json.lineOf(issue?.path ?? []),
      issue?.path[0] === 'version'
        ? 'its version is not 1'
        : 'expected { "version": 1, "machines": [ … ] }',
    );
  }

  async #text(): Promise<string | undefined> {
    try {
      return await readFile(this.path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw new UserFacing(
        `${this.path} cannot be read: ${messageOf(error)}.`,
        'Check its permissions.',
      );
    }
  }

  #broken(line: number, why: string): UserFacing {
    return new UserFacing(
      `${this.path}, line ${line}: ${why}.`,
      'Fix the file by hand. Helios does not change it until then.',
    );
  }

  #entriesOf(outer: Outer, json: Whole): MachineFileReading {
    const entries: MachineEntry[] = [];
    let local: LocalEntry | undefined;
    const problems: string[] = [];
    const problem = (path: readonly PropertyKey[], why: string): void => {
      const line = json.lineOf(['machines', ...path]);
      problems.push(
        `${this.path}, line ${line}: ${why}. The machine is ignored until this is fixed.`,
      );
    };
    for (const [index, value] of outer.machines.entries()) {
      const parsed = entrySchemaOf(value).safeParse(value);
      const [issue] = parsed.error?.issues ?? [];
      if (!parsed.success) problem([index, ...(issue?.path ?? [])], issueText(issue));
      else if ([local, ...entries].some((other) => other?.id === parsed.data.id))
        problem([index, 'id'], `"${parsed.data.id}" appears twice`);
      else if (parsed.data.kind === 'local') local = parsed.data;
      else entries.push(parsed.data);
    }
    for (const path of json.repeated.filter(([first]) => first === 'machines'))
      problems.push(
        `${this.path}, line ${json.lineOf(path)}: ${String(path.at(-1))} appears twice. The value on this line is used.`,
      );
    return { entries, ...(local && { local }), problems };
  }
}

/** Returns the schema of an entry: that of the settings of this computer, or of a machine. */
const entrySchemaOf = (value: unknown) =>
  idOf(value) === localId && kindOf(value) === 'local' ? localEntrySchema : machineEntrySchema;

const kindOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;

/**
 * Returns the number of the line in `machines.json` at which a machine begins, starting at 1;
 * `undefined` if the machine is not in the text.
 */
export function lineOfMachine(text: string, id: string): number | undefined {
  const json = readJson(text);
  if ('brokenLine' in json) return undefined;
  const outer = outerSchema.safeParse(json.value);
  const index = outer.data?.machines.findIndex((each) => idOf(each) === id) ?? -1;
  return index === -1 ? undefined : json.lineOf(['machines', index]);
}

/** Writes an entry, changing only the fields that differ. Other machines keep their formatting. */
function withEntry(text: string, entry: MachineEntry): string {
  const { machines, json } = machinesIn(text);
  const index = machines.findIndex((each) => idOf(each) === entry.id);
  if (index === -1) return withItem(text, ['machines'], entry);
  const path = ['machines', index];
  // If a field occurs twice in the machine, replace the whole machine: an edit would change only
  // the first occurrence.
  if (json.repeated.some(([, at]) => at === index)) return withValue(text, path, entry);
  const [oldFields, fields] = [Object.entries(machines[index] ?? {}), Object.entries(entry)];
  const removedFields = oldFields
    .filter(([name]) => !fields.some(([kept]) => kept === name))
    .map(([name]) => [name, undefined] as const);
  return [...removedFields, ...fields]
    .filter(
      ([name, value]) => !isDeepStrictEqual(value, oldFields.find(([each]) => each === name)?.[1]),
    )
    .reduce((next, [name, value]) => withValue(next, [...path, name], value), text);
}

function withoutEntry(text: string, id: string): string {
  const { machines } = machinesIn(text);
  const indices = machines.flatMap((each, index) => (idOf(each) === id ? [index] : []));
  return indices
    .reverse()
    .reduce((next, index) => withValue(next, ['machines', index], undefined), text);
}

/** Parses a text that was validated before. */
function machinesIn(text: string): { readonly machines: readonly unknown[]; readonly json: Whole } {
  const json = readJson(text);
  if ('brokenLine' in json) throw new Error(`machines.json, line ${json.brokenLine}: ${json.why}`);
  return { machines: outerSchema.parse(json.value).machines, json };
}

const idOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
