/**
 * The folder of one report, inside the work folder. Never overwrites a file that the user has
 * changed.
 */
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, UserFacing } from '../base/errors.ts';
import { exactTime } from '../base/localTime.ts';
import { readRegularText } from '../base/regularFile.ts';
import { writeFileAtomic } from '../storage/atomicFile.ts';
import { storageFailure } from '../storage/storageFailure.ts';
import { slug } from '../base/slug.ts';
import type { SessionFacts } from './facts.ts';

/** The folder of all reports of a project. */
export interface ReportsPlace {
  /** Absolute path of the folder that reports must not leave through a link. */
  readonly root: string;
  /** Path relative to `root`. */
  readonly folder: string;
}

/** Returns the default folder of all reports. */
export const defaultReports = (workFolder: string): ReportsPlace => ({
  root: workFolder,
  folder: 'helios-reports',
});

export interface ReportPlace {
  readonly workFolder: string;
  readonly reports: ReportsPlace;
  readonly session: Pick<SessionFacts, 'id' | 'goal' | 'startedMs'>;
}

const maxCopies = 99;

export class ReportFolder {
  /**
   * Absolute path. The name consists of the day on which the session started, the goal, and the end
   * of the session id.
   */
  readonly folder: string;
  readonly #workFolder: string;
  readonly #root: string;
  /** False for a folder that the user chose. */
  readonly #isOwn: boolean;

  constructor({ workFolder, reports, session }: ReportPlace) {
    const day = exactTime(session.startedMs).slice(0, 10);
    const name = [day, slug(session.goal, 40), session.id.slice(-6)]
      .filter((part) => part !== '')
      .join('-');
    this.folder = path.resolve(reports.root, reports.folder, name);
    this.#workFolder = workFolder;
    this.#root = reports.root;
    this.#isOwn = reports.folder === defaultReports(workFolder).folder;
  }

  /**
   * Writes a file; `name` is relative to the folder. If the user has changed the existing file,
   * writes to a numbered name instead. Resolves with the relative path of the written file. Rejects
   * with `UserFacing` if the work folder no longer exists or a link leads out of the project, or
   * with `StorageFailure`.
   */
  async write(name: string, text: string): Promise<string> {
    await this.#mustBeThere();
    await this.#mustStayInside(path.dirname(path.join(this.folder, name)));
    const signed = withSignature(text, name);
    if (this.#isOwn) await this.#ignoreItself();
    for (const candidate of namesBeside(name)) {
      const file = path.join(this.folder, candidate);
      const there = await readIfThere(file);
      if (there === signed) return candidate;
      if (there !== undefined && !isUnchanged(there)) continue;
      await writeFileAtomic(file, signed, 0o666);
      return candidate;
    }
    throw new UserFacing(
      `${path.join(this.folder, name)} was not written: this file and all its numbered copies were changed by hand.`,
      'Move some of these files to another folder, then retry.',
    );
  }

  /**
   * Returns the absolute path of the newest file that `write` wrote for `name`; `undefined` if
   * there is none.
   */
  async find(name: string): Promise<string | undefined> {
    let found: string | undefined;
    for (const candidate of namesBeside(name)) {
      const file = path.join(this.folder, candidate);
      if ((await readIfThere(file)) === undefined) break;
      found = file;
    }
    return found;
  }

  /**
   * Writes a `.gitignore` so that `git status` does not list reports. An existing `.gitignore`
   * stays unchanged.
   */
  async #ignoreItself(): Promise<void> {
    const file = path.join(path.dirname(this.folder), '.gitignore');
    if ((await readIfThere(file)) !== undefined) return;
    await writeFileAtomic(file, '# Reports of Helios\n*\n', 0o666);
  }

  /**
   * Rejects with `UserFacing` if the folder is outside the project, because a link in the
   * repository could lead to any folder of the user.
   */
  async #mustStayInside(folder: string): Promise<void> {
    const [real, root] = await Promise.all([realFolder(folder), realFolder(this.#root)]);
    if (real === root || real.startsWith(path.join(root, path.sep))) return;
    throw new UserFacing(
      `The report was not written: ${folder} leads through a link out of ${this.#root}, to ${real}.`,
      'Replace the link with a folder, or set experimentDir in helios.json to another folder.',
    );
  }

  async #mustBeThere(): Promise<void> {
    const isThere = await stat(this.#workFolder).then(
      (found) => found.isDirectory(),
      (error: unknown) => {
        if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return false;
        throw error;
      },
    );
    if (!isThere)
      throw new UserFacing(
        `The work folder of the session is missing: ${this.#workFolder}`,
        'Restore the folder, or run helios report without --write to print the report.',
      );
  }
}

/** Resolves with the real path of the folder, or of the next folder above it that exists. */
async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    const above = path.dirname(folder);
    if (codeOf(error) !== 'ENOENT' || above === folder) throw storageFailure(error, folder);
    return realFolder(above);
  }
}

function* namesBeside(name: string): Generator<string> {
  yield name;
  const { dir, name: stem, ext } = path.posix.parse(name);
  for (let number = 2; number <= maxCopies; number += 1)
    yield path.posix.join(dir, `${stem}-${number}${ext}`);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readRegularText(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw storageFailure(error, file);
  }
}

const signaturePattern = /\n<!-- Written by Helios \(([0-9a-f]{16})\): [^\n]*-->\n$/;

/**
 * Appends a comment with a hash of the text. If the user changes the text, the hash no longer
 * matches. The comment is valid in both Markdown and SVG.
 */
const withSignature = (text: string, name: string): string =>
  `${text}\n<!-- Written by Helios (${digestOf(text)}): if you change ${path.posix.basename(name)}, your version stays, and new versions are written next to it. -->\n`;

function isUnchanged(content: string): boolean {
  const unix = content.replaceAll('\r\n', '\n');
  const match = signaturePattern.exec(unix);
  return match !== null && digestOf(unix.slice(0, match.index)) === match[1];
}

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);
