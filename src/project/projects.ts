/**
 * Reads project files (`helios.json`), and leaves out the settings that the user has not allowed.
 */
import { homedir } from 'node:os';
import path from 'node:path';
import { messageOf, UserFacing } from '../base/errors.ts';
import { Allowances, type AllowancesOptions } from './allowances.ts';
import { currentFileUser, type FileUser } from './fileOwners.ts';
import { allowanceId, gatedPart, withoutPart } from './gatedPart.ts';
import { createProjectFile, findProjectFile, parseProject, type FoundFile } from './projectFile.ts';
import type { Project } from './projectSchema.ts';

/** The parts of a project file that are ignored, because the user has not allowed them. */
export interface LeftOut {
  /** Absolute path of the file. */
  readonly file: string;
  /** Names of the ignored fields. Empty if the whole file cannot be used. */
  readonly parts: readonly string[];
  /** Clause that says why the fields are ignored: other users can change the file. */
  readonly why?: string;
}

/** The parts of a project file that are used. */
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
  readonly leftOut?: LeftOut;
  /** Id of the user's allowance, if the file has parts that need one. */
  readonly allowance?: string;
}

/** The content of a project file for the user, who may allow it. */
export interface ProjectReview {
  readonly file: string;
  readonly realFile: string;
  /** The fields that are ignored until the user has allowed them. */
  readonly gated: Project;
  readonly id: string;
  readonly isAllowed: boolean;
  /** Clause that says why other users can change the file; omitted if they cannot. */
  readonly foreign?: string;
  readonly warnings: readonly string[];
}

export interface ProjectsOptions extends AllowancesOptions {
  /** Folder above which no project file is searched for. Default: the home folder of the user. */
  readonly homeFolder?: string;
  /** Resolves with the user of this process. Tests replace it. */
  user?(): Promise<FileUser | undefined>;
}

export class Projects {
  readonly #options: ProjectsOptions;
  readonly #allowances: Allowances;

  constructor(options: ProjectsOptions) {
    this.#options = options;
    this.#allowances = new Allowances(options);
  }

  /**
   * Reads the nearest `helios.json`, from `folder` upwards, without the fields that the user has
   * not allowed. Resolves with `undefined` if there is none. Rejects with `UserFacing` for an
   * invalid file; if other users can change the file, its whole content is ignored instead.
   */
  async read(folder: string): Promise<ProjectFile | undefined> {
    const found = await this.#find(folder);
    if (found === undefined) return undefined;
    const { file, foreign } = found;
    const { project, warnings, problem } = contentOf(found);
    if (problem !== undefined && foreign === undefined) throw problem;
    const gated = gatedPart(project, foreign !== undefined);
    const place = { file, folder: path.dirname(file), warnings };
    if (problem !== undefined)
      return { ...place, leftOut: { file, parts: [], why: `${foreign} and is invalid` } };
    if (Object.keys(gated).length === 0) return { ...project, ...place };
    const allowance = allowanceId(found.realFile, gated);
    if (await this.isAllowed(allowance)) return { ...project, ...place, allowance };
    const counted = { ...withoutPart(project, gated), ...place };
    const leftOut = { file, parts: Object.keys(gated) };
    if (foreign === undefined) return { ...counted, leftOut };
    return { ...counted, warnings: [], leftOut: { ...leftOut, why: foreign } };
  }

  /**
   * Reads the nearest `helios.json`, so that the user can decide whether to allow its content.
   * Resolves with `undefined` if there is none. Rejects with `UserFacing` for an invalid file.
   */
  async review(folder: string): Promise<ProjectReview | undefined> {
    const found = await this.#find(folder);
    if (found === undefined) return undefined;
    const { file, realFile, foreign } = found;
    const { project, warnings, problem } = contentOf(found);
    if (problem !== undefined) throw problem;
    const gated = gatedPart(project, foreign !== undefined);
    const id = allowanceId(realFile, gated);
    const isAllowed = await this.isAllowed(id);
    return { file, realFile, gated, id, isAllowed, warnings, ...(foreign && { foreign }) };
  }

  /**
   * Allows the content that the review shows, even if the file has changed since. Rejects with
   * `UserFacing` if a channel in it can never send.
   */
  async allow({ id, realFile, file, gated }: ProjectReview): Promise<void> {
    const { checkProjectChannel } = await import('../notify/publicNetwork.ts');
    try {
      gated.notifications?.channels?.forEach(checkProjectChannel);
    } catch (error) {
      throw new UserFacing(
        `Nothing of ${file} was allowed: ${messageOf(error)}`,
        'Correct or remove the channel, then allow the file again.',
      );
    }
    return this.#allowances.add(id, realFile);
  }

  /** Withdraws everything that was allowed for the file. Resolves with the number of contents. */
  revoke({ realFile }: Pick<ProjectReview, 'realFile'>): Promise<number> {
    return this.#allowances.remove(realFile);
  }

  async isAllowed(id: string): Promise<boolean> {
    return this.#allowances.has(id, await this.#user());
  }

  /**
   * Resolves with the path of the `helios.json` that applies to the folder. Creates the file in the
   * folder if there is none, and allows its content, which the user chose.
   */
  async ensure(folder: string): Promise<string> {
    return (await this.#find(folder))?.file ?? this.create(folder, {});
  }

  /** The project file with only the parts that are used. */
  async create(folder: string, project: Parameters<typeof createProjectFile>[1]): Promise<string> {
    const file = await createProjectFile(folder, project);
    const review = await this.review(folder);
    if (review !== undefined && !review.isAllowed) await this.allow(review);
    return file;
  }

  async #find(folder: string): Promise<FoundFile | undefined> {
    return findProjectFile(folder, this.#options.homeFolder ?? homedir(), await this.#user());
  }

  #user(): Promise<FileUser | undefined> {
    return (this.#options.user ?? currentFileUser)();
  }
}

interface Content {
  readonly project: Project;
  readonly warnings: readonly string[];
  /** Why the file cannot be used. */
  readonly problem?: Error;
}

function contentOf({ file, text }: FoundFile): Content {
  if (typeof text !== 'string') return { project: {}, warnings: [], problem: text };
  try {
    const { warnings, ...project } = parseProject(file, text);
    return { project, warnings };
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(messageOf(error));
    return { project: {}, warnings: [], problem };
  }
}
