import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import { transfer } from '../../../src/machines/transfer/transfer.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { OtherMachine, writeLies, type Lies } from './lyingMachine.ts';
import { put, seen } from './transferBed.ts';

const file = '81a4 2 1700000000.5';
const large = `81a4 ${40 * 2 ** 20} 1700000000.5`;
const folder = '41ed 4096 1700000000.5';
const link = 'a1ff 9 1700000000.5';
const record = (what: string, ...names: string[]): string =>
  names.map((name) => `${what} ${name}//\n`).join('');

/** Listings that no honest machine prints: the transfer fails before it changes anything. */
const listings: Record<string, string> = {
  'a name that goes up': record(file, './../victim/keys'),
  'a name that goes down and up': record(folder, './a') + record(file, './a/../../victim/keys'),
  'a name that only goes up': record(folder, './..'),
  'a large file that goes up': record(large, './../victim/keys'),
  'a link that goes up': record(link, './../victim/keys'),
  'a folder that goes up': record(folder, './../victim/new'),
  'an absolute name': record(file, '/victim/keys'),
  'an absolute name after the dot': record(file, './/victim/keys'),
  'an empty part': record(folder, './a') + record(file, './a//b'),
  'an empty last part': record(folder, './a/'),
  'an empty name': record(folder, './'),
  'a part that is a dot': record(folder, './a') + record(file, './a/./b'),
  'a name that ends with a dot': record(folder, './a') + record(folder, './a/.'),
  'a name twice': record(file, './honest', './honest'),
  'a name as a folder and as a link': record(folder, './a') + record(link, './a'),
  'a parent that is not listed': record(file, './missing/b'),
  'a parent that is listed later': record(file, './a/b') + record(folder, './a'),
  'a parent that is a file': record(file, './honest/b'),
  'a parent that is a link': record(link, './l') + record(file, './l/b'),
  'a parent that leads out at the destination': record(file, './trap/keys'),
  'a size without end': record('81a4 99999999999999999999 1700000000.5', './b'),
  'a line that is not an entry': record('rwxr-xr-x', './b'),
  'a listing that stops': `${file} ./b`,
};

describe('a machine that lies', () => {
  const scratch = scratchFolder();
  const path = (name: string): string => join(scratch(), name);
  const local = new LocalMachine({ runsFolder: '/nowhere/runs', workFolder: '/' });

  /** A source with one file, a destination with a link that leads out, and what nobody gave. */
  function world(lies: Lies): () => Record<string, string> {
    put(path('from/honest'), 'ok');
    put(path('victim/keys'), 'the keys of the user');
    put(path('victim/folder/inner'), 'more of the user');
    fs.mkdirSync(path('to'));
    fs.symlinkSync('../victim', path('to/trap'));
    writeLies(path('bin'), lies);
    const outside = (): Record<string, string> => ({
      ...seen(path('victim')),
      names: fs.readdirSync(scratch()).sort().join(' '),
    });
    return outside;
  }
  const liar = (): OtherMachine => new OtherMachine('liar', { bin: path('bin') });
  const send = (from: Machine, to: Machine, more: { readonly delete?: boolean } = {}) =>
    transfer({
      from: { machine: from, path: path('from') },
      to: { machine: to, path: path('to') },
      ...more,
    });
  const ways: Record<string, () => readonly [Machine, Machine]> = {
    'as the source of a download': () => [liar().machine, local],
    'as the source of a relay': () => [liar().machine, new OtherMachine('gpu2').machine],
    'as the destination of an upload': () => [local, liar().machine],
  };

  for (const [way, ends] of Object.entries(ways))
    for (const [lie, stat] of Object.entries(listings))
      it(`changes nothing with ${lie}, ${way}`, async () => {
        const outside = world({ stat });
        const before = [outside(), seen(path('to'))];
        const [from, to] = ends();
        await assert.rejects(send(from, to, { delete: from.id === 'liar' }), {
          reason: 'io',
          message: /^The listing of .* on liar cannot be trusted: ".*" /s,
        });
        assert.deepEqual([outside(), seen(path('to'))], before);
      });
  it('has names that only look odd', async () => {
    const outside = world({});
    const before = outside();
    for (const name of ['...', '..a', 'a..', '.a', '-', '~', 'a/...', 'a/b\\..', 'a/ .. '])
      put(path(`from/odd/${name}x/${name}`), name);
    const report = await send(liar().machine, local);
    assert.deepEqual([report.outcome, report.problems], ['complete', []]);
    assert.deepEqual(seen(path('to/odd')), seen(path('from/odd')));
    assert.deepEqual(outside(), before);
  });
  it('claims a folder where a link is', async () => {
    const outside = world({ stat: record(folder, './trap') + record(file, './trap/keys') });
    const before = outside();
    const report = await send(liar().machine, local);
    assert.notEqual(report.outcome, 'complete');
    assert.match(report.problems[0]?.why ?? '', /is a link/);
    assert.deepEqual(outside(), before);
  });
  it('names a link, a folder or another file instead of a single file', async () => {
    const outside = world({});
    put(path('to/train.py'), 'good');
    fs.renameSync(path('from/honest'), path('from/train.py'));
    fs.symlinkSync('train.py', path('from/metrics.csv'));
    const before = [outside(), seen(path('to'))];
    const single = (): Promise<unknown> =>
      transfer({
        from: { machine: liar().machine, path: path('from/metrics.csv') },
        to: { machine: local, path: path('to/results.csv') },
      });
    const readlink = 'case $1 in *train.py*) echo results.csv ;; *) /usr/bin/readlink "$@" ;; esac';
    for (const what of [link, folder]) {
      const stat = `case $* in *%n//*) printf '${what} ./train.py//\\n' ;; *) /usr/bin/stat "$@" ;; esac`;
      writeLies(path('bin'), { programs: { stat, readlink } });
      await assert.rejects(single(), { reason: 'io', message: /is no longer a file/ });
      assert.deepEqual([outside(), seen(path('to'))], before);
    }
  });
  it('never chooses the name at the destination of a single file', async () => {
    world({});
    put(path('from/train.py'), 'good', 0o755);
    fs.symlinkSync('train.py', path('from/metrics.csv'));
    put(path('to/train.py'), 'good');
    put(path('to/results.csv'), 'good');
    await transfer({
      from: { machine: liar().machine, path: path('from/metrics.csv') },
      to: { machine: local, path: path('to/results.csv') },
    });
    const modes = ['train.py', 'results.csv'].map((name) => fs.statSync(path(`to/${name}`)).mode);
    assert.deepEqual(modes, [0o100644, 0o100755]);
  });
  it('lists something else at the second look', async () => {
    const lie = record(file, './../victim/keys').replace('\n', '\\n');
    const looks = path('bin/looks');
    const outside = world({
      programs: {
        stat: [
          '/usr/bin/stat "$@"; case $* in *%n//*) ;; *) exit ;; esac',
          `echo >>'${looks}'; [ "$(wc -l <'${looks}')" -eq 1 ] || printf '${lie}'`,
        ].join('\n'),
      },
    });
    const before = outside();
    const report = await send(liar().machine, local);
    assert.deepEqual([report.outcome, report.failure?.reason], ['stopped', 'io']);
    assert.match(report.failure?.message ?? '', /on liar cannot be trusted/);
    assert.deepEqual(outside(), before);
  });

  const targets: Record<string, string> = {
    absolute: '/etc/hosts',
    'one up from the top': '../victim/keys',
    'up from a folder': 'deep/../../victim/keys',
    'up through another link': 'deep/up/../../victim',
    'up and no further': '..',
    empty: '',
  };
  for (const [what, target] of Object.entries(targets))
    for (const way of ['as the source of a download', 'as the source of a relay'])
      it(`sends a link whose target is ${what}, ${way}`, async () => {
        const printed = target === '' ? 'echo' : `echo '${target}'`;
        const outside = world({
          programs: {
            readlink: `case $1 in *evil*) ${printed} ;; *) exec /usr/bin/readlink "$@" ;; esac`,
          },
        });
        put(path('from/deep/x'), 'x');
        fs.symlinkSync('x', path('from/deep/near'));
        fs.symlinkSync('..', path('from/deep/up'));
        fs.symlinkSync('x', path('from/evil'));
        const before = outside();
        const [from, to] = ways[way]?.() ?? assert.fail();
        const report = await send(from, to);
        assert.equal(fs.lstatSync(path('to/evil'), { throwIfNoEntry: false }), undefined);
        assert.match(report.problems[0]?.why ?? '', /link/);
        assert.equal(fs.readlinkSync(path('to/deep/near')), 'x');
        assert.equal(fs.readlinkSync(path('to/deep/up')), '..');
        assert.deepEqual([report.outcome, outside()], ['partial', before]);
      });

  const pythonTar = (members: string): string =>
    [
      `case $* in *--version*) exec /usr/bin/tar --version ;; esac; cat >/dev/null; exec python3 -c '`,
      'import tarfile, sys, io',
      't = tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.GNU_FORMAT)',
      'def add(name, kind=tarfile.REGTYPE, target="", data=b"evil"):',
      '  i = tarfile.TarInfo(name); i.type = kind; i.linkname = target; i.mode = 0o755',
      '  i.size = len(data) if kind == tarfile.REGTYPE else 0',
      '  t.addfile(i, io.BytesIO(data) if i.size else None)',
      members,
      `t.close()'`,
    ].join('\n');
  const archives: Record<string, string> = {
    'a member that goes up': 'add("../victim/keys"); add("../../victim/keys"); add("./honest")',
    'an absolute member': `add("VICTIM/keys"); add("./honest")`,
    'a link and a member behind it':
      'add("./sub", tarfile.SYMTYPE, "../../victim"); add("./sub/keys"); add("./honest")',
    'an absolute link and a member behind it':
      'add("./sub", tarfile.SYMTYPE, "VICTIM"); add("./sub/keys"); add("./honest")',
    'a link in the place of a file': 'add("./honest", tarfile.SYMTYPE, "VICTIM/keys")',
    'a link in the place of a folder': 'add("./fresh", tarfile.SYMTYPE, "VICTIM"); add("./honest")',
    'a link inside a new folder':
      'add("./fresh/one"); add("./fresh/evil", tarfile.SYMTYPE, "VICTIM/keys"); add("./honest")',
    'a second name of a file': 'add("./honest", tarfile.LNKTYPE, "VICTIM/keys")',
    'a pipe': 'add("./honest", tarfile.FIFOTYPE)',
    'a member that is not listed': 'add("./fresh/one"); add("./fresh/hook"); add("./honest")',
    'a member through a link at the destination': 'add("./trap/keys"); add("./honest")',
  };
  for (const [what, members] of Object.entries(archives))
    for (const unpacker of ['the tar of this computer', 'busybox'])
      it(`sends an archive with ${what}, to ${unpacker}`, async () => {
        const outside = world({
          programs: { tar: pythonTar(members.replaceAll('VICTIM', path('victim'))) },
        });
        put(path('from/fresh/one'), '1');
        if (unpacker === 'busybox') {
          fs.mkdirSync(path('busybox'));
          execFileSync('/bin/busybox', ['--install', '-s', path('busybox')]);
        }
        const before = outside();
        const env = unpacker === 'busybox' ? { PATH: path('busybox') } : {};
        const there = new LocalMachine({ runsFolder: '/nowhere', workFolder: '/', env });
        const report = await send(liar().machine, there);
        assert.notEqual(report.outcome, 'complete');
        assert.deepEqual(outside(), before);
        const left = Object.entries(seen(path('to'))).filter(([, text]) => text.includes('→'));
        assert.deepEqual(left, [['/trap', seen(path('to'))['/trap']]]);
        assert.deepEqual(
          [fs.existsSync(path('to/fresh/hook')), fs.existsSync(path('to/fresh/evil'))],
          [false, false],
        );
        assert.deepEqual(
          fs.readdirSync(path('to')).filter((name) => name.startsWith('.helios')),
          [],
        );
      });

  it('answers without end', async () => {
    const outside = world({
      programs: {
        stat: `case $* in *%n//*) exec yes '${file} ./b//' ;; *) exec /usr/bin/stat "$@" ;; esac`,
      },
    });
    const before = outside();
    for (const [from, to] of [
      [liar().machine, local],
      [local, liar().machine],
    ] as const)
      await assert.rejects(send(from, to), {
        reason: 'io',
        message: /on liar cannot be trusted|liar is too long/,
      });
    assert.deepEqual(outside(), before);
  });
  it('sends more than it listed', async () => {
    world({
      programs: { tar: 'case $* in *--version*) exec /usr/bin/tar --version ;; esac; exec yes' },
    });
    const report = await send(liar().machine, local);
    assert.deepEqual([report.outcome, report.failure?.reason], ['stopped', 'io']);
    assert.ok(report.sentBytes < 2 ** 22, `${report.sentBytes} bytes`);
    assert.deepEqual(fs.readdirSync(path('to')), ['trap']);
  });
  it('ends before it has read the files', async () => {
    world({
      programs: { tar: 'case $* in *--version*) exec /usr/bin/tar --version ;; esac; exit 1' },
    });
    for (let index = 0; index < 40; index++)
      put(path(`from/f${index}`), Buffer.alloc(200_000, 'x'));
    const report = await send(local, liar().machine);
    assert.deepEqual([report.outcome, fs.readdirSync(path('to'))], ['stopped', ['trap']]);
  });
  it('sends more of a large file than it listed', async () => {
    world({ programs: { dd: 'exec yes' } });
    put(path('from/large'), Buffer.alloc(33 * 2 ** 20, 'x'));
    const report = await send(liar().machine, local);
    assert.deepEqual([report.outcome, fs.existsSync(path('to/large'))], ['stopped', false]);
    assert.ok(report.sentBytes < 40 * 2 ** 20, `${report.sentBytes} bytes`);
  });
});
