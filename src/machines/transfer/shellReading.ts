/** Reads files of a machine with its shell. */
import { shellQuote } from '../../base/text.ts';
import { checksums, readLinks, readTexts } from './contents.ts';
import { blockBytes, type Reading } from './end.ts';
import { ask, type Bytes } from './ends.ts';
import { placing } from './placing.ts';
import { commandSource } from './relay.ts';
import { listTree, nulls, type Tools } from './tree.ts';

function packScript(path: string, own: Tools, other: Tools): string {
  // busybox supports neither POSIX headers nor fractions of seconds.
  const isPlain = other.tar === 'busybox';
  const format = {
    gnu: isPlain ? '--format=gnu' : '--format=posix --pax-option=delete=atime,delete=ctime',
    bsd: isPlain ? '--format=gnutar' : '--format=pax',
    busybox: '',
  }[own.tar];
  const tar =
    own.tar === 'busybox'
      ? 'exec xargs -0 tar --no-recursion -cf -'
      : `exec env COPYFILE_DISABLE=1 tar ${format} -b 256 --no-recursion --null -cf - -T -`;
  return `cd -- ${shellQuote(path)} || exit 1\n${tar}`;
}

/**
 * Returns shell code that opens a file as descriptor 4. The bytes of the name are escaped, because
 * a script must be valid text. Opening a pipe would wait for its other end.
 */
function openScript(path: string, name: Bytes): string {
  const octal = (byte: string): string => byte.charCodeAt(0).toString(8).padStart(3, '0');
  const escaped = Array.from(name, (byte) => `\\0${octal(byte)}`).join('');
  return [
    placing,
    `p=$(printf '%s/%b/' ${shellQuote(path === '/' ? '' : path)} '${escaped}')`,
    'p=${p%/}; d=${p%/*}; n=./${p##*/}',
    'at "${d:-/}" && [ -f "$n" ] && [ -r "$n" ] ||',
    '  { echo "permission denied, or it was deleted" >&2; exit 1; }',
    'exec 4<"$n" && opened "$p" || exit 1',
  ].join('\n');
}

export const shellReading: Reading = {
  list: listTree,
  readLinks,
  readTexts,
  checksums,
  pack: ({ machine, path }, items, { from, to }) =>
    commandSource(machine, packScript(path, from, to), nulls(items.map(([name]) => name))),
  content({ machine, path }, name, { skipped, total }) {
    const count = total - skipped;
    const send =
      count === 0
        ? 'exit 0'
        : `exec dd bs=${blockBytes} skip=${skipped} count=${count} <&4 2>/dev/null`;
    return commandSource(machine, `${openScript(path, name)}\n${send}`);
  },
  async sumOfStart({ machine, path }, { name, blocks, tools }, signal) {
    const sum = `dd bs=${blockBytes} count=${blocks} <&4 2>/dev/null | ${tools.sum}`;
    const { stdout } = await ask(machine, `${openScript(path, name)}\n${sum}`, { signal });
    return stdout.slice(0, 64);
  },
};
