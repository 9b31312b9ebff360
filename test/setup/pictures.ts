/**
 * Takes the README's pictures from a real session of the offline demo in a real window: `npm run
 * pictures`.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { Workbench } from '../e2e/workbench.ts';
import { TestSshd } from '../fakes/sshd.ts';
import { startVsCode } from './codeServer.ts';
import { packagePath, repositoryRoot } from './paths.ts';

const nowhere = 'http://127.0.0.1:9';
const pictures = join(repositoryRoot, '.github/pictures');
const folder = join(await mkdtemp(join(tmpdir(), 'pictures-')), 'demo');
await cp(join(repositoryRoot, 'media/demo'), folder, { recursive: true });
const goal = (await readFile(join(folder, 'goal.txt'), 'utf8')).trim();
const vscode = await startVsCode({
  folder,
  extensionVsix: packagePath,
  settings: {
    'helios.permissions.mode': 'allow',
    'helios.model.provider': 'demo',
    'window.commandCenter': false,
  },
  // Keys that nobody takes: the lists are those that come with Helios.
  env: {
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: nowhere,
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: nowhere,
  },
});
const sshd = await TestSshd.start();
const workbench = await Workbench.open(vscode, { width: 1680, height: 1000 });
/** In a window that something else has changed, the chat stays where it was. */
const scrollChatDown = async (): Promise<void> => {
  const down = workbench.page.locator('.chat-scroll-down');
  if (await down.isVisible()) await down.click();
  await workbench.page.mouse.move(900, 5);
};
const take = async (name: string): Promise<void> => {
  await mkdir(pictures, { recursive: true });
  await scrollChatDown();
  await workbench.page.screenshot({ path: join(pictures, `${name}.png`) });
};

try {
  await workbench.openContainer('Helios');
  await workbench.sendChat(`@helios ${goal}`);
  await workbench.chatMatching(/run 1/i);
  await workbench.setTheme('dark');
  await workbench.command('Helios: Show Metrics');
  await workbench.chatMatching(/run 6/i, 300_000);
  await workbench.page.waitForTimeout(8_000);
  await take('running-dark');
  await workbench.setTheme('light');
  await workbench.page.waitForTimeout(1_000);
  await take('running-light');
  await workbench.setTheme('dark');
  // The chat lets go of a session that sleeps for long, as on a busy machine.
  await workbench.eventually(
    () => workbench.treeRows('Experiments'),
    (rows) => rows.some(({ description }) => description.includes('Goal met')),
    300_000,
  );
  await workbench.page.waitForTimeout(1_000);
  await take('goal-met-dark');
  await takeSession();
  await takeModels();
  await takeMachines();
} catch (error) {
  await workbench.screenshot('failed-pictures');
  throw error;
} finally {
  await workbench.close();
  await vscode.dispose();
  await sshd.dispose();
  await rm(join(folder, '..'), { recursive: true, force: true });
}

/** The same goal on a machine that is reached by SSH. */
async function takeMachines(): Promise<void> {
  const reached = {
    host: '127.0.0.1',
    port: sshd.port,
    user: userInfo().username,
    keyPath: join(sshd.folder, 'key'),
  };
  const machines = [{ id: 'gpu1', kind: 'ssh', ...reached, slots: 2 }];
  const sshFolder = join(dirname(vscode.heliosHome), '.ssh');
  await mkdir(sshFolder, { recursive: true });
  await cp(sshd.knownHosts, join(sshFolder, 'known_hosts'));
  await writeFile(
    join(vscode.heliosHome, 'machines.json'),
    JSON.stringify({ version: 1, machines }),
  );
  await workbench.page.setViewportSize({ width: 1440, height: 760 });
  await workbench.command('View: Close All Editors');
  await workbench.widenSideBar(480);
  await workbench.page.locator('.pane-header[aria-label^="Inbox Section"]').click();
  // Its many runs would leave no room for those of the other.
  await workbench.treeRow('Machines', 'local').click();
  await workbench.eventually(
    () => workbench.treeRows('Machines'),
    (rows) => !rows.some(({ description }) => /^run \d/.test(description)),
  );
  await workbench.sendChat('@helios /new bring val_loss below 1.94 on gpu1');
  // The shell of a machine that was never used comes first.
  await workbench.treeRow('Machines', 'Run 1').click({ timeout: 300_000 });
  await (await workbench.webview('canvas')).locator('canvas').first().waitFor();
  await workbench.eventually(
    () => workbench.treeRow('Machines', 'gpu1').innerText(),
    (text) => /2\/2 slots .*CPU/s.test(text),
    300_000,
  );
  await workbench.page.waitForTimeout(1_000);
  await take('machines');
}

/** The night, step by step. */
async function takeSession(): Promise<void> {
  await workbench.command('View: Close All Editors');
  await workbench.command('Helios: Open Session');
  const view = await workbench.webview('.session .row');
  await view.locator('.list').focus();
  for (const _turn of [1, 2, 3, 4]) await workbench.page.keyboard.press('p');
  await workbench.page.waitForTimeout(1_000);
  await take('session');
}

/** What the session ran on, what it cost, and what else there is to choose from. */
async function takeModels(): Promise<void> {
  await workbench.command('View: Close All Editors');
  await workbench.page.setViewportSize({ width: 1440, height: 760 });
  await workbench.sendChat('@helios /status');
  await workbench.sendChat('@helios /model claude-opus-5-5');
  await workbench.chatMatching(/claude-opus-5-5/);
  await workbench.command('Helios: Select Model');
  await workbench.inputTitled('Helios: Select Model');
  await workbench.page.waitForTimeout(1_000);
  await take('models');
}
