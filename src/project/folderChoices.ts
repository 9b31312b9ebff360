/**
 * Stores the user's choices for working folders, in `folders.json` in the home folder of Helios. A
 * choice applies to the real path of its folder.
 */
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { codeOf, messageOf, UserFacing } from '../base/errors.ts';

const choiceSchema = z.looseObject({
  /** Permission mode of sessions in the folder. Default: the mode of the settings. */
  mode: z.enum(['ask', 'mandate', 'allow']).optional(),
  /**
   * Id of a container. The mandate covers its commands and files, and calls that name no machine
   * use it.
   */
  container: z.string().min(1).optional(),
  /**
   * Whether sessions continue in the background when VS Code closes. Default: as in the settings.
   */
  keepRunning: z.boolean().optional(),
});

const fileSchema = z.looseObject({
  version: z.literal(1),
  folders: z.record(z.string(), choiceSchema),
});

/**
 * The user's choices for a folder. An empty object means that the user was asked and the settings
 * apply.
 */
export type FolderChoice = z.output<typeof choiceSchema>;

/** The choice for a folder, or why it cannot be read. */
export interface FolderReading {
  /** Omitted if the user was never asked about the folder. */
  readonly choice?: FolderChoice;
  /** Sentence that says why `folders.json` cannot be used, and what to do. */
  readonly problem?: string;
}

/**
 * Returns the mode chosen for a folder, otherwise `standard`; `ask` if the choice cannot be read.
 */
export const modeOf = (
  { choice, problem }: FolderReading,
  standard: NonNullable<FolderChoice['mode']>,
): NonNullable<FolderChoice['mode']> =>
  problem === undefined ? (choice?.mode ?? standard) : 'ask';

export interface FolderChoicesOptions {
  /** Absolute path of `folders.json`. */
  readonly file: string;
  /** Replaces the file atomically. */
  write(file: string, text: string): Promise<void>;
  /** Runs a change of the file while no other process changes it. */
  exclusively(file: string, change: () => Promise<void>): Promise<void>;
}

export class FolderChoices {
  readonly #options: FolderChoicesOptions;

  constructor(options: FolderChoicesOptions) {
    this.#options = options;
  }

  /** Reads the choice for a folder. The file is read anew each time. Never throws. */
  read(folder: string): FolderReading {
    try {
      const choice = this.#file().folders[realPathOf(folder)];
      return choice === undefined ? {} : { choice };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  /**
   * Replaces the choice for a folder. Rejects with `UserFacing` if the file cannot be read; it is
   * then unchanged.
   */
  choose(folder: string, choice: FolderChoice): Promise<void> {
    const { file, write, exclusively } = this.#options;
    return exclusively(file, async () => {
      const content = this.#file();
      const folders = { ...content.folders, [realPathOf(folder)]: choice };
      await write(file, `${JSON.stringify({ ...content, folders }, undefined, 2)}\n`);
    });
  }

  #file(): z.output<typeof fileSchema> {
    const { file } = this.#options;
    try {
      return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { version: 1, folders: {} };
      const [issue] = error instanceof z.ZodError ? error.issues : [];
      const why =
        issue === undefined ? messageOf(error) : `${issue.path.join('.')}: ${issue.message}`;
      throw new UserFacing(
        `${file} cannot be read (${why}).`,
        'Correct the file, or delete it to choose again.',
      );
    }
  }
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
