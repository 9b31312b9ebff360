import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { makeKey, TestSshd } from '../fakes/sshd.ts';
import { installedPackage, startVsCode, type VsCode } from '../setup/codeServer.ts';
import { repositoryRoot } from '../setup/paths.ts';
import { Workbench } from './workbench.ts';

/**
 * What a user does with a machine: one window, one real SSH server, each step where the last one
 * ended.
 */
describe('a machine in the hands of a user', () => {
  let folder: string;
  let sshd: TestSshd;
  let vscode: VsCode;
  let workbench: Workbench;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-'));
    await cp(join(repositoryRoot, 'media/demo'), folder, { recursive: true });
    sshd = await TestSshd.start();
    vscode = await startVsCode({
      folder,
      otherExtensions: [await installedPackage()],
      settings: { 'helios.permissions.mode': 'allow', 'helios.model.provider': 'demo' },
    });
    workbench = await Workbench.open(vscode);
    await workbench.openContainer('Helios');
  });

  after(async () => {
    await workbench?.close();
    await vscode?.dispose();
    await sshd?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const gpu1 = async (): Promise<string> => {
    const rows = await workbench.treeRows('Machines');
    return rows.find(({ label }) => label === 'gpu1')?.description ?? '';
  };
  const gpu1Matching = (pattern: RegExp): Promise<string> =>
    workbench.eventually(gpu1, (text) => pattern.test(text));

  it('is offered where there is only this computer', async () => {
    await workbench.eventually(
      () => workbench.treeRows('Machines'),
      (rows) => rows.some(({ label }) => label === 'Add Machine…'),
    );
    await workbench.picture('machines-empty');
  });

  it('is added by its address and key, once its host key was trusted', async () => {
    await workbench.clickRow('Machines', 'Add Machine…', 'Helios: Add Machine');
    await workbench.typeEntry(`${userInfo().username}@127.0.0.1:${sshd.port}`);
    await workbench.picture('machines-add');
    await workbench.acceptEntry();
    await workbench.inputTitled('Login Method');
    await workbench.picture('machines-login');
    await workbench.pick('Key File…');
    await workbench.inputTitled('Private Key');
    await workbench.typeEntry(join(sshd.folder, 'key'));
    await workbench.acceptEntry();
    await workbench.inputTitled('Machine Name');
    await workbench.answerInput('gpu1');
    const question = await workbench.notificationMatching(/is not known yet/);
    assert.ok(question.includes(`[127.0.0.1]:${sshd.port}`), question);
    assert.ok(question.includes(fingerprintOf(sshd)), question);
    await workbench.picture('machines-host-key');
    await workbench.pressNotificationButton('Trust and Connect');
    await workbench.notificationMatching(/Connected to gpu1/);
    await gpu1Matching(/^ssh · (CPU|load|GPU|\d)/);
    await workbench.picture('machines-connected');
  });

  it('runs the demo, and shows its runs and its load', async () => {
    await workbench.pictureTheme('dark');
    await workbench.sendChat('@helios bring val_loss below 2.8 on gpu1');
    await gpu1Matching(/^ssh · 1 run · /);
    await workbench.eventually(
      () => workbench.treeRows('Machines'),
      (rows) => rows.some(({ description, level }) => /^run 1\b/.test(description) && level === 2),
    );
    await workbench.picture('machines-running-dark');
    // The chat may have let go while the session slept.
    await workbench.eventually(
      () => workbench.treeRows('Experiments'),
      (rows) => rows.some(({ description }) => description.includes('Goal met')),
      120_000,
    );
    await gpu1Matching(/^ssh · (?!\d+ run)/);
    await workbench.pictureTheme('light');
    await workbench.picture('machines-met-light');
    assert.match(await readFile(join(sshd.folder, 'home/helios-demo/train.py'), 'utf8'), /--lr/);
  });

  /** An editor that takes the focus late closes a list while it is clicked: then asks again. */
  async function removeGpu1(): Promise<void> {
    const isGone = (rows: readonly { label: string }[]): boolean =>
      rows.every(({ label }) => label !== 'gpu1');
    for (let attempt = 1; ; attempt += 1) {
      await workbench.commandThenPick('Helios: Remove Machine', 'gpu1');
      await workbench.pick('Remove gpu1');
      const removed = workbench.eventually(() => workbench.treeRows('Machines'), isGone, 20_000);
      if (attempt === 3) return void (await removed);
      const isRemoved = await removed.then(
        () => true,
        () => false,
      );
      if (isRemoved) return;
    }
  }

  it('is refused when its key is another, and is taken off the list', async () => {
    await sshd.stop();
    for (const file of ['host_key', 'host_key.pub']) await rm(join(sshd.folder, file));
    makeKey(join(sshd.folder, 'host_key'));
    await sshd.start();
    await workbench.command('Helios: Test Machine');
    await workbench.pick('gpu1');
    await workbench.notificationMatching(/Could not connect to gpu1: .*key/);
    await workbench.picture('machines-refused');
    await workbench.pressNotificationButton('Edit machines.json');
    await workbench.page.locator('.editor-instance').getByText('"gpu1"').waitFor();
    await workbench.picture('machines-file');
    await removeGpu1();
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});

function fingerprintOf({ folder }: TestSshd): string {
  const line = execFileSync('ssh-keygen', ['-lf', join(folder, 'host_key.pub')], {
    encoding: 'utf8',
  });
  return line.split(' ')[1] ?? '';
}
