/** Takes the README's pictures from a real session of the offline demo in a real window: `npm run pictures`. */
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Workbench } from '../e2e/workbench.ts';
import { startVsCode } from './codeServer.ts';
import { packagePath, repositoryRoot } from './paths.ts';

const pictures = join(repositoryRoot, '.github/pictures');
const folder = join(await mkdtemp(join(tmpdir(), 'pictures-')), 'demo');
await cp(join(repositoryRoot, 'media/demo'), folder, { recursive: true });
const goal = (await readFile(join(folder, 'goal.txt'), 'utf8')).trim();
const vscode = await startVsCode({
  folder,
  extensionVsix: packagePath,
  settings: { 'helios.permissions.mode': 'allow', 'helios.model.provider': 'demo', 'window.commandCenter': false },
});
const workbench = await Workbench.open(vscode, { width: 1680, height: 1000 });
const take = async (name: string): Promise<void> => {
  await mkdir(pictures, { recursive: true });
  await workbench.page.screenshot({ path: join(pictures, `${name}.png`) });
};

try {
  await workbench.openContainer('Helios');
  await workbench.sendChat(`@helios ${goal}`);
  await workbench.chatMatching(/run 1/i);
  await workbench.setTheme('dark');
  await workbench.command('Helios: Show Metrics');
  await workbench.chatMatching(/run 6/i, 300_000);
  await workbench.eventually(
    () => Promise.resolve(performance.now()),
    (now) => now > 0,
  );
  await workbench.page.waitForTimeout(8_000);
  await take('running-dark');
  await workbench.setTheme('light');
  await workbench.page.waitForTimeout(1_000);
  await take('running-light');
  await workbench.setTheme('dark');
  await workbench.chatMatching(/goal met/i, 300_000);
  await workbench.page.waitForTimeout(1_000);
  await take('goal-met-dark');
} finally {
  await workbench.close();
  await vscode.dispose();
  await rm(join(folder, '..'), { recursive: true, force: true });
}
