/** Reads the targets of links, small texts and checksums of files in a folder of a machine. */
import { shellQuote } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import { ask, type Bytes, type Place } from './ends.ts';
import { nulls, type Tools } from './tree.ts';

/** Resolves with the targets of links by name. */
export async function readLinks(
  place: Place,
  names: readonly Bytes[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Bytes, Bytes>> {
  const targets = await answers(place, names, { each: 'readlink "$f"; echo .', signal });
  return new Map([...targets].map(([name, target]) => [name, target.slice(0, -3)]));
}

/** Resolves with the content of text files by name; an unreadable file has empty content. */
export const readTexts = (
  place: Place,
  names: readonly Bytes[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Bytes, Bytes>> => answers(place, names, { each: 'cat "$f"', signal });

/** Runs shell code for each file `$f`, and resolves with the output by name. */
async function answers(
  place: Place,
  names: readonly Bytes[],
  { each, signal }: { readonly each: string; readonly signal: AbortSignal | undefined },
): Promise<ReadonlyMap<Bytes, Bytes>> {
  if (names.length === 0) return new Map();
  const all = `for f; do printf "%s\\0" "$f"; ${each}; printf "\\0"; done`;
  const script = `cd -- ${shellQuote(place.path)} && xargs -0 /bin/sh -c '${all}' sh`;
  const { stdout } = await ask(place.machine, script, { stdin: nulls(names), signal });
  const parts = stdout.split('\0');
  const found = new Map<Bytes, Bytes>();
  for (let at = 0; at + 1 < parts.length; at += 2)
    found.set(parts[at]?.slice(2) ?? '', parts[at + 1] ?? '');
  return found;
}

/**
 * Resolves with the SHA-256 of files by name. Names that the tools would escape are omitted, so
 * these files are considered different.
 */
export async function checksums(
  place: Place,
  { sum }: Tools,
  names: readonly Bytes[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Bytes, string>> {
  if (sum === undefined)
    throw new MachineFailure(
      'missing',
      `${place.machine.id} has no sha256sum. Transfer without checksum.`,
    );
  const plain = names.filter((name) => !/[\\\n\r]/.test(name));
  if (plain.length === 0) return new Map();
  const script = `cd -- ${shellQuote(place.path)} && xargs -0 ${sum}`;
  const { stdout } = await ask(place.machine, script, { stdin: nulls(plain), signal });
  const lines = stdout.split('\n').map((line) => /^([0-9a-f]{64}) [ *]\.\/(.+)$/s.exec(line));
  return new Map(
    lines.flatMap((found) => (found ? [[found[2] ?? '', found[1] ?? ''] as const] : [])),
  );
}
