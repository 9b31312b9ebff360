import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import type { WireAnswer, WireServer } from '../../fakes/wire.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';
import { installedPackage, startVsCode, type VsCode } from '../../setup/codeServer.ts';
import { Workbench } from '../workbench.ts';

const call = (text: string, name: string, input: Record<string, unknown>): WireAnswer => ({
  text,
  toolCalls: [{ name, input }],
});

/** Goes on until the user has seen enough, however slow the machine is; then it meets the goal. */
const training =
  'i=0; while [ ! -e enough ]; do i=$((i + 1)); echo "step=$i loss=$((4 + 90 / i)).5"; sleep 0.3; done; echo "step=$((i + 1)) loss=0.025"';

const launch = call('I will run the **baseline** first.', 'remote_exec_background', {
  ...{ command: training, metric_names: ['loss'], label: 'baseline' },
});
const ask = call('', 'ask_user', {
  ...{
    question: 'Two GPUs are free. May I use both?',
    options: ['yes', 'no'],
    default: 'no',
    deadline_minutes: 90,
  },
});
const sleep = call('Waiting for the baseline.', 'sleep', {
  reason: 'the baseline trains',
  wake_conditions: [{ type: 'process_exit', run: 1 }],
  deadline_minutes: 30,
});
const finish = call('The goal is met.', 'finish', {
  ...{
    outcome: 'goal_met',
    summary: 'The baseline meets the goal.',
    evidence: [{ run: '1', metric: 'loss' }],
  },
});

describe('the session view in the hands of a user', () => {
  let folder: string;
  let server: WireServer;
  let vscode: VsCode;
  let workbench: Workbench;
  let view: Frame;
  const asked: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-'));
    server = await startWireAnthropic(({ body }) => {
      const text = JSON.stringify(body.messages);
      asked.push(text);
      if (asked.length <= 2) return asked.length === 1 ? launch : ask;
      return /run 1 .*ended/i.test(text) ? finish : sleep;
    });
    vscode = await startVsCode({
      folder,
      otherExtensions: [await installedPackage()],
      settings: { 'helios.permissions.mode': 'allow', 'workbench.colorTheme': 'Dark 2026' },
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test-key' },
    });
    workbench = await Workbench.open(vscode, { width: 1600, height: 1000 });
  });

  after(async () => {
    await workbench?.close();
    await vscode?.dispose();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const textOf = async (selector: string): Promise<string> =>
    (await view.locator(selector).allInnerTexts()).join('\n');
  const seen = (selector: string, pattern: RegExp, timeoutMs?: number): Promise<string> =>
    workbench.eventually(
      () => textOf(selector),
      (text) => pattern.test(text),
      timeoutMs,
    );

  it('opens beside a session that goes on, and follows it', async () => {
    await workbench.sendChat('@helios bring loss < 0.1');
    await workbench.chatMatching(/Question q1 · Two GPUs/);
    await workbench.command('Helios: Open Session');
    view = await workbench.webview('.session .row');
    await seen('.list', /Run 1 · baseline/);
    await seen('.list', /Question q1/);
    await seen('.list', /Sleeping until run 1 ends/);
    await view.locator('.live[aria-pressed="true"]').waitFor();
    await seen('.moment', /State after this step[\s\S]*run 1 · baseline[\s\S]*loss/);
    await workbench.picture('session-view-live-dark');
  });

  it('takes the answer to a question', async () => {
    await view.locator('#tab-inbox').click();
    await seen('.question', /May I use both\?[\s\S]*Default: no · applies in 1 h/);
    await workbench.picture('session-view-inbox-dark');
    await view.locator('.question').getByRole('button', { name: 'yes', exact: true }).click();
    await seen('.answered', /May I use both\?\s+yes · you/);
    await workbench.eventually(
      () => Promise.resolve(asked.at(-1) ?? ''),
      (body) => body.includes('The user answered question q1'),
    );
  });

  it('adds a sticky', async () => {
    await view.locator('#tab-notes').click();
    await view.locator('.panel-notes textarea').fill('never touch the test split');
    await view.getByRole('button', { name: 'Add', exact: true }).click();
    await seen('.notes', /1\s+never touch the test split/);
    await workbench.eventually(
      () => view.locator('.panel-notes textarea').inputValue(),
      (text) => text === '',
    );
    await workbench.picture('session-view-notes-dark');
  });

  it('goes back to any moment, and plays from there', async () => {
    await view.locator('#tab-timeline').click();
    // A slider that is being drawn does not take a key yet.
    await workbench.eventually(
      async () => {
        await view.locator('.seek').press('Home');
        return textOf('.place');
      },
      (text) => /^1 of \d+/.test(text),
    );
    await seen('.moment h2', /Started/);
    await view.locator('.live[aria-pressed="false"]').waitFor();
    await view.locator('.list').focus();
    await workbench.page.keyboard.press('n');
    await seen('.moment', /I will run the baseline first\.[\s\S]*Calls\s+remote_exec_background/);
    await view.locator('.moment .markdown strong').getByText('baseline', { exact: true }).waitFor();
    await workbench.page.keyboard.press('ArrowDown');
    await seen('.moment', /Arguments[\s\S]*while[\s\S]*Result/);
    await workbench.picture('session-view-call-dark');
    await view.getByRole('button', { name: 'End', exact: true }).click();
    await view.getByRole('button', { name: 'Play', exact: true }).click();
    await seen('.transport [aria-label="Play"]', /^$/);
    await workbench.eventually(
      () => textOf('.place'),
      (text) => {
        const [, at, of] = /^(\d+) of (\d+)/.exec(text) ?? [];
        return at !== undefined && at === of;
      },
    );
    await view.locator('.live').click();
  });

  it('has the ledger, with the run behind each number', async () => {
    await view.locator('#tab-ledger').click();
    await seen('.ledger', /run 1/);
    await writeFile(join(folder, 'enough'), '');
    await seen('.phase', /Goal met/, 120_000);
    await seen('.ledger', /0\.025/);
    await workbench.picture('session-view-ledger-dark');
    await view.locator('.ledger td .link').first().click();
    await workbench.eventually(
      () => workbench.page.locator('.tab.active').allInnerTexts(),
      (titles) => titles.some((title) => /Run 1 output/.test(title)),
    );
  });

  it('is as it was after a reload of the window, in the light theme too', async () => {
    await workbench.page.locator('.tab', { hasText: 'Session:' }).click();
    view = await workbench.webview('.session .tabs');
    await view.locator('#tab-timeline').click();
    await view.locator('.row', { hasText: 'Run 1: ok' }).click();
    await view.getByRole('button', { name: 'Steps', exact: true }).click();
    await seen('.moment h2', /Run 1: ok/);
    await workbench.setTheme('light');
    await workbench.reloadByCommand();
    view = await workbench.webview('.session .row');
    await seen('.moment h2', /Run 1: ok/);
    await view.getByRole('button', { name: 'Steps', exact: true, pressed: true }).waitFor();
    await seen('.moment', /loss 0\.025[\s\S]*Points\s+loss\s+0\.025\s+0\.025\s+\d+/);
    await workbench.picture('session-view-light');
    await view.locator('#tab-inbox').click();
    await seen('.answered', /yes · you/);
    await workbench.picture('session-view-inbox-light');
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
