/**
 * Folders of a host as `ls` prints them: the one thing that every system has for looking at many
 * files at once.
 */
import { shellQuote } from '../../base/text.ts';

export interface ListedFile {
  readonly isDirectory: boolean;
  readonly sizeBytes: number;
}

export interface ListedFolder {
  readonly files: ReadonlyMap<string, ListedFile>;
  /** A line per file; differs when something in the folder did. */
  readonly lines: readonly string[];
}

/**
 * `=` when nothing changed since it last ran in this shell. With a second operand each folder is
 * named.
 */
export const listScript = (folders: readonly string[]): string =>
  `now=$(ls -lnAL -- ${folders.map(shellQuote).join(' ')} /dev/null 2>/dev/null); ` +
  `if [ "$now" = "$was" ]; then printf =; else was=$now; printf '%s\\n' "$now"; fi`;

/**
 * Blocks of the size `blockBytes`, from block `skip` on; blocks are what every `dd` can seek by.
 */
export const readScript = (
  path: string,
  skip: number,
  { blockBytes, count }: { blockBytes: number; count: number },
): string => `dd if=${shellQuote(path)} bs=${blockBytes} skip=${skip} count=${count} 2>/dev/null`;

/** `undefined`: nothing changed. */
export function parseListing(text: string): ReadonlyMap<string, ListedFolder> | undefined {
  if (text === '=') return undefined;
  const folders = new Map<string, { files: Map<string, ListedFile>; lines: string[] }>();
  let current: { files: Map<string, ListedFile>; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const file = /^([-dlpscbD])\S{9,}\s+\d+\s+\d+\s+\d+\s+(\d+)\s+\S+\s+\S+\s+\S+ (.+)$/.exec(line);
    if (file && current) {
      current.files.set(file[3] ?? '', {
        isDirectory: file[1] === 'd',
        sizeBytes: Number(file[2]),
      });
      current.lines.push(line);
    } else if (line.startsWith('/') && line.endsWith(':')) {
      current = { files: new Map(), lines: [] };
      folders.set(line.slice(0, -1), current);
    }
  }
  return folders;
}
