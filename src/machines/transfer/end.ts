/**
 * Defines what a transfer needs of a machine. A machine that runs commands answers with its shell,
 * this computer also without one.
 */
import type { PlatformPath } from 'node:path';
import type { Answer, Bytes, Place } from './ends.ts';
import type { Entry, Listing, Tools, Tree } from './tree.ts';

/** Size of the blocks after which an interrupted file resumes. */
export const blockBytes = 1024 * 1024;

export type Named = readonly (readonly [name: Bytes, entry: Entry])[];

export type Push = (bytes: Uint8Array) => void | Promise<void>;

export interface SourceEnded {
  readonly code: number;
  readonly stderr: string;
}

/**
 * Produces the content: calls `push` with each piece, and waits for it. Resolves when all content
 * was pushed, or with `undefined` after an abort.
 */
export type Source = (push: Push, signal: AbortSignal) => Promise<SourceEnded | undefined>;

/** Takes all input. Rejects with `MachineFailure`, or with the error of the input. */
export type Sink = (input: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<Answer>;

export interface Blocks {
  /** Number of blocks at the start of the file that are left out. */
  readonly skipped: number;
  /** Number of blocks up to the end of the file. */
  readonly total: number;
}

/** The exit code of `writePart` for a file of another size than the source listed. */
export const sizeCode = 9;

/** Changes that complete a destination. Nothing is changed through a link. */
export interface LastChanges {
  /** Folders that get their time and permissions, content before its folder. */
  readonly folders: Named;
  readonly modes: Named;
  /** Items to delete, content before its folder. */
  readonly extra: readonly Bytes[];
}

export interface Reading {
  /**
   * Lists a place. Rejects with `MachineFailure`: `denied`, `io` for a listing with a name that
   * leads out of the folder, or the reason for which the connection failed.
   */
  list(place: Place, listing: Listing): Promise<Tree>;
  /** Resolves with the targets of links by name. */
  readLinks(place: Place, names: readonly Bytes[], signal?: AbortSignal): Promise<Found>;
  /** Resolves with the content of text files by name. */
  readTexts(place: Place, names: readonly Bytes[], signal?: AbortSignal): Promise<Found>;
  /** Resolves with the SHA-256 of files by name. Omitted files are considered different. */
  checksums(
    place: Place,
    tools: Tools,
    names: readonly Bytes[],
    signal?: AbortSignal,
  ): Promise<Found>;
  /** Returns items as an archive that the receiver's tar can read. */
  pack(place: Place, items: Named, tools: { readonly from: Tools; readonly to: Tools }): Source;
  /** Returns the content of a file. */
  content(place: Place, name: Bytes, blocks: Blocks): Source;
  /** Resolves with the SHA-256 of the first blocks of a file. */
  sumOfStart(
    place: Place,
    file: { readonly name: Bytes; readonly blocks: number; readonly tools: Tools },
    signal?: AbortSignal,
  ): Promise<string>;
}

export type Found = ReadonlyMap<Bytes, Bytes>;

/** Names of staging folders and partial files are in the folder of the place. */
export interface Writing {
  /** Creates the folder of the place, and folders in it, parents first. */
  makeFolders(place: Place, names: readonly Bytes[], signal?: AbortSignal): Promise<void>;
  /**
   * Unpacks an archive of files and folders into a new staging folder. The answer has the name of
   * each item, followed by a zero; the names of items that are neither files nor folders twice. The
   * staging folder is removed unless the whole archive arrives.
   */
  unpack(place: Place, staging: string): Sink;
  /**
   * Creates links in the staging folder, moves its items to their destination, and removes it.
   * Resolves with messages about single items.
   */
  putInPlace(
    place: Place,
    staging: string,
    items: {
      readonly links: readonly (readonly [Bytes, Bytes])[];
      readonly tops: readonly Bytes[];
    },
    signal?: AbortSignal,
  ): Promise<string>;
  /** Removes a staging folder or a partial file. */
  discard(place: Place, name: string): Promise<void>;
  /**
   * Writes the input to a partial file, after its first blocks, and removes parts of other versions
   * of the file. Two processes that write the same version at the same time write the same content.
   * Removes the partial file if the disk is full.
   */
  writePart(
    place: Place,
    part: string,
    file: { readonly blocks: number; readonly sizeBytes: number },
  ): Sink;
  /** Moves a complete partial file to its destination. Resolves with the reason if it could not. */
  placePart(
    place: Place,
    part: string,
    file: { readonly name: Bytes; readonly entry: Entry },
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /** Resolves with messages about single items. */
  complete(place: Place, changes: LastChanges, signal?: AbortSignal): Promise<string>;
}

export interface End extends Reading, Writing {
  /** Splits and joins the paths of places. */
  readonly paths: PlatformPath;
}
