import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { SessionId } from '../../src/base/ids.ts';
import { homeAt } from '../../src/storage/home.ts';
import { GitRepo } from '../fakes/gitRepo.ts';
import { Night } from '../fakes/nights.ts';
import type { WireAnswer, WireServer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { installedPackage, startVsCode, type VsCode } from '../setup/codeServer.ts';
import { Workbench } from './workbench.ts';

const dayMs = 86_400_000;
/**
 * Reads its rate from a file of the repository, so that another experiment is another state of the
 * code.
 */
const training =
  'rate=$(cat rate.txt)\nawk -v rate="$rate" \'BEGIN { loss = 4; for (i = 1; i <= 40; i++) { loss *= 1 - rate; printf "step=%d loss=%.5f\\n", i, loss; fflush(); system("sleep 0.05") } }\'\n';

const call = (text: string, name: string, input: Record<string, unknown>): WireAnswer => ({
  text,
  toolCalls: [{ name, input }],
});
const launch = (label: string, hypothesis: string): WireAnswer =>
  call(`Trying ${label}.`, 'remote_exec_background', {
    ...{ command: 'sh train.sh', metric_names: ['loss'], label, hypothesis },
  });
const waitFor = (run: number): WireAnswer =>
  call(`Waiting for run ${run}.`, 'sleep', {
    ...{
      reason: `run ${run} trains`,
      wake_conditions: [{ type: 'process_exit', run }],
      deadline_minutes: 5,
    },
  });
const decide = (experiment: string, why: string): WireAnswer =>
  call('', 'exp_decide', { experiment, decision: 'keep', why });

/**
 * A night of two experiments: the first with the code as it is committed, the second with a change
 * of its own.
 */
const night: readonly WireAnswer[] = [
  launch('baseline', 'the rate of the paper is a start'),
  waitFor(1),
  decide('e1', 'It is what there is.'),
  call('A higher rate.', 'write_file', { path: 'rate.txt', content: '0.1\n' }),
  launch('higher rate', 'a rate of 0.1 learns faster'),
  waitFor(2),
  decide('e2', 'The loss is below that of e1.'),
  call('The goal is met.', 'finish', {
    ...{
      outcome: 'goal_met',
      summary: 'A rate of 0.1 meets it.',
      evidence: [{ run: '2', metric: 'loss' }],
    },
  }),
];
const rest = call('There is nothing to do yet.', 'sleep', {
  ...{
    reason: 'the data is being copied',
    wake_conditions: [{ type: 'timer', wake_after_seconds: 3_600 }],
  },
});

/** What a user does with what a night left: one window, each step where the last one ended. */
describe('a night in the hands of a user', () => {
  let root: string;
  let repo: GitRepo;
  let server: WireServer;
  let vscode: VsCode;
  let workbench: Workbench;
  let other: Workbench | undefined;
  let asked = 0;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'overnight-'));
    repo = GitRepo.create(join(root, 'project'), { 'train.sh': training, 'rate.txt': '0.05\n' });
    server = await startWireAnthropic(() => night[(asked += 1) - 1] ?? rest);
    vscode = await startVsCode({
      folder: repo.folder,
      otherExtensions: [await installedPackage()],
      settings: {
        'helios.permissions.mode': 'allow',
        'helios.session.resume': 'ask',
        // The chat lets go at once: who follows there is told nothing beside.
        'helios.chat.followMinutes': 0.02,
        'workbench.colorTheme': 'Dark 2026',
      },
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test-key' },
    });
    await leaveOldNight(vscode.heliosHome);
    workbench = await Workbench.open(vscode, { width: 1600, height: 1000 });
    await workbench.openContainer('Helios');
  });

  after(async () => {
    await other?.close();
    await workbench?.close();
    await vscode?.dispose();
    await server?.close();
    await rm(root, { recursive: true, force: true });
  });

  const rowMatching = (label: RegExp, description: RegExp, of = workbench): Promise<unknown> =>
    of.eventually(
      () => of.treeRows('Experiments'),
      (all) => all.some((row) => label.test(row.label) && description.test(row.description)),
    );
  const tabMatching = (pattern: RegExp): Promise<unknown> =>
    workbench.eventually(
      async () => ({
        tabs: await workbench.page.locator('.tab.active').allInnerTexts(),
        // Shown when it fails.
        toasts: await workbench.page.locator('.notification-toast').allInnerTexts(),
      }),
      ({ tabs }) => tabs.some((title) => pattern.test(title)),
    );

  it('finds the experiments of the goal, with what was decided and the champion', async () => {
    await workbench.command('Helios: Start Goal');
    await workbench.inputTitled('Helios: Start Goal (1/2)');
    await workbench.answerInput('bring loss < 0.1');
    await workbench.inputTitled('Helios: Start Goal (2/2)');
    await workbench.answerInput('$5');
    const toast = await workbench.notificationMatching(/Goal met/);
    assert.match(toast, /bring loss < 0\.1/);
    const chat = await workbench.chatMatching(/bring loss < 0\.1[\s\S]*Target: loss < 0\.1/);
    assert.doesNotMatch(chat, /\/follow/);
    await rowMatching(/^0\.51\d* · /, /^run 1 · .*experiment 1 · keep/);
    await rowMatching(/^0\.059\d* · /, /^run 2 · champion · .*experiment 2 · keep/);
    await workbench.picture('overnight-tree-dark');
  });

  it('opens the session from the notification of its end', async () => {
    await workbench.pressNotificationButton('Open Session');
    const view = await workbench.webview('.session .row');
    await workbench.eventually(
      () => view.locator('.list').innerText(),
      (text) => /Experiment 2/.test(text),
    );
    await workbench.picture('overnight-session-dark');
  });

  it('promotes the champion to a branch that is not checked out, and to a patch', async () => {
    await workbench.rowMenu('Experiments', 'Experiment 2', 'Promote Champion…');
    await workbench.inputTitled('Promote e2 to a branch or patch: a rate of 0.1 learns faster');
    await workbench.picture('overnight-promote');
    await workbench.pick('New Branch');
    await workbench.inputTitled('Name of the new branch');
    await workbench.acceptEntry();
    await workbench.notificationMatching(
      /Created branch helios\/a-rate-of-0-1-learns-faster-e2 from e2/,
    );
    assert.equal(repo.git('show', 'helios/a-rate-of-0-1-learns-faster-e2:rate.txt'), '0.1');
    assert.equal(repo.git('branch', '--show-current'), 'main');
    await workbench.pressNotificationButton('Show Changes');
    await tabMatching(/e2\s*\.diff/);
    await workbench.screenshot('overnight-promoted');
    await workbench.command('Helios: Promote Champion…');
    await workbench.pick('bring loss < 0.1');
    await workbench.pick('Save Patch');
    await workbench.keepFile('helios-e2.patch');
    await workbench.notificationMatching(/Saved the patch of e2 to .*helios-e2\.patch/);
    const patch = join(repo.folder, 'helios-e2.patch');
    execFileSync('git', ['apply', '--cached', '--check', patch], { cwd: repo.folder });
    assert.match(await readFile(patch, 'utf8'), /^\+0\.1$/m);
  });

  it('takes the results out, and brings others in', async () => {
    const file = join(repo.folder, 'results.tsv');
    await workbench.rowMenu('Experiments', 'bring loss < 0.1', 'Export Results…');
    await workbench.keepFile('results.tsv');
    await workbench.notificationMatching(/Exported 2 experiments to .*results\.tsv/);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    assert.equal(lines[0], 'commit\tloss\tmemory_gb\tstatus\tdescription');
    assert.match(
      lines[2] ?? '',
      /^[0-9a-f]{7}\t0\.0591\d\d\t\tkeep\ta rate of 0\.1 learns faster$/,
    );
    await writeFile(
      file,
      'commit\tloss\tmemory_gb\tstatus\tdescription\n1a2b3c4\t0.700000\t0.0\tkeep\ta rate of 0.04\n',
    );
    await workbench.rowMenu('Experiments', 'bring loss < 0.1', 'Import Results…');
    await workbench.takeFile('results.tsv');
    await workbench.notificationMatching(/Imported 1 result/);
  });

  it('shows runs of other programs, and imports them', async () => {
    await writeFile(join(repo.folder, 'other.csv'), 'step,loss\n1,0.9\n2,0.6\n');
    await workbench.rowMenu('Experiments', 'bring loss < 0.1', 'Import Runs…');
    await workbench.pick('File…');
    await workbench.takeFile('other.csv');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await workbench.eventually(
      () => dialog.innerText(),
      (text) => /other\.csv: 1 result/.test(text) && /loss/.test(text),
    );
    await dialog.locator('.monaco-button').getByText('Import', { exact: true }).click();
    await workbench.notificationMatching(/[Ii]mported/);
  });

  it('compares two runs: what differs, and a column and a curve for each', async () => {
    await workbench.command('Helios: Compare Two Runs');
    await workbench.pick('Run 2, champion', 'Run 2');
    await workbench.pick('Run 1');
    await tabMatching(/Run 1 vs\. Run 2/);
    const preview = await workbench.webview('h1:text("Run 1 vs. Run 2")');
    await workbench.eventually(
      () => preview.locator('body').innerText(),
      (text) => /What differs[\s\S]*Code[\s\S]*Metrics/.test(text),
    );
    const picture = preview.locator('img').first();
    assert.ok(await picture.evaluate((node) => (node as HTMLImageElement).naturalWidth > 0));
    await workbench.screenshot('overnight-comparison');
  });

  it('makes an experiment again, and compares', async () => {
    await workbench.rowMenu('Experiments', 'Experiment 2', 'Reproduce Experiment');
    await tabMatching(/Reproduction of e2/);
    await workbench.eventually(
      () => workbench.page.locator('.editor-instance .view-lines').last().innerText(),
      (text) => /loss/.test(text) && /0\.059/.test(text),
    );
    assert.equal(repo.git('branch', '--show-current'), 'main');
    await workbench.picture('overnight-reproduction');
  });

  it('finds what was said, in any session', async () => {
    await workbench.command('Helios: Search Sessions');
    await workbench.answerFilter('cosine');
    await workbench.inputTitled(/Cosine/i);
    await workbench.picture('overnight-search');
    await workbench.answerFilter('learns faster');
    await workbench.inputTitled(/a rate of 0\.1 learns faster/);
    await workbench.acceptEntry();
    await tabMatching(/bring loss/);
  });

  it('shows what old sessions would go, and removes none when it is not told to', async () => {
    await workbench.commandThenPick('Helios: Clean Up Sessions', 'Older than 30 days');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.getByText(/Remove 1 session, .* with its runs on every machine\?/).waitFor();
    await tabMatching(/Clean Up/);
    await workbench.picture('overnight-clean-up');
    await dialog.getByText('Cancel', { exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.notEqual(await readFile(homeAt(vscode.heliosHome).journalFile(oldId), 'utf8'), '');
  });

  it('opens the file of the project, and tells where a test notification went', async () => {
    await workbench.command('Helios: Open Project File (helios.json)');
    await tabMatching(/helios\s*\.json/);
    await workbench.command('Helios: Send Test Notification');
    await workbench.inputTitled('Helios: Test Notification');
    await workbench.inputTitled('Delivered.');
    await workbench.picture('overnight-test-notification');
    await workbench.page.keyboard.press('Escape');
    await rm(join(repo.folder, 'helios.json'));
  });

  it('lists the sessions in the chat, goes on with one, and writes it up', async () => {
    await workbench.sendChat('@helios /resume');
    await workbench.chatMatching(/bring loss < 0\.1 — [\s\S]*bring loss < 1\.0 — /);
    await workbench.chatIdle();
    await workbench.sendChat('@helios /resume 1 wait for the data');
    await workbench.chatMatching(/There is nothing to do yet/);
    await workbench.sendChat('@helios /sticky never touch the test split');
    await workbench.sendChat('@helios /stickies');
    await workbench.chatMatching(/1[.:] never touch the test split/);
    await workbench.sendChat('@helios /writeup');
    await workbench.chatMatching(/Written to .*brief\.md and .*writeup\.md/);
    await workbench.pictureTheme('light');
    await workbench.picture('overnight-chat-light');
  });

  it('gets another name, which every view shows, and loses it again', async () => {
    await workbench.rowMenu('Experiments', 'bring loss < 0.1', 'Rename Session…');
    await workbench.inputTitled('Rename Session');
    await workbench.answerInput('Night of the rates');
    await rowMatching(/Night of the rates$/, /Sleeping|Goal met/);
    await workbench.screenshot('overnight-renamed');
    await workbench.rowMenu('Experiments', 'Night of the rates', 'Rename Session…');
    await workbench.answerInput('bring loss < 0.1');
    await rowMatching(/bring loss < 0\.1$/, /Sleeping|Goal met/);
  });

  it('is asked before an interrupted session goes on', async () => {
    await workbench.reloadByCommand();
    await workbench.notificationMatching(/“bring loss < 0\.1” was interrupted/);
    await workbench.picture('overnight-resume-light');
    await workbench.pressNotificationButton('Resume');
    await workbench.notificationMatching(/Helios resumed “bring loss < 0\.1”/);
    await rowMatching(/bring loss < 0\.1$/, /Sleeping/);
    await workbench.picture('overnight-tree-light');
    assert.deepEqual(workbench.consoleErrors(), []);
  });

  it('is taken over by another window of the folder, where a user wants it', async () => {
    other = await Workbench.open(vscode);
    await other.openContainer('Helios');
    await rowMatching(/bring loss < 0\.1$/, /Running in another window/, other);
    await other.notificationMatching(
      /“bring loss < 0\.1” is running in another window of this folder/,
    );
    await other.picture('overnight-take-over');
    await other.pressNotificationButton('Take Over Here');
    await rowMatching(/bring loss < 0\.1$/, /Sleeping/, other);
    await rowMatching(/bring loss < 0\.1$/, /Running in another window/);
    assert.deepEqual([...workbench.consoleErrors(), ...other.consoleErrors()], []);
  });
});

const oldId = 's-0mi7abcde123456' as SessionId;

/** A session that ended forty days ago. */
async function leaveOldNight(heliosHome: string): Promise<void> {
  const old = new Night();
  old.experiment({ hypothesis: 'cosine decay' }, { loss: 0.912 });
  old.end('budget', 'Cosine decay brought loss to 0.912.');
  const file = homeAt(heliosHome).journalFile(oldId);
  await mkdir(dirname(file), { recursive: true });
  const back = Date.now() - 40 * dayMs - (old.events[0]?.at ?? 0);
  await writeFile(
    file,
    old.events.map((event) => `${JSON.stringify({ ...event, at: event.at + back })}\n`).join(''),
  );
}
