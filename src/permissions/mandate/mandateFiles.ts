/**
 * The mandates that the user has written: JSON files in the home folder of Helios. `for` lists the
 * working folders of a mandate; without `for`, it is for all other folders.
 */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { codeOf, messageOf } from '../../base/errors.ts';
import { isWithin } from '../commands/paths/operand.ts';
import { builtInMandate, commandClasses, installers } from './mandate.ts';
import type { CommandClass, Mandate } from './mandate.ts';

const texts = z.array(z.string().trim().min(1, 'must not be empty'));
const classes = Object.keys(commandClasses) as CommandClass[];

/** Schema of a mandate file. */
export const mandateSchema = z.strictObject({
  folders: texts
    .exactOptional()
    .describe(
      'Folders to read and change: "." for the working folder, "gpu1:/data" for a machine.',
    ),
  reads: texts.exactOptional().describe('Folders to read and run programs from.'),
  machines: texts.exactOptional().describe('Ids of machines; "*" for all.'),
  commands: z.array(z.enum(classes)).exactOptional().describe('Classes of commands.'),
  programs: texts.exactOptional().describe('Beginnings of further commands, such as "wandb sync".'),
  hosts: texts.exactOptional().describe('Hosts to download from and to read.'),
  installs: z
    .array(z.enum(installers))
    .exactOptional()
    .describe('Installers, into an environment of a granted folder.'),
});

const fileSchema = mandateSchema.extend({ for: texts.exactOptional() });

/** A mandate as written in a file. Omitted fields are taken from the built-in mandate. */
export type MandateFields = z.output<typeof mandateSchema>;

/** The mandate that applies to a working folder. */
export interface MandateReading {
  readonly mandate: Mandate;
  /** Absolute path of the file. Omitted for the built-in mandate. */
  readonly file?: string;
  /** Sentence that names the file that cannot be used. The mandate then grants nothing. */
  readonly problem?: string;
}

/** The mandate that a project proposes, with the path of its file. */
export interface Proposal {
  readonly file: string;
  readonly mandate: MandateFields;
}

/** A mandate that grants nothing. */
const nothing: Mandate = {
  folders: [],
  reads: [],
  machines: [],
  commands: [],
  programs: [],
  hosts: [],
  installs: [],
};

/**
 * Reads the mandate for a working folder, an absolute path. If several files are for the folder,
 * the file for the nearest folder applies; fields that it omits are taken from the built-in
 * mandate. `proposal` is the mandate of a project that the user has allowed; it takes precedence
 * over a file for all folders. An invalid file that may be for the folder grants nothing. Never
 * throws.
 */
export function readMandate(
  mandatesFolder: string,
  workFolder: string,
  proposal?: Proposal,
): MandateReading {
  const files = filesIn(mandatesFolder).map((file) => readFile(file));
  const here = realPathOf(workFolder);
  const places = files.map(({ content }) => depthOf(placesOf(content), here));
  const best = Math.max(-1, ...places);
  if (best <= 0 && proposal !== undefined)
    return { mandate: { ...builtInMandate, ...proposal.mandate }, file: proposal.file };
  if (best < 0) return { mandate: builtInMandate };
  const { file, content } = files[places.indexOf(best)] ?? { file: '', content: undefined };
  const result = fileSchema.safeParse(content);
  if (!result.success) return { mandate: nothing, file, problem: problemOf(file, result.error) };
  const { for: _for, ...fields } = result.data;
  return { mandate: { ...builtInMandate, ...fields }, file };
}

interface MandateFile {
  readonly file: string;
  /** The parsed JSON; or the text of the error, if the file cannot be read. */
  readonly content: unknown;
}

function readFile(file: string): MandateFile {
  try {
    // Editors of Windows may begin a text with a mark.
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
    return { file, content: JSON.parse(text) as unknown };
  } catch (error) {
    return { file, content: messageOf(error) };
  }
}

/** Returns the folders in `for`, even if the rest of the file is invalid. */
function placesOf(content: unknown): readonly string[] {
  const read = z.looseObject({ for: texts }).safeParse(content);
  return read.success ? read.data.for : [];
}

/**
 * Returns how near the nearest of the folders is: a larger number is nearer. Returns 0 without
 * folders, and -1 if the working folder is in none of them.
 */
function depthOf(places: readonly string[], workFolder: string): number {
  if (places.length === 0) return 0;
  return Math.max(...places.map((place) => (isWithin(place, workFolder) ? place.length : -1)));
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.toSorted().map((name) => path.join(folder, name));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    return [folder];
  }
}

function problemOf(file: string, { issues: [issue] }: z.ZodError): string {
  const why = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
  return `The mandate grants nothing: ${file} cannot be used (${why.replace(/^: /, '')}). Correct or remove the file.`;
}

/** Returns the text of a new mandate file for a folder: the built-in mandate, to be edited. */
export const mandateText = (workFolder: string): string =>
  `${JSON.stringify({ for: [workFolder], ...builtInMandate }, undefined, 2)}\n`;
