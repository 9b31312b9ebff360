/**
 * Lists folders of a host with `ls`, the only tool that checks many files in one command on every
 * system.
 */
import { shellQuote } from '../../base/text.ts';

export interface ListedFile {
  readonly isDirectory: boolean;
  readonly sizeBytes: number;
}

export interface ListedFolder {
  readonly files: ReadonlyMap<string, ListedFile>;
  /** Lines of `ls`, one per file; they differ after any change in the folder. */
  readonly lines: readonly string[];
}

/**
 * Returns the script that lists folders. The script prints `=` if the listing is the same as at its
 * last call in the same shell. `/dev/null` is a second operand, because `ls` prints the name of a
 * folder only if it lists several.
 */
export const listScript = (folders: readonly string[]): string =>
  `now=$(ls -lnAL -- ${folders.map(shellQuote).join(' ')} /dev/null 2>/dev/null); ` +
  `if [ "$now" = "$was" ]; then printf =; else was=$now; printf '%s\\n' "$now"; fi`;

/**
 * Returns the script that skips `skip` blocks of a file and reads the next `count` blocks. Uses
 * blocks of `blockBytes`, because not every `dd` can skip single bytes.
 */
export const readScript = (
  path: string,
  skip: number,
  { blockBytes, count }: { blockBytes: number; count: number },
): string => `dd if=${shellQuote(path)} bs=${blockBytes} skip=${skip} count=${count} 2>/dev/null`;

/** Parses a listing; `undefined` when nothing has changed. */
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
