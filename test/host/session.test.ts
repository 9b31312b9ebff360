import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { commands, ConfigurationTarget, extensions, lm, window, workspace } from 'vscode';

interface JournalLine {
  readonly type: string;
  readonly sessionId?: string;
  readonly provider?: string;
  readonly workFolder?: string;
  readonly by?: string;
  readonly isAllowed?: boolean;
}

const home = process.env['HELIOS_HOME'] ?? '';
const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';

describe('a session in the window', () => {
  it('offers its models to the chat, the scripted one labelled', async () => {
    await extensions.getExtension('helios.helios-research')?.activate();
    const models = await lm.selectChatModels({ vendor: 'helios' });
    const ids = models.map(({ id }) => id);
    assert.ok(ids.includes('configured'), ids.join());
    assert.ok(ids.includes('demo/scripted'), ids.join());
  });

  it('plays the offline demo in a folder of the workspace, and asks before its first call', async () => {
    assert.notEqual(home, '');
    await permissionMode('ask');
    const place = join(folder, 'demo');
    await commands.executeCommand('helios.tryDemo', place);
    const started = await journalEvent('session.started');
    assert.equal(started.provider, 'demo');
    assert.equal(started.workFolder, place);
    await stat(join(place, 'train.py'));
    await eventually(async () => {
      await commands.executeCommand('helios.answerApproval');
      return window.activeTextEditor?.document.languageId === 'helios-approval';
    }, tabLabels);
  });

  it('shows the whole call in a document, and makes it when it is approved there', async () => {
    const { document } = window.activeTextEditor ?? assert.fail();
    assert.match(
      document.getText(),
      /^Helios asks to .*\n[\d,]+ characters, \d+ lines?\. To answer/,
    );
    assert.match(document.getText(), /^machine: local$/m);
    assert.equal(workspace.getConfiguration('editor', document).get('wordWrap'), 'on');
    assert.ok(!(await journal()).some(({ by }) => by === 'person'));
    // Nobody is there to be asked about the other calls.
    await permissionMode('allow');
    await commands.executeCommand('helios.approve', document.uri);
    await eventually(() => !tabLabels().includes('Approval'), tabLabels);
    await eventually(
      async () => (await journal()).some(({ by, isAllowed }) => by === 'person' && isAllowed),
      tabLabels,
    );
    await journalEvent('run.started');
  });

  it('shows the metrics beside the editor and the journal as a document', async () => {
    const { sessionId = '' } = await journalEvent('session.started');
    await commands.executeCommand('helios.showMetrics', sessionId);
    await commands.executeCommand('helios.openJournal', sessionId);
    await eventually(() => tabLabels().some((label) => label.startsWith('Metrics: ')), tabLabels);
    await eventually(() => tabLabels().some((label) => label.includes('Journal')), tabLabels);
  });

  it('pauses on request', async () => {
    const { sessionId = '' } = await journalEvent('session.started');
    await commands.executeCommand('helios.pause', sessionId);
    await journalEvent('session.paused');
  });
});

const permissionMode = (mode: string): Thenable<void> =>
  workspace.getConfiguration('helios').update('permissions.mode', mode, ConfigurationTarget.Global);

const tabLabels = (): string[] =>
  window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));

/** The first event of this type in the only journal of this window's home. */
async function journalEvent(type: string): Promise<JournalLine> {
  let found: JournalLine | undefined;
  await eventually(
    async () => {
      found = (await journal()).find((event) => event.type === type);
      return found !== undefined;
    },
    () => `no ${type} in the journal`,
  );
  assert.ok(found);
  return found;
}

async function journal(): Promise<readonly JournalLine[]> {
  const sessions = await readdir(join(home, 'sessions')).catch(() => []);
  const texts = sessions.map((id) =>
    readFile(join(home, 'sessions', id, 'journal.jsonl'), 'utf8').catch(() => ''),
  );
  return (await Promise.all(texts))
    .join('')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as JournalLine);
}

async function eventually(
  isTrue: () => boolean | Promise<boolean>,
  seen: () => unknown,
): Promise<void> {
  const endMs = performance.now() + 40_000;
  while (!(await isTrue())) {
    if (performance.now() > endMs) assert.fail(`Not seen within 40 s: ${JSON.stringify(seen())}`);
    await delay(100);
  }
}
