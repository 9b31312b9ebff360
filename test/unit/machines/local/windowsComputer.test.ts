/** This computer, if it runs Windows: paths, files, and no commands. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { describe, it } from 'mocha';
import type { SessionId } from '../../../../src/base/ids.ts';
import { absolutePath, isInFolder } from '../../../../src/machines/absolutePath.ts';
import { confinedMachine } from '../../../../src/machines/confinement/confinedMachine.ts';
import { checkCommandsRun, onlyMachine } from '../../../../src/machines/filesOnly.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { createLocal } from '../../../../src/machines/local/windowsComputer.ts';
import { MachineFailure } from '../../../../src/machines/machine.ts';
import { pathFacts, realPath } from '../../../../src/machines/realPath.ts';
import { hostPath, WindowsDrive } from '../../../fakes/windowsDrive.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

const place = { path: win32, workFolder: 'C:\\proj', homeFolder: 'C:\\Users\\ada' };

describe('paths of this computer, if it runs Windows', () => {
  const right: Readonly<Record<string, string>> = {
    'train.py': 'C:\\proj\\train.py',
    'C:\\x\\y': 'C:\\x\\y',
    'c:/x/y': 'c:\\x\\y',
    'D:\\data': 'D:\\data',
    '~': 'C:\\Users\\ada',
    '~/x': 'C:\\Users\\ada\\x',
    '~\\x': 'C:\\Users\\ada\\x',
    '/x': 'C:\\x',
    '\\x': 'C:\\x',
    'a/b': 'C:\\proj\\a\\b',
    'a\\b': 'C:\\proj\\a\\b',
    '..\\x': 'C:\\x',
    '../../x': 'C:\\x',
    '.': 'C:\\proj',
    'console.log': 'C:\\proj\\console.log',
  };
  for (const [given, path] of Object.entries(right))
    it(`reads ${given} as ${path}`, () => assert.equal(absolutePath(place, given), path));

  const wrong: Readonly<Record<string, RegExp>> = {
    'C:x': /Cannot use C:x: it starts in the current folder of a drive\. Write a backslash/,
    'D:': /current folder of a drive/,
    '\\\\server\\share\\x': /it is on a network share\. Map the share to a drive/,
    '//server/share/x': /network share/,
    '\\\\?\\C:\\proj\\x': /it names a device\. Use a path that begins with a drive/,
    '//./PhysicalDrive0': /it names a device/,
    'train.py:hidden': /it names a stream of a file\. Leave out the colon/,
    'C:\\proj\\.env::$DATA': /stream/,
    'id_rsa.': /ends with a dot or a blank, which Windows ignores/,
    'a \\b': /ends with a dot or a blank/,
    nul: /it names a device\. Use another name/,
    'a\\Com1.txt': /it names a device/,
  };
  for (const [given, why] of Object.entries(wrong))
    it(`refuses ${given}`, () =>
      assert.throws(
        () => absolutePath(place, given),
        (error) =>
          error instanceof MachineFailure && error.reason === 'denied' && why.test(error.message),
      ));

  it('are used on a network share if the working folder is there', () => {
    const shared = { ...place, workFolder: '\\\\wsl$\\Ubuntu\\home\\ada\\proj' };
    assert.equal(absolutePath(shared, 'a/b'), '\\\\wsl$\\Ubuntu\\home\\ada\\proj\\a\\b');
    assert.throws(() => absolutePath(shared, '\\\\server\\share\\x'), /network share/);
  });

  it('are in a folder whatever their case is, and only there', () => {
    const inside = (folder: string, path: string) => isInFolder(win32, folder, path);
    assert.ok(inside('C:\\proj', 'c:\\PROJ\\a'));
    assert.ok(inside('C:\\proj', 'C:\\proj'));
    assert.ok(inside('C:\\', 'C:\\a'));
    assert.ok(inside('C:\\proj', 'C:\\proj\\..a'));
    assert.ok(!inside('C:\\proj', 'C:\\project'));
    assert.ok(!inside('C:\\proj', 'C:\\'));
    assert.ok(!inside('C:\\proj', 'D:\\proj\\a'));
    assert.ok(!isInFolder(posix, '/proj', '/PROJ/a'));
    assert.ok(isInFolder(posix, '/', '/proj'));
    assert.ok(isInFolder(posix, '/proj', '/proj/..\\a'));
  });
});

describe('this computer, if it runs Windows', () => {
  const folder = scratchFolder();
  const write = (path: string, text = ''): void => {
    const file = hostPath(folder(), path);
    mkdirSync(posix.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const drive = (): WindowsDrive => new WindowsDrive(folder());

  it('refuses every command, with what to do', async () => {
    const machine = createLocal({ runsFolder: '/r', workFolder: '/', platform: 'win32' });
    const confined = confinedMachine(machine, {
      network: 'all',
      writable: [],
      sessionId: 's-1' as SessionId,
    });
    const calls = [
      machine.exec('true'),
      machine.query('true'),
      machine.stream('true', { onStdout: () => undefined }),
      machine.spawnDetached(['true'], { cwd: '/', env: {} }),
      confined.exec('true'),
    ];
    for (const result of await Promise.allSettled(calls))
      assert.equal(
        result.status === 'rejected' && String(result.reason),
        'Error: Nothing was run: commands cannot run on Windows itself. Use WSL, an SSH host or a container.',
      );
    assert.equal(await machine.describe(), 'Windows: use WSL, SSH or a container');
    assert.deepEqual([machine.path, confined.path], [win32, win32]);
    assert.equal(confined.filesOnly, machine.filesOnly);
  });

  it('is an ordinary machine elsewhere', () => {
    const machine = createLocal({ runsFolder: '/r', workFolder: '/', platform: 'darwin' });
    assert.deepEqual([machine.path, machine.filesOnly], [posix, undefined]);
  });

  it('reads, writes, appends, stats and follows files', async () => {
    const machine = createLocal({ runsFolder: '/r', workFolder: folder(), platform: 'win32' });
    const file = `${folder()}/a/b.txt`;
    await machine.writeFile(file, Buffer.from('one'));
    await machine.appendFile(file, Buffer.from(' two'));
    assert.equal(Buffer.from(await machine.readFile(file)).toString(), 'one two');
    assert.equal((await machine.stat(file))?.sizeBytes, 7);
    const chunks: string[] = [];
    const following = machine.follow(file, 4, {
      onBytes: (bytes) => void chunks.push(Buffer.from(bytes).toString()),
      onChange: () => undefined,
      onError: (error) => assert.fail(error),
    });
    await following.drain();
    following.dispose();
    assert.deepEqual(chunks, ['two']);
    assert.equal(readFileSync(file, 'utf8'), 'one two');
  });

  it('resolves links and the case of names, also of a path that does not exist yet', async () => {
    write('C:\\proj\\Train.py');
    write('C:\\data\\x');
    symlinkSync(hostPath(folder(), 'C:\\data'), hostPath(folder(), 'C:\\proj\\link'));
    symlinkSync(hostPath(folder(), 'C:\\data\\new'), hostPath(folder(), 'C:\\proj\\dangling'));
    const real = (path: string) => realPath(drive(), path);
    assert.equal(await real('c:\\PROJ\\train.py'), 'C:\\proj\\Train.py');
    assert.equal(await real('C:\\proj\\link\\x'), 'C:\\data\\x');
    assert.equal(await real('C:\\proj\\LINK\\a\\b'), 'C:\\data\\a\\b');
    assert.equal(await real('C:\\proj\\dangling'), 'C:\\data\\new');
    assert.equal(await real('C:\\proj\\a\\b'), 'C:\\proj\\a\\b');
    await assert.rejects(real('E:\\x'), /Cannot resolve E:\\x: there is no E:\\/);
  });

  it('refuses a link that leads to itself', async () => {
    write('C:\\proj\\x');
    const link = hostPath(folder(), 'C:\\proj\\loop');
    symlinkSync(link, link);
    await assert.rejects(realPath(drive(), 'C:\\proj\\loop'), /Cannot resolve/);
  });

  it('tells folders, files, keys and nothing apart', async () => {
    write('C:\\proj\\a');
    write('C:\\proj\\key', '-----BEGIN OPENSSH PRIVATE KEY-----\n');
    const paths = ['', '\\a', '\\key', '\\none'].map((name) => `C:\\proj${name}`);
    const facts = await pathFacts(drive(), paths);
    assert.deepEqual(
      facts.map(({ kind }) => kind),
      ['folder', 'file', 'key', 'missing'],
    );
    assert.equal(facts[3]?.real, 'C:\\proj\\none');
  });

  it('lists names, with a slash after folders', async () => {
    write('C:\\proj\\b');
    write('C:\\proj\\a\\c');
    assert.deepEqual(await drive().filesOnly.namesIn('C:\\PROJ'), ['a/', 'b']);
    await assert.rejects(drive().filesOnly.namesIn('C:\\none'), /Cannot read C:\\none/);
  });

  it('is no machine for a goal, unless another one is there', () => {
    const gpu1 = Object.assign(new LocalMachine({ runsFolder: '/r', workFolder: '/' }), {
      id: 'gpu1' as const,
    });
    const gpu2 = { id: 'gpu2' };
    assert.throws(() => checkCommandsRun([drive()]), { reason: 'no_machine' });
    checkCommandsRun([drive(), gpu1]);
    assert.equal(onlyMachine([drive(), gpu1]), 'gpu1');
    assert.equal(onlyMachine([drive(), gpu1, gpu2]), undefined);
    assert.equal(onlyMachine([gpu1, gpu2]), undefined);
    assert.equal(onlyMachine([gpu1]), undefined);
    assert.equal(onlyMachine([drive()]), undefined);
  });
});
