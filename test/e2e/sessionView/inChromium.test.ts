import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { loadShell } from '../../../src/shell/grammar.ts';
import { SessionViewHost } from '../../../src/vscode/sessionView/viewHost.ts';
import { DemoNight, demoNight } from '../../fakes/demoNight.ts';
import type { MemorySessionSource } from '../../fakes/memorySessionSource.ts';
import type { ThemeName } from '../panel/theme.ts';
import { WebviewBrowser, type PageOptions } from '../webviewPage.ts';

const started = (): number => Date.now() - 258 * 60_000;

describe('the page of the session view in Chromium', function () {
  this.timeout(60_000);
  let browser: WebviewBrowser;

  before(async () => {
    await loadShell();
    browser = await WebviewBrowser.launch('session');
  });
  after(() => browser.close());

  async function open(source: MemorySessionSource, options: PageOptions = {}) {
    const opened: string[] = [];
    const actions = {
      openRunOutput: (runId: string) => void opened.push(runId),
      openMetrics: () => undefined,
    };
    const parts = { source, actions, clock: systemClock, logger: silentLogger };
    const shown = await browser.open((port) => new SessionViewHost({ ...parts, port }), options);
    return { ...shown, opened };
  }

  const row = (page: Page, text: string) => page.locator('.row', { hasText: text }).first();
  const selected = (page: Page, text: RegExp) =>
    page.locator('.row[aria-selected="true"]').filter({ hasText: text });
  const moment = (page: Page, text: RegExp) =>
    page.locator('.moment').filter({ hasText: text }).waitFor();

  for (const theme of ['dark', 'light', 'high-contrast'] satisfies ThemeName[])
    it(`draws every part in the theme ${theme}, within its security policy`, async () => {
      const { page, complaints } = await open(demoNight(started()).source, { theme });
      await row(page, 'Sleeping until').waitFor();
      await moment(page, /State after this step.*run 5/s);
      for (const [tab, text] of [
        ['ledger', /Warm-up lets the higher rate hold/],
        ['inbox', /Run 5 will need 90 minutes/],
        ['notes', /Never use more than two GPUs/],
      ] as const) {
        await page.locator(`#tab-${tab}`).click();
        await page.locator(`#panel-${tab}`).filter({ hasText: text }).waitFor();
      }
      assert.deepEqual(complaints, []);
      await page.close();
    });

  it('keeps room for steps and details at a zoom of 200 %', async () => {
    const size = { width: 720, height: 450 };
    const { page } = await open(demoNight(started()).source, { size });
    await row(page, 'Sleeping until').waitFor();
    const heightOf = async (selector: string): Promise<number> =>
      (await page.locator(selector).boundingBox())?.height ?? 0;
    assert.ok((await heightOf('.list')) >= 8 * 22, `list ${await heightOf('.list')}`);
    assert.ok((await heightOf('.moment')) >= 8 * 22, `details ${await heightOf('.moment')}`);
    assert.ok((await heightOf('.header')) < 40, `header ${await heightOf('.header')}`);
    await page.close();
  });

  it('shows a run that has ended with the icon of its end', async () => {
    const { page } = await open(demoNight(started()).source);
    await row(page, 'Sleeping until').waitFor();
    const icons = await page
      .locator('.row.kind-runEnd .row-icon')
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-icon')));
    assert.ok(icons.length > 0 && !icons.includes('running'), icons.join());
    const cell = page.locator('.ledger td.column-best').first();
    await page.locator('#tab-ledger').click();
    await cell.waitFor();
    const heads = await page.locator('.ledger th').allTextContents();
    assert.deepEqual(heads.slice(1, 4), ['val_loss', 'lr', 'warmup']);
    const fits = await cell.evaluate((node) => {
      node.textContent = '0.02877 ± 0.00906 (10)';
      return node.scrollWidth <= node.clientWidth;
    });
    assert.ok(fits, 'the number of repeats is clipped');
    await page.close();
  });

  it('shows what a model and a process wrote as text, whatever it is', async () => {
    const night = new DemoNight();
    const evil =
      '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
    night.turn(`${evil}\n\n| a |\n|--|\n| ${evil} |\n\n[link](javascript:alert(1)) \`${evil}\``, [
      { name: 'exec', input: { command: evil }, title: evil, result: evil },
    ]);
    night.source.add({ type: 'note.pinned', number: 1, text: evil });
    const { page, complaints } = await open(night.source);
    await row(page, '<img src=x').click();
    await moment(page, /Reply.*<script>/s);
    assert.equal(await page.locator('.session img, .session script, .session a').count(), 0);
    await page.locator('#tab-notes').click();
    await page.locator('.notes').filter({ hasText: '<img' }).waitFor();
    assert.deepEqual([await page.title(), complaints], ['Test', []]);
    await page.close();
  });

  it('can be used with the keyboard alone', async () => {
    const { page, opened } = await open(demoNight(started()).source);
    await row(page, 'Sleeping until').waitFor();
    const list = page.locator('.list');
    await list.focus();
    await page.keyboard.press('Home');
    await moment(page, /Started/);
    const id = await selected(page, /Started/).getAttribute('id');
    assert.equal(await list.getAttribute('aria-activedescendant'), id);
    await page.keyboard.press('n');
    await moment(page, /I will first read/);
    await page.keyboard.press('n');
    await moment(page, /The baseline reaches/);
    await page.keyboard.press('p');
    await moment(page, /I will first read/);
    await selected(page, /I will first read/).waitFor();
    await page.locator('#tab-timeline').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('.ledger').waitFor();
    await page.locator('[data-column="best"] button').focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-column="best"][aria-sort="ascending"]').waitFor();
    assert.match(await page.locator('.ledger tbody tr').first().innerText(), /e3/);
    await page.locator('.ledger td .link').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => true);
    assert.equal(opened.length, 1);
    await page.close();
  });

  it('follows the newest step until the user looks elsewhere, and again on request', async () => {
    const { source } = demoNight(started());
    const { page } = await open(source);
    const live = page.locator('.live');
    await row(page, 'Sleeping until').waitFor();
    source.add({ type: 'note.pinned', number: 2, text: 'the newest' });
    source.changed();
    await moment(page, /Sticky note 2 pinned/);
    await page.locator('.seek').focus();
    await page.keyboard.press('Home');
    await moment(page, /Started/);
    await page.locator('.live[aria-pressed="false"]').waitFor();
    source.add({ type: 'note.pinned', number: 3, text: 'newer still' });
    source.changed();
    await page
      .locator('.place')
      .filter({ hasText: /^1 of 47/ })
      .waitFor();
    await live.click();
    await moment(page, /Sticky note 3 pinned/);
    await page.close();
  });

  it('plays to the end, and shows what has not happened yet as such', async () => {
    const { page } = await open(demoNight(started()).source);
    await row(page, 'Sleeping until').waitFor();
    await page.getByRole('button', { name: '1×', exact: true }).click();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.locator('.row.is-future').first().waitFor();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page
      .locator('.place')
      .filter({ hasText: /^45 of 45/ })
      .waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.locator('.row.is-future').first().waitFor({ state: 'detached' });
    await page.close();
  });

  it('keeps what is being typed while the session goes on, and says what went wrong', async () => {
    const { source } = demoNight(started());
    const { page } = await open(source);
    await page.locator('#tab-inbox').click();
    const field = page.locator('.question .field');
    await field.fill('only until');
    source.add({ type: 'note.pinned', number: 2, text: 'meanwhile' });
    source.changed();
    await page.locator('#tab-notes .badge').filter({ hasText: '2' }).waitFor();
    assert.equal(await field.inputValue(), 'only until');
    assert.equal(await field.evaluate((node) => node === document.activeElement), true);
    source.readOnly =
      'This session is running in another process (7 on lab1), so it is read-only here.';
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.locator('.question .problem').filter({ hasText: 'another process' }).waitFor();
    source.changed();
    await page.locator('.read-only').filter({ hasText: 'another process' }).first().waitFor();
    await page.locator('.question .field:disabled').waitFor();
    await page.close();
  });

  it('stays small and quick with 10,000 events and 1,000 runs', async () => {
    const night = new DemoNight();
    for (let index = 0; index < 1000; index++) {
      night.turn(
        `Trying lr=${index}.`,
        [{ name: 'exec', input: {}, title: 'Do', result: 'ok' }],
        0.01,
      );
      const run = night.launch(`lr=${index}`);
      night.sleep('it trains', 60_000, 'it ended');
      night.end(run, 1 + index / 1000);
    }
    const ledger = night.source.ledger();
    night.source.ledger = () => ledger;
    const { page, complaints } = await open(night.source);
    await page.locator('.place').filter({ hasText: '6,002 of 6,002' }).waitFor();
    assert.ok((await page.locator('.row').count()) < 70);
    await page.locator('.list').evaluate((list) => (list.scrollTop = 40_000));
    await row(page, 'Trying lr=303').waitFor();
    assert.ok((await page.locator('.row').count()) < 70);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('is as it was after a reload', async () => {
    const { page } = await open(demoNight(started()).source);
    await row(page, 'Run 2: val_loss').waitFor();
    await row(page, 'Run 2: val_loss').click();
    await page.getByRole('button', { name: 'Steps', exact: true }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.reload();
    await moment(page, /Run 2: val_loss/);
    await page.getByRole('button', { name: 'Steps', exact: true, pressed: true }).waitFor();
    await page.getByRole('button', { name: 'Show everything', disabled: false }).waitFor();
    await page.close();
  });

  it('says what is wrong when the session cannot be read, with a way to try again', async () => {
    const { source } = demoNight(started());
    source.failure = 'the journal is damaged';
    const { page } = await open(source);
    await page.locator('.page-message').filter({ hasText: 'the journal is damaged' }).waitFor();
    source.failure = undefined;
    await page.getByRole('button', { name: 'Retry' }).click();
    await row(page, 'Sleeping until').waitFor();
    await page.close();
  });
});
