/**
 * Finds and parses the `helios.json` of the work folder or a folder above it. If any part of the
 * file is invalid, the whole file is rejected.
 */
import type { Stats } from 'node:fs';
import { lstat, realpath, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, messageOf, UserFacing } from '../base/errors.ts';
import { readJson, type TextPlace } from '../base/jsonText.ts';
import { NotRegularFile, openRegularFile } from '../base/regularFile.ts';
import { checkProject, type ProjectProblem } from './checkProject.ts';
import { othersWho, type FileUser } from './fileOwners.ts';
import type { Project } from './projectSchema.ts';

const projectFileName = 'helios.json';
const maxBytes = 1_000_000;

/** A `helios.json` that has not been parsed. */
export interface FoundFile {
  /** Absolute path of the file. */
  readonly file: string;
  /** The path without links. */
  readonly realFile: string;
  /** Clause that says why other users can change the file; omitted if they cannot. */
  readonly foreign?: string;
  /** The text, or why it cannot be read. */
  readonly text: string | UserFacing;
}

/**
 * Finds the nearest `helios.json`, from `folder` upwards, and resolves with its text without
 * parsing it; `undefined` if there is none. The search ends at the home folder or the root of the
 * file system: a repository may lie within a project. `user`: the user of this process, if files have owners.
 */
export async function findProjectFile(
  folder: string,
  home: string,
  user: FileUser | undefined,
): Promise<FoundFile | undefined> {
  for (let current = path.resolve(folder); ; current = path.dirname(current)) {
    const found = await openIfThere(path.join(current, projectFileName), user);
    if (found !== undefined) return found;
    if (current === home || path.dirname(current) === current) return undefined;
  }
}

async function openIfThere(
  file: string,
  user: FileUser | undefined,
): Promise<FoundFile | undefined> {
  const found = await readIfThere(file);
  if (found === undefined) return undefined;
  const { stats, realFile, text } = found;
  const foreign = await othersWho(stats, [file, realFile], user);
  return { file, realFile, text, ...(foreign !== undefined && { foreign }) };
}

type ReadFile = Pick<FoundFile, 'realFile' | 'text'> & { readonly stats: Stats };

/**
 * Reads the file, and the stats of the same open file, so that the file cannot be replaced in
 * between. If it cannot be opened, the stats are those of the path.
 */
async function readIfThere(file: string): Promise<ReadFile | undefined> {
  let realFile = file;
  try {
    realFile = await realpath(file);
    await using open = await openRegularFile(realFile);
    const stats = await open.stat();
    return { realFile, stats, text: await textOf(open, stats, file) };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    const text = unreadable(file, error);
    const stats = await lstat(realFile).catch(() => undefined);
    if (stats === undefined) throw text;
    return { realFile, stats, text };
  }
}

async function textOf(open: FileHandle, { size }: Stats, file: string): Promise<FoundFile['text']> {
  if (size > maxBytes) return tooLarge(file);
  return open.readFile('utf8').catch((error: unknown) => unreadable(file, error));
}

const tooLarge = (file: string): UserFacing =>
  new UserFacing(`${file} cannot be read: it is larger than 1 MB.`, 'Make the file smaller.');

function unreadable(file: string, error: unknown): UserFacing {
  const action =
    error instanceof NotRegularFile ? 'Replace it with a regular file.' : 'Make the file readable.';
  return new UserFacing(`${file} cannot be read: ${messageOf(error)}.`, action);
}

/**
 * Creates a first `helios.json` in `folder`, and resolves with its path. Rejects with `UserFacing`
 * if the folder already has one.
 */
export async function createProjectFile(
  folder: string,
  project: Pick<Project, 'provider' | 'model' | 'defaultMachine'>,
): Promise<string> {
  const file = path.join(folder, projectFileName);
  const text = `${JSON.stringify({ ...project, ...beginning }, null, 2)}\n`;
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST')
      throw new UserFacing(`${file} cannot be written: ${messageOf(error)}.`);
    throw new UserFacing(`${file} already exists.`, 'Edit it, or delete it first.');
  }
  return file;
}

/**
 * Content of a new file: examples of fields, with values that change little. `metricNames` is
 * empty, because a list would exclude all other metrics.
 */
const beginning: Project = {
  metricNames: [],
  instructions: '',
  experimentDir: 'experiments',
  notifications: { channels: [], events: [] },
};

const mend = 'Fix the file, then try again.';

/** Maximum number of problems, or of warnings, in a message. */
const maxLines = 20;

/**
 * Parses the text of a `helios.json`. The warnings are about settings without effect or in the
 * wrong place, one line each, with the place in the file. Throws `UserFacing` that lists every
 * problem with line and column.
 */
export function parseProject(
  file: string,
  text: string,
): Project & { readonly warnings: readonly string[] } {
  const json = readJson(text.replace(/^\ufeff/, ''));
  if ('brokenAt' in json) throw new UserFacing(`${at(file, json.brokenAt)}: ${json.why}.`, mend);
  const { project, problems, warnings } = checkProject(json.value);
  const line = ({ path: place, message }: ProjectProblem): string =>
    `${at(file, json.placeOf(place))}: ${nameOf(place)}${message}`;
  const lines = (all: readonly ProjectProblem[]): string[] => {
    const rest = all.length - maxLines;
    return [...all.slice(0, maxLines).map(line), ...(rest > 0 ? [`${file}: ${rest} more`] : [])];
  };
  if (project === undefined)
    throw new UserFacing(lines([...problems, ...warnings]).join('\n'), mend);
  const repeated = json.repeated.map((path) => ({
    path,
    message: 'occurs twice: this value is used',
  }));
  return {
    ...project,
    warnings: lines([...warnings, ...repeated]),
  };
}

const at = (file: string, { line, column }: TextPlace): string => `${file}:${line}:${column}`;

/**
 * Returns the name of the place in the file for a message, with a trailing space:
 * `notifications.channels[0].url `.
 */
function nameOf(place: readonly PropertyKey[]): string {
  const name = place.reduce<string>((text, key) => {
    if (typeof key === 'number' || key === '') return `${text}[${JSON.stringify(key)}]`;
    return `${text}${text === '' ? '' : '.'}${String(key)}`;
  }, '');
  return name === '' ? '' : `${name} `;
}
