/**
 * `machines.json`: the machines of the user, readable by them alone. What it holds beside what we
 * know is kept, comments too, and a file that cannot be understood is reported and never written
 * over. Passwords are never in it.
 */
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { adviceOf, codeOf, messageOf, UserFacing } from '../../base/errors.ts';
import { withItem, withValue } from '../../base/jsonEdit.ts';
import { readJson, type JsonReading } from '../../base/jsonText.ts';
import { checkedEntry, issueText, machineEntrySchema, type MachineEntry } from '../machineEntry.ts';

export interface MachineFileOptions {
  /** Absolute. */
  readonly path: string;
  /** Replaces the file at once or not at all, with mode 0600; parent folders are made. */
  write(path: string, text: string): Promise<void>;
}

export interface MachineFileReading {
  /** Those that can be used, in the order of the file. */
  readonly entries: readonly MachineEntry[];
  /**
   * What cannot be used, each in one line with its place and what to do; empty when all is well.
   */
  readonly problems: readonly string[];
}

const version = 1;
const outerSchema = z.looseObject({ version: z.literal(version), machines: z.array(z.unknown()) });
type Outer = z.output<typeof outerSchema>;
type Whole = Extract<JsonReading, { value: unknown }>;
const emptyFile = `${JSON.stringify({ version, machines: [] }, null, 2)}\n`;

export class MachineFile {
  readonly path: string;
  readonly #write: MachineFileOptions['write'];
  #last: Promise<unknown> = Promise.resolve();

  constructor({ path, write }: MachineFileOptions) {
    this.path = path;
    this.#write = write;
  }

  /**
   * Never rejects: a file that cannot be read is a problem in words. Without a file there are no
   * machines.
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
   * Adds the machines, each in place of the one with its id. Rejects with `UserFacing` when the
   * file is broken.
   */
  put(...entries: readonly MachineEntry[]): Promise<void> {
    const checked = entries.map((entry) => checkedEntry(entry));
    return this.#change((text) => checked.reduce(withEntry, text));
  }

  /**
   * Resolves with false when there is none of this id. Rejects with `UserFacing` when the file is
   * broken.
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

  /** Makes the file where there is none, for a user who wants to edit it. */
  async ensure(): Promise<void> {
    if ((await this.#text()) === undefined) await this.#change((text) => text, true);
  }

  /** One change at a time, each on what is in the file at its moment. */
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
    const outer = outerSchema.safeParse(json.value);
    const twice = json.repeated.find((path) => path.length === 1);
    if (twice !== undefined)
      throw this.#broken(json.lineOf(twice), `${String(twice[0])} stands there twice`);
    if (outer.success) return { outer: outer.data, json, text };
    const [issue] = outer.error.issues;
    throw this.#broken(
      json.lineOf(issue?.path ?? []),
      issue?.path[0] === 'version'
        ? 'its version is not 1'
        : 'it is not { "version": 1, "machines": [ … ] }',
    );
  }

  async #text(): Promise<string | undefined> {
    try {
      return await readFile(this.path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw new UserFacing(
        `${this.path} cannot be read: ${messageOf(error)}.`,
        'Make it a file that you can read.',
      );
    }
  }

  #broken(line: number, why: string): UserFacing {
    return new UserFacing(
      `${this.path}, line ${line}: ${why}.`,
      'Mend it by hand; until then it is left as it is.',
    );
  }

  #entriesOf(outer: Outer, json: Whole): MachineFileReading {
    const entries: MachineEntry[] = [];
    const problems: string[] = [];
    const problem = (path: readonly PropertyKey[], why: string): void => {
      const line = json.lineOf(['machines', ...path]);
      problems.push(
        `${this.path}, line ${line}: ${why}. The machine is left out until this is mended.`,
      );
    };
    for (const [index, value] of outer.machines.entries()) {
      const parsed = machineEntrySchema.safeParse(value);
      const [issue] = parsed.error?.issues ?? [];
      if (!parsed.success) problem([index, ...(issue?.path ?? [])], issueText(issue));
      else if (entries.some(({ id }) => id === parsed.data.id))
        problem([index, 'id'], `"${parsed.data.id}" is there twice`);
      else entries.push(parsed.data);
    }
    for (const path of json.repeated.filter(([first]) => first === 'machines'))
      problems.push(
        `${this.path}, line ${json.lineOf(path)}: ${String(path.at(-1))} stands there twice: this one counts.`,
      );
    return { entries, problems };
  }
}

/**
 * The line, from 1, at which the machine begins in the text of `machines.json`; `undefined` where
 * it is not found.
 */
export function lineOfMachine(text: string, id: string): number | undefined {
  const json = readJson(text);
  if ('brokenLine' in json) return undefined;
  const outer = outerSchema.safeParse(json.value);
  const index = outer.data?.machines.findIndex((each) => idOf(each) === id) ?? -1;
  return index === -1 ? undefined : json.lineOf(['machines', index]);
}

/** The other machines stay as they are written, and so does what the entry says already. */
function withEntry(text: string, entry: MachineEntry): string {
  const { machines, json } = machinesIn(text);
  const index = machines.findIndex((each) => idOf(each) === entry.id);
  if (index === -1) return withItem(text, ['machines'], entry);
  const path = ['machines', index];
  // Of a name that stands twice only the first would change.
  if (json.repeated.some(([, at]) => at === index)) return withValue(text, path, entry);
  const [was, fields] = [Object.entries(machines[index] ?? {}), Object.entries(entry)];
  const gone = was
    .filter(([name]) => !fields.some(([kept]) => kept === name))
    .map(([name]) => [name, undefined] as const);
  return [...gone, ...fields]
    .filter(([name, value]) => !isDeepStrictEqual(value, was.find(([each]) => each === name)?.[1]))
    .reduce((next, [name, value]) => withValue(next, [...path, name], value), text);
}

function withoutEntry(text: string, id: string): string {
  const { machines } = machinesIn(text);
  const indices = machines.flatMap((each, index) => (idOf(each) === id ? [index] : []));
  return indices
    .reverse()
    .reduce((next, index) => withValue(next, ['machines', index], undefined), text);
}

/** Of a text that was read already. */
function machinesIn(text: string): { readonly machines: readonly unknown[]; readonly json: Whole } {
  const json = readJson(text);
  if ('brokenLine' in json) throw new Error(`machines.json, line ${json.brokenLine}: ${json.why}`);
  return { machines: outerSchema.parse(json.value).machines, json };
}

const idOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
