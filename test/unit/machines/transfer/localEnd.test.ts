import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import type { Sink } from '../../../../src/machines/transfer/end.ts';
import { bytesOf } from '../../../../src/machines/transfer/ends.ts';
import { localReading } from '../../../../src/machines/transfer/localReading.ts';
import { localWriting } from '../../../../src/machines/transfer/localWriting.ts';
import { localSystem, OpenFolder } from '../../../../src/machines/transfer/openFolder.ts';
import type { Entry, Tools } from '../../../../src/machines/transfer/tree.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

const tools: Tools = { tar: 'gnu', sum: 'node', system: 'unix', foldsNames: false };
const entry: Entry = {
  ...{ kind: 'file', sizeBytes: 6, mode: 0o640 },
  modified: '1700000000.250000000',
};
const never = new AbortController().signal;

/** With the paths that Linux has for open folders, and without them, as on macOS and Windows. */
const systems = {
  'with paths of open folders': localSystem,
  'without paths of open folders': { ...localSystem, descriptors: undefined },
};

describe('a folder of this computer as a Mac opens it', () => {
  const folder = scratchFolder();
  const mac = systems['without paths of open folders'];

  it('may be named in another case, and with other letters of the same look', () => {
    fs.mkdirSync(join(folder(), 'proj\u00e9'));
    // Links stand for the other names by which a Mac knows the folder.
    for (const name of ['PROJ\u00e9', 'proje\u0301', 'other'])
      fs.symlinkSync('proj\u00e9', join(folder(), name));
    for (const name of ['PROJ\u00e9', 'proje\u0301'])
      new OpenFolder(mac, bytesOf(join(folder(), name)))[Symbol.dispose]();
    assert.throws(() => new OpenFolder(mac, bytesOf(join(folder(), 'other'))), {
      reason: 'denied',
    });
  });
});

for (const [what, system] of Object.entries(systems))
  describe(`files of this computer without commands, ${what}`, () => {
    const folder = scratchFolder();
    const path = (name: string): string => join(folder(), name);
    const machine = new LocalMachine({ runsFolder: '/nowhere/runs', workFolder: '/' });
    const at = (name: string) => ({ machine, path: path(name) });
    const reading = localReading(system);
    const writing = localWriting(system);
    const openFiles = (): number => fs.readdirSync('/proc/self/fd').length;
    const openBefore = openFiles();
    afterEach(() => assert.ok(openFiles() <= openBefore + 2, 'a file was left open'));

    async function* pieces(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const unpack = (bytes: Uint8Array, size?: number) =>
      writing.unpack(at('to'), 'staging')(pieces(bytes, size), never);
    const tar = (...args: readonly string[]): Buffer =>
      execFileSync('tar', ['-C', path('from'), '-cf', '-', ...args]);
    const refuses = (sink: ReturnType<Sink>, message: RegExp): Promise<void> =>
      assert.rejects(sink, { reason: 'io', message });

    /** Two folders that have the same names, and a link to the second in the place of the first. */
    function swapped(): void {
      for (const name of ['root/sub', 'victim']) {
        fs.mkdirSync(path(name), { recursive: true });
        fs.writeFileSync(path(`${name}/f`), 'SECRET');
      }
      fs.renameSync(path('root/sub'), path('root/away'));
      fs.symlinkSync('../victim', path('root/sub'));
    }
    const victim = (): string[] =>
      fs
        .readdirSync(path('victim'))
        .map((name) => `${name} ${fs.readFileSync(path(`victim/${name}`), 'utf8')}`);

    it('are read by their real path only', async () => {
      swapped();
      fs.symlinkSync('../victim/f', path('root/link'));
      execFileSync('mkfifo', [path('root/pipe')]);
      const names = ['sub/f', 'link', 'pipe'];
      assert.equal((await reading.readTexts(at('root'), names)).size, 0);
      assert.equal((await reading.checksums(at('root'), tools, names)).size, 0);
      assert.deepEqual(
        [...(await reading.list(at('root'), { names })).entries.keys()],
        ['link', 'pipe'],
      );
      for (const name of names) {
        const content = reading.content(at('root'), name, { skipped: 0, total: 1 });
        const ended = await content(() => assert.fail('nothing is sent'), never);
        assert.equal(ended?.code, 1);
        assert.match(ended.stderr, /^Cannot /);
      }
    });

    it('are listed without what a link leads to', async () => {
      swapped();
      const { path: real, root, entries } = await reading.list(at('root'), {});
      assert.deepEqual([real, root], [path('root'), 'folder']);
      assert.deepEqual([...entries.keys()].sort(), ['.', 'away', 'away/f', 'sub']);
      const closed = await reading.list(at('root'), { closed: ['away'] });
      assert.deepEqual([...closed.entries.keys()].sort(), ['.', 'away', 'sub']);
      const linked = await reading.list(at('root/sub/new/deep'), {});
      assert.deepEqual([linked.path, linked.root], [path('victim/new/deep'), 'nothing']);
    });

    it('come from archives with long names, links to files, and times', async () => {
      const long = `${'x'.repeat(120)}/${'y'.repeat(200)}`;
      fs.mkdirSync(path(`from/${'x'.repeat(120)}`), { recursive: true });
      fs.mkdirSync(path('to'));
      fs.writeFileSync(path(`from/${long}`), Buffer.alloc(3000, 'long'), { mode: 0o755 });
      fs.linkSync(path(`from/${long}`), path('from/zz'));
      fs.utimesSync(path(`from/${long}`), 1_700_000_000.25, 1_700_000_000.25);
      for (const format of ['gnu', 'posix', 'ustar']) {
        const names = format === 'ustar' ? ['./zz'] : [`./${long}`, './zz'];
        const sizes = [1, 511, 512, 4096];
        for (const size of sizes) {
          const { stdout } = await unpack(tar(`--format=${format}`, ...names), size);
          assert.equal(stdout, names.map((name) => `${name}\0`).join(''));
          for (const name of names) {
            const stat = fs.statSync(path(`to/staging/${name}`));
            assert.deepEqual([stat.size, stat.mode & 0o777], [3000, 0o755]);
            assert.equal(stat.mtimeMs, format === 'posix' ? 1_700_000_000_250 : 1_700_000_000_000);
          }
          await writing.discard(at('to'), 'staging');
        }
      }
    });

    it('come from no archive that leads out, has links, is damaged or cut off', async () => {
      fs.mkdirSync(path('from/sub'), { recursive: true });
      fs.mkdirSync(path('to'));
      fs.writeFileSync(path('from/f'), 'content');
      fs.symlinkSync('/etc', path('from/link'));
      await refuses(unpack(tar('-P', './sub/../f')), /leads out of the folder/);
      await refuses(unpack(tar('-P', path('from/f'))), /leads out of the folder/);
      await refuses(unpack(tar('./link')), /not a file or folder/);
      await refuses(unpack(tar('./f').subarray(0, 600)), /not complete/);
      const damaged = tar('./f');
      damaged[3] = 120;
      await refuses(unpack(damaged), /damaged/);
      await assert.rejects(unpack(Buffer.concat([tar('./f').subarray(0, 1024), tar('./f')])), {
        message: /EEXIST/,
      });
      assert.deepEqual(fs.readdirSync(path('to')), [], 'nothing is left');
    });

    it('go to no folder whose place a link has taken', async () => {
      swapped();
      const before = victim();
      fs.mkdirSync(path('root/staging/sub'), { recursive: true });
      for (const name of ['f', 'new']) fs.writeFileSync(path(`root/staging/sub/${name}`), 'other');
      const items = { links: [['sub/l', 'x'] as const], tops: ['sub/f', 'sub/new', 'sub/l'] };
      const messages = await writing.putInPlace(at('root'), 'staging', items);
      assert.equal(messages.split('\n').length, 3);
      fs.writeFileSync(path('root/p.part'), 'whole');
      const why = await writing.placePart(at('root'), 'p.part', { name: 'sub/f', entry });
      assert.match(why ?? '', /a link took its place|is not a folder/);
      const changes = {
        folders: [['sub', entry] as const],
        modes: [['sub/f', entry] as const],
        extra: ['sub/f'],
      };
      assert.equal((await writing.complete(at('root'), changes)).split('\n').length, 3);
      await writing.makeFolders(at('root'), ['sub/made']);
      await assert.rejects(writing.unpack(at('root/sub'), 'staging')(pieces(tarEnd), never));
      await assert.rejects(writing.makeFolders(at('root/sub'), ['made']));
      assert.deepEqual(victim(), before);
    });

    it('replace a link, and are never written through it', async () => {
      fs.mkdirSync(path('root/staging'), { recursive: true });
      fs.writeFileSync(path('victim'), 'SECRET');
      for (const name of ['f', 'g', 'p-0.part']) fs.symlinkSync('../victim', path(`root/${name}`));
      fs.writeFileSync(path('root/staging/f'), 'new');
      const items = { links: [], tops: ['f'] };
      assert.equal(await writing.putInPlace(at('root'), 'staging', items), '');
      const file = { blocks: 0, sizeBytes: 5 };
      const written = await writing.writePart(
        at('root'),
        'p-0.part',
        file,
      )(pieces(Buffer.from('large'), 2), never);
      assert.equal(written.code, 0);
      assert.equal(
        await writing.placePart(at('root'), 'p-0.part', { name: 'g', entry }),
        undefined,
      );
      assert.equal(fs.readFileSync(path('victim'), 'utf8'), 'SECRET');
      assert.equal(fs.readFileSync(path('root/f'), 'utf8'), 'new');
      const stat = fs.lstatSync(path('root/g'));
      assert.deepEqual([stat.isFile(), stat.mode & 0o777, stat.size], [true, 0o640, 5]);
      assert.deepEqual(fs.readdirSync(path('root')).sort(), ['f', 'g']);
    });

    it('remember which folder was opened', () => {
      fs.mkdirSync(path('root/sub'), { recursive: true });
      using open = new OpenFolder(system, path('root/sub'));
      swapped();
      fs.writeFileSync(path('root/away/f'), 'inside');
      const read = (): string => {
        const file = open.open('f');
        const text = fs.readFileSync(file, 'utf8');
        fs.closeSync(file);
        return text;
      };
      if (system.descriptors === undefined) assert.throws(read, { reason: 'denied' });
      else assert.equal(read(), 'inside');
    });
  });

const tarEnd = Buffer.alloc(1024);
