/** File tools on this computer, if it runs Windows. */
import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, posix } from 'node:path';
import { describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { ToolFailure } from '../../../src/base/errors.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import { createLocal } from '../../../src/machines/local/windowsComputer.ts';
import type { Machine, Machines } from '../../../src/machines/machine.ts';
import { builtInMandate } from '../../../src/permissions/mandate/mandate.ts';
import { PathRules } from '../../../src/permissions/pathRules.ts';
import { patchFile } from '../../../src/tools/files/patchFile.ts';
import { readFile } from '../../../src/tools/files/readFile.ts';
import { writeFile } from '../../../src/tools/files/writeFile.ts';
import { listMachines } from '../../../src/tools/machines/listMachines.ts';
import { remoteDownload } from '../../../src/tools/machines/remoteDownload.ts';
import { remoteUpload } from '../../../src/tools/machines/remoteUpload.ts';
import { commandAccess, readAccess, writeAccess } from '../../../src/tools/parameters/accesses.ts';
import { approvedFolder } from '../../../src/tools/parameters/approvedFolder.ts';
import { accessVerdict } from '../../../src/tools/parameters/commandVerdict.ts';
import { machineMandate, outsideMandate } from '../../../src/tools/parameters/mandateCoverage.ts';
import { hostPath, WindowsDrive } from '../../fakes/windowsDrive.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { standIn } from '../../fakes/scriptedMachine.ts';
import { answer, call } from './machineTools.harness.ts';

describe('file tools on this computer, if it runs Windows', () => {
  const folder = scratchFolder();
  const onDisk = (path: string): string => hostPath(folder(), path);
  const write = (path: string, text = ''): void => {
    mkdirSync(posix.dirname(onDisk(path)), { recursive: true });
    writeFileSync(onDisk(path), text);
  };
  const bed = () => {
    const machine = new WindowsDrive(folder());
    return { machine, machines: createMachines([machine]) };
  };

  it('read a file by a relative path, by its drive, and by another case', async () => {
    write('C:\\proj\\train.py', 'lr = 1\n');
    for (const path of ['train.py', 'C:\\proj\\train.py', 'c:/PROJ/Train.py', '..\\proj\\train.py'])
      assert.equal((await answer(readFile(bed()), { path }))['content'], 'lr = 1');
  });

  it('list a folder', async () => {
    write('C:\\proj\\src\\a.py');
    write('C:\\proj\\train.py');
    const { entries, folder: listed } = await answer(readFile(bed()), { path: '.' });
    assert.deepEqual([listed, entries], ['C:\\proj', ['src/', 'train.py']]);
  });

  it('write and patch a file', async () => {
    write('C:\\proj\\train.py', 'lr = 1\n');
    const written = await answer(writeFile(bed()), { path: 'new\\a.txt', content: 'x\n' });
    assert.equal(written['written'], 'C:\\proj\\new\\a.txt');
    assert.equal(readFileSync(onDisk('C:\\proj\\new\\a.txt'), 'utf8'), 'x\n');
    await call(patchFile(bed()), { path: 'train.py', old_str: 'lr = 1', new_str: 'lr = 2' });
    assert.equal(readFileSync(onDisk('C:\\proj\\train.py'), 'utf8'), 'lr = 2\n');
  });

  it('say what is wrong with a path that they do not use', async () => {
    for (const path of ['\\\\server\\share\\x', 'C:x', 'a:b', 'nul'])
      await assert.rejects(
        call(readFile(bed()), { path }),
        (error) => error instanceof ToolFailure && error.message.startsWith(`Cannot use ${path}: `),
      );
  });

  it('judge keys by the real path, whatever its case and the way to it', async () => {
    write('C:\\Users\\ada\\.ssh\\id_rsa', 'secret');
    write('C:\\proj\\.env', 'KEY=1');
    symlinkSync(onDisk('C:\\Users\\ada\\.ssh'), onDisk('C:\\proj\\docs'));
    for (const path of ['~\\.ssh\\id_rsa', 'C:\\USERS\\ADA\\.SSH\\ID_RSA', 'docs\\id_rsa'])
      await assert.rejects(
        call(readFile(bed()), { path }),
        /is a private key, which no call may use/,
      );
    const rules = new PathRules(['C:\\Users\\ada\\.helios']);
    assert.equal(rules.useOf('C:\\proj\\.ENV')?.verdict, 'ask');
    assert.equal(rules.useOf('c:\\users\\ada\\.helios\\auth\\x')?.verdict, 'deny');
    assert.equal(rules.useOf('C:\\proj\\train.py'), undefined);
    assert.deepEqual(
      rules
        .keysBelow('C:\\Users\\ada', 'C:\\Users\\ada')
        .filter((path) => /\.ssh\/id_rsa$|\.helios\/auth$/.test(path)),
      ['C:/Users/ada/.ssh/id_rsa', 'C:/Users/ada/.helios/auth'],
    );
    const startup =
      'C:\\Users\\ada\\AppData\\Roaming\\Microsoft\\Windows\\Start Menu\\Programs\\Startup\\x.cmd';
    assert.equal(rules.useOf(startup, 'write')?.verdict, 'deny');
  });

  it('do not write through a link out of the working folder without an approval', async () => {
    write('C:\\data\\x', 'mine');
    write('C:\\proj\\a');
    symlinkSync(onDisk('C:\\data'), onDisk('C:\\proj\\link'));
    const { machines } = bed();
    assert.deepEqual(await writeAccess(machines, { machineId: 'local', path: 'LINK\\x' }), {
      kind: 'write',
      machineId: 'local',
      path: 'C:\\data\\x',
      linkPath: 'C:\\proj\\LINK\\x',
    });
    assert.deepEqual(await writeAccess(machines, { machineId: 'local', path: 'c:\\PROJ\\b' }), {
      kind: 'write',
      machineId: 'local',
      path: 'c:\\PROJ\\b',
    });
  });

  it('are covered by the mandate in its folders, whatever the case', async () => {
    write('C:\\proj\\a');
    write('D:\\data\\x');
    const { machine, machines } = bed();
    const mandate = { ...builtInMandate, folders: ['.', '/tmp', 'D:\\Data', 'gpu1:/data'] };
    const inForce = { mandate, isGitGuarded: true };
    const outside = async (path: string) =>
      outsideMandate(
        machines,
        { accesses: [await writeAccess(machines, { machineId: 'local', path })] },
        inForce,
      );
    assert.equal(await outside('C:\\PROJ\\b'), undefined);
    assert.equal(await outside('d:\\data\\new\\y'), undefined);
    assert.match((await outside('C:\\tmp\\x')) ?? '', /it writes C:\\tmp\\x/);
    assert.match((await outside('C:\\project\\x')) ?? '', /it writes/);
    const { folders } = (await machineMandate(machine, inForce)) ?? {};
    assert.ok(folders?.includes('D:\\data'));
    const read = await readAccess(machines, { machineId: 'local', path: 'C:\\PROJ\\A' });
    assert.ok('path' in read && read.kind === 'read');
    assert.equal(await approvedFolder(machines, read), 'C:\\proj');
  });

  it('leave commands to other machines: they are refused in every mode', async () => {
    const { machines } = bed();
    const verdict = await accessVerdict(machines, commandAccess('local', 'python train.py'));
    assert.deepEqual(
      [verdict.kind, verdict.reason],
      ['deny', 'cannot run on Windows itself: use WSL, an SSH host or a container'],
    );
  });

  describe('with another machine', () => {
    /** This computer with its own paths, where no command can run. */
    const withoutCommands = (): Machine => {
      const options = { runsFolder: '/nowhere/runs', workFolder: folder() };
      const local = createLocal({ ...options, platform: 'win32' });
      const realPath = (path: string) =>
        Promise.resolve(join(realpathSync(posix.dirname(path)), posix.basename(path)));
      const filesOnly = { ...(local.filesOnly ?? assert.fail()), realPath };
      return Object.assign(local, { path: posix, homeFolder: '/nowhere', filesOnly });
    };
    const machines = (): Machines => {
      mkdirSync(join(folder(), 'gpu1'), { recursive: true });
      const gpu1 = standIn({ id: 'gpu1', kind: 'ssh', host: 'gpu1' }, join(folder(), 'gpu1'));
      return createMachines([withoutCommands(), gpu1]);
    };
    const upload = () => remoteUpload({ machines: machines() });
    const to = { machine_id: 'gpu1', remote_path: 'sent' };
    const key = `sk-proj-${'aB3dE5gH7jK9mN1pQ2rS'.repeat(2)}`;
    const put = (name: string, text: string): void => {
      const file = join(folder(), 'code', name);
      mkdirSync(posix.dirname(file), { recursive: true });
      writeFileSync(file, text);
    };

    it('are sent without those that contain secrets', async () => {
      put('train.py', 'lr = 1\n');
      put('sub dir/client.py', `client = Client("${key}")\r\n`);
      put('sub dir/weights.pt', key);
      put('.git/config', key);
      put('.ENV', 'A=1\n');
      put('large.txt', `${key}\n${'x'.repeat(2 ** 21)}`);
      const sent = await answer(upload(), { ...to, local_path: 'code' });
      assert.deepEqual(readdirSync(join(folder(), 'gpu1/sent'), { recursive: true }).toSorted(), [
        'large.txt',
        'sub dir',
        'sub dir/weights.pt',
        'train.py',
      ]);
      assert.deepEqual((sent['secrets_not_sent'] as string[]).toSorted(), [
        '.ENV has the name of a secret',
        'sub dir/client.py seems to contain a secret',
      ]);
    });

    it('are sent alone, unless they contain secrets', async () => {
      put('train.py', 'lr = 1\n');
      put('client.py', `client = Client("${key}")\n`);
      await answer(upload(), { ...to, local_path: 'code/train.py' });
      assert.equal(readFileSync(join(folder(), 'gpu1/sent'), 'utf8'), 'lr = 1\n');
      await assert.rejects(
        call(upload(), { ...to, local_path: 'code/client.py' }),
        /Not sent: .*client\.py seems to contain a secret\. Secrets stay where/,
      );
    });

    it('are fetched', async () => {
      const here = machines();
      writeFileSync(join(folder(), 'gpu1/loss.csv'), 'loss\n0.1\n');
      const from = { machine_id: 'gpu1', remote_path: 'loss.csv' };
      await answer(remoteDownload({ machines: here }), { ...from, local_path: 'fetched.csv' });
      assert.equal(readFileSync(join(folder(), 'fetched.csv'), 'utf8'), 'loss\n0.1\n');
    });
  });

  it('list this computer with what runs commands instead', async () => {
    const { machines } = bed();
    const listed = await answer(
      listMachines({ machines, runs: { all: () => [] }, clock: systemClock }),
      {},
    );
    const [local] = listed['machines'] as Record<string, unknown>[];
    assert.equal(local?.['description'], 'Windows: use WSL, SSH or a container');
  });
});
