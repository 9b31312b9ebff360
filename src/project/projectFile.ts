/**
 * Finds and reads the `helios.json` of the work folder or a folder above it. If any part of the
 * file is invalid, the whole file is rejected.
 */
import { stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { codeOf, messageOf, UserFacing } from '../base/errors.ts';
import { readJson, type TextPlace } from '../base/jsonText.ts';
import { NotRegularFile, readRegularText } from '../base/regularFile.ts';
import { checkProject, type ProjectProblem } from './checkProject.ts';
import type { Project } from './projectSchema.ts';

const projectFileName = 'helios.json';

export interface ProjectFile extends Project {
  /** Absolute path of the file. */
  readonly file: string;
  /** Absolute path of the file's folder. Paths in the file are relative to this folder. */
  readonly folder: string;
  /**
   * Warnings about settings without effect or in the wrong place, one line each, with the place in
   * the file.
   */
  readonly warnings: readonly string[];
}

/**
 * Reads the nearest `helios.json`, from `folder` upwards. Resolves with `undefined` if there is
 * none. The search ends at the root of a repository, the home folder, or the root of the file
 * system. An invalid file is never ignored: rejects with `UserFacing` that lists every problem with
 * its place.
 */
export async function readProjectFile(
  folder: string,
  home: string = homedir(),
): Promise<ProjectFile | undefined> {
  const found = await findProjectFile(folder, home);
  return found && parseProject(found.file, found.text);
}

/**
 * Finds the nearest `helios.json`, and resolves with its text without parsing it; `undefined` if
 * there is none.
 */
async function findProjectFile(
  folder: string,
  home: string = homedir(),
): Promise<{ readonly file: string; readonly text: string } | undefined> {
  for (let current = path.resolve(folder); ; current = path.dirname(current)) {
    const file = path.join(current, projectFileName);
    const text = await readIfThere(file);
    if (text !== undefined) return { file, text };
    if (
      current === home ||
      path.dirname(current) === current ||
      (await isThere(path.join(current, '.git')))
    )
      return undefined;
  }
}

/**
 * Creates a first `helios.json` in `folder`, and resolves with its path. Rejects with `UserFacing`
 * if the folder already has one. With `orFind`, creates none if a file already applies to the
 * folder, and resolves with the path of that file.
 */
export async function createProjectFile(
  folder: string,
  project: Pick<Project, 'provider' | 'model' | 'defaultMachine'>,
  { orFind = false } = {},
): Promise<string> {
  const found = orFind ? await findProjectFile(folder) : undefined;
  if (found !== undefined) return found.file;
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

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readRegularText(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    const action =
      error instanceof NotRegularFile
        ? 'Replace it with a regular file.'
        : 'Make the file readable.';
    throw new UserFacing(`${file} cannot be read: ${messageOf(error)}.`, action);
  }
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

const mend = 'Fix the file, then try again.';

/** Maximum number of problems, or of warnings, in a message. */
const maxLines = 20;

/**
 * Parses the text of a `helios.json`. Throws `UserFacing` that lists every problem with line and
 * column.
 */
export function parseProject(file: string, text: string): ProjectFile {
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
    file,
    folder: path.dirname(file),
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
