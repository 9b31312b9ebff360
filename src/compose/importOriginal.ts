/** Imports machines and shared notes of the original Helios, which used the same home folder. */
import { constants } from 'node:fs';
import { chmod, copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import { codeOf, messageOf, UserFacing } from '../base/errors.ts';
import { readJson } from '../base/jsonText.ts';
import { exactTime } from '../base/localTime.ts';
import {
  isOriginalList,
  readOriginalMachines,
  type OriginalMachines,
} from '../machines/list/originalMachines.ts';
import { newMachinesText } from '../machines/list/machineFile.ts';
import { MemoryStore } from '../memory/memoryStore.ts';
import { writeFileAtomic } from '../storage/atomicFile.ts';
import { homeAt } from '../storage/home.ts';
import { readOriginalNotes, type OriginalNote } from '../storage/originalNotes.ts';

export interface OriginalImport {
  /** Absolute paths of the files that are read. */
  readonly machinesFile: string;
  readonly databaseFile: string;
  /** Undefined if `machines.json` is not a list of the original Helios. */
  readonly machines: OriginalMachines | undefined;
  /** Undefined if there is no database of the original Helios. */
  readonly notes: NotesImport | undefined;
  /** Performs the import. */
  carryOut(): Promise<ImportResult>;
}

export interface NotesImport {
  readonly fresh: readonly OriginalNote[];
  /** Paths of notes that already exist with another text. These notes are not changed. */
  readonly different: readonly string[];
  /** Number of notes that the home already has. */
  readonly sameCount: number;
}

export interface ImportResult {
  /** Absolute path of the copy of the original `machines.json`, if it was converted. */
  readonly backupFile: string | undefined;
  /** Notes that could not be written, one line each with the reason. */
  readonly problems: readonly string[];
}

interface ImportOptions {
  readonly home: string;
  readonly assetsFolder: string;
  readonly clock: Clock;
}

/** Reads what can be imported. Rejects with `UserFacing` if a file cannot be read. */
export async function planOriginalImport(options: ImportOptions): Promise<OriginalImport> {
  const { folder, machinesFile, globalMemoryFolder } = homeAt(options.home);
  const databaseFile = path.join(folder, 'helios.db');
  const store = new MemoryStore({
    sessionFolder: globalMemoryFolder,
    projectFolder: globalMemoryFolder,
    globalFolder: globalMemoryFolder,
    clock: options.clock,
  });
  const machines = await machinesIn(machinesFile);
  const wasmFile = path.join(options.assetsFolder, 'sql-wasm.wasm');
  const found = await readOriginalNotes(databaseFile, wasmFile);
  const notes = found && (await compare(found, store));
  return {
    machinesFile,
    databaseFile,
    machines,
    notes,
    carryOut: async () => ({
      backupFile: machines && (await convert(machinesFile, machines, options.clock)),
      problems: await writeNotes(notes?.fresh ?? [], store),
    }),
  };
}

async function machinesIn(file: string): Promise<OriginalMachines | undefined> {
  try {
    const json = readJson(await readFile(file, 'utf8'));
    const value = 'value' in json ? json.value : undefined;
    return isOriginalList(value) ? readOriginalMachines(value) : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new UserFacing(`${file} cannot be read: ${messageOf(error)}.`, 'Check its permissions.');
  }
}

/**
 * Copies the file to `machines.json.before-DATE`, then replaces it. Resolves with the path of the
 * copy.
 */
async function convert(file: string, machines: OriginalMachines, clock: Clock): Promise<string> {
  const backupFile = await copyToFreeName(
    file,
    `${file}.before-${exactTime(clock.now()).slice(0, 10)}`,
  );
  await writeFileAtomic(file, newMachinesText(machines.entries));
  return backupFile;
}

async function copyToFreeName(file: string, wanted: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const copy = number === 1 ? wanted : `${wanted}-${number}`;
    try {
      await copyFile(file, copy, constants.COPYFILE_EXCL);
      await chmod(copy, 0o600);
      return copy;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function compare(notes: readonly OriginalNote[], store: MemoryStore): Promise<NotesImport> {
  const fresh: OriginalNote[] = [];
  const different: string[] = [];
  for (const note of notes) {
    const known = await store.read(pathOf(note)).catch(() => undefined);
    if (known?.file === undefined) fresh.push(note);
    else if ((known.content ?? '') !== (note.content ?? '').trimEnd()) different.push(known.path);
  }
  return { fresh, different, sameCount: notes.length - fresh.length - different.length };
}

async function writeNotes(
  notes: readonly OriginalNote[],
  store: MemoryStore,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const note of notes)
    await store
      .write(pathOf(note), note.gist.trim() || note.path, note.content ?? '')
      .catch((error: unknown) => problems.push(`${pathOf(note)}: ${messageOf(error)}`));
  return problems;
}

const pathOf = ({ path: below }: OriginalNote): string => `/global/${below}`;
