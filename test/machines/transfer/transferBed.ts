/** Trees with everything that makes trees hard, and what is to be seen of them afterwards. */
import type { FilesOnly } from '../../../src/machines/filesOnly.ts';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { MachineFailure, type Machine } from '../../../src/machines/machine.ts';

/** Nanoseconds, so that whole seconds are not enough. */
const modified = 1_700_000_000.123456;

/** Gives everything in a tree, links apart, a time that any process can set. */
export function plainTimes(root: string): void {
  for (const [name, what] of Object.entries(seen(root)))
    if (!what.includes('→'))
      fs.utimesSync(
        Buffer.concat([Buffer.from(root), Buffer.from(name, 'latin1')]),
        modified,
        modified,
      );
}

/** This computer as it is where it runs no commands. */
export function commandless(local: LocalMachine): Machine {
  const refuse = (): Promise<never> =>
    Promise.reject(new MachineFailure('io', 'This computer runs no commands.'));
  const refused = ['exec', 'stream', 'query', 'spawnDetached'];
  const filesOnly: FilesOnly = { note: '', realPath: refuse, kindOf: refuse, namesIn: refuse };
  return new Proxy<Machine>(local, {
    get: (target, key) => {
      if (key === 'filesOnly') return filesOnly;
      if (refused.includes(String(key))) return refuse;
      return Reflect.get(target, key, target) as unknown;
    },
  });
}

/** Writes `content` with a time that is not now. */
export function put(path: string, content: string | Buffer, mode = 0o644): void {
  fs.mkdirSync(join(path, '..'), { recursive: true });
  fs.writeFileSync(path, content);
  fs.chmodSync(path, mode);
  fs.utimesSync(path, modified, modified);
}

/**
 * Odd names, modes, links within the tree, empty and closed folders, and a file of `largeBytes`.
 */
export function hardTree(root: string, largeBytes = 0): void {
  const odd = [
    `it's "odd"`,
    '-rf',
    '--',
    ' two  words ',
    'new\nline',
    'tab\t',
    '$HOME `x` \\n',
    'ä😀',
    '*',
  ];
  for (const name of odd) put(join(root, 'odd', name, name), name);
  const odder = Buffer.concat([Buffer.from(`${root}/odd/`), Buffer.from([0xff, 0xfe, 0x41])]);
  fs.writeFileSync(odder, 'not UTF-8');
  put(join(root, 'run.sh'), '#!/bin/sh\n', 0o755);
  put(join(root, 'secret'), 's', 0o600);
  put(join(root, 'closed', 'read-only'), 'r', 0o444);
  put(join(root, 'empty.txt'), '');
  put(join(root, 'setuid'), 'x', 0o755);
  put(join(root, 'x'.repeat(200), 'y'.repeat(200), 'z'.repeat(200)), 'deep');
  for (let index = 0; index < 50; index++)
    put(join(root, 'many', `f${index}`), randomBytes(index * 100));
  fs.mkdirSync(join(root, 'hollow', 'hollow'), { recursive: true });
  const links = {
    near: 'run.sh',
    gone: 'nowhere',
    folder: 'many',
    'odd/up': '../many/f7',
    'odd/new\nlink': 'a\nb\n',
  };
  for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, join(root, name));
  if (largeBytes > 0) put(join(root, 'many', 'large.bin'), randomBytes(largeBytes));
  for (const folder of ['hollow/hollow', 'hollow', 'many', 'odd'])
    fs.utimesSync(join(root, folder), modified, modified);
  fs.chmodSync(join(root, 'closed'), 0o555);
}

/** What counts of a tree, by name as bytes. Of links their time does not. */
export function seen(root: string): Record<string, string> {
  const all: Record<string, string> = {};
  const refresh = (path: Buffer, name: string): void => {
    const stat = fs.lstatSync(path, { bigint: true });
    const time = stat.isSymbolicLink() ? '' : ` ${stat.mtimeNs}`;
    all[name] = `${stat.mode.toString(8)}${time} ${contentOf(path, stat)}`;
    if (!stat.isDirectory()) return;
    for (const child of fs.readdirSync(path, { encoding: 'buffer' }))
      refresh(
        Buffer.concat([path, Buffer.from('/'), child]),
        `${name}/${child.toString('latin1')}`,
      );
  };
  refresh(Buffer.from(root), '');
  return all;
}

function contentOf(path: Buffer, stat: fs.BigIntStats): string {
  if (stat.isSymbolicLink()) return `→ ${fs.readlinkSync(path)}`;
  return stat.isFile() ? createHash('sha256').update(fs.readFileSync(path)).digest('hex') : '';
}

/** Names of files and links, sorted. */
export const names = (root: string): string[] =>
  Object.entries(seen(root))
    .filter(([, what]) => !what.startsWith('4'))
    .map(([name]) => name.slice(1))
    .sort();

/** A closed folder could not be removed by anybody but root. */
export const openUp = (root: string): void => {
  for (const name of ['from/closed', 'to/closed'])
    if (fs.existsSync(join(root, name))) fs.chmodSync(join(root, name), 0o755);
};
