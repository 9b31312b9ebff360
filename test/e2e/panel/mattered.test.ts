import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { searchSource } from './demoRuns.ts';
import { PanelBrowser } from './panelPage.ts';
import type { ThemeName } from './theme.ts';

const show = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'What Mattered' }).click();
  await page.locator('.mattered h2').filter({ hasText: 'val_loss' }).waitFor();
};

const filterOf = (page: Page): Promise<string> =>
  page.evaluate(
    () => (JSON.parse(sessionStorage.getItem('state') ?? '{}') as { filter: string }).filter,
  );

describe('the view What Mattered in Chromium', function () {
  this.timeout(60_000);
  let browser: PanelBrowser;

  before(async () => {
    browser = await PanelBrowser.launch();
  });
  after(() => browser.close());

  for (const theme of ['dark', 'light', 'high-contrast'] satisfies ThemeName[])
    it(`lists what mattered and what is noise in the theme ${theme}`, async () => {
      const { page, complaints } = await browser.open({
        source: searchSource(60),
        theme,
        size: { width: 1500, height: 1100 },
      });
      await show(page);
      assert.match(
        (await page.locator('.mattered h2').textContent()) ?? '',
        /^val_loss, lower is better: 60 runs with 60 settings$/,
      );
      const list = page.locator('.mattered-list > *');
      const texts = await list.allTextContents();
      assert.match(
        texts[0] ?? '',
        /^lr: \d+ % of the variance \(\d+–\d+ %\), [a-z ]+ better, 60 runs/,
      );
      assert.match(texts[1] ?? '', /^optimizer: .*adam is best, 60 runs/);
      assert.equal(texts[2], 'Not distinguishable from noise');
      assert.match(texts[3] ?? '', /^dropout: at most \d+ % of the variance, 60 runs/);
      assert.equal(await page.locator('.mattered .dot').count(), 120);
      assert.equal(await page.locator('.run-path').count(), 60);
      assert.equal(await page.locator('.heat').count(), 0);
      const picture = process.env['HELIOS_PICTURES'];
      if (picture !== undefined)
        await page.screenshot({ path: `${picture}/mattered-${theme}.png` });
      assert.deepEqual(complaints, []);
      await page.close();
    });

  it('draws the parameter that is chosen with the keyboard', async () => {
    const { page } = await browser.open({ source: searchSource(60) });
    await show(page);
    await page.locator('[data-parameter="lr"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const chosen = page.locator('.parameter[aria-pressed="true"]');
    await page.getByRole('heading', { name: 'val_loss by optimizer' }).waitFor();
    assert.equal(await chosen.getAttribute('data-parameter'), 'optimizer');
    assert.equal(await chosen.evaluate((node) => node === document.activeElement), true);
    await page.close();
  });

  it('filters the runs by a range that is dragged, or chosen with keys', async () => {
    const { page } = await browser.open({ source: searchSource(60) });
    await show(page);
    const axis = page.getByRole('slider', { name: 'lr: range of the filter' });
    await axis.scrollIntoViewIfNeeded();
    const box = await axis.locator('.brush-place').boundingBox();
    assert.ok(box !== null);
    const x = box.x + box.width / 2;
    await page.mouse.move(x, box.y + box.height * 0.7);
    await page.mouse.down();
    await page.mouse.move(x, box.y + box.height * 0.2, { steps: 4 });
    await page.mouse.up();
    assert.match(await filterOf(page), /^lr>=\S+ lr<=\S+$/);
    const rows = await page.locator('table.runs tbody tr[data-run]').count();
    assert.ok(rows > 5 && rows < 60, `${rows} rows`);
    await page.locator('.mattered h2').filter({ hasNotText: '60 runs' }).waitFor();

    const optimizer = page.getByRole('slider', { name: 'optimizer: range of the filter' });
    await optimizer.focus();
    for (let presses = 0; presses < 10; presses += 1) await page.keyboard.press('ArrowDown');
    assert.equal(await optimizer.getAttribute('aria-valuetext'), 'optimizer=adam');
    await page.keyboard.press('Enter');
    assert.match(await filterOf(page), /^lr>=\S+ lr<=\S+ optimizer=adam$/);
    await page.getByRole('button', { name: 'Clear Filter' }).click();
    assert.equal(await filterOf(page), '');
    await page.locator('.mattered h2').filter({ hasText: '60 runs' }).waitFor();
    await page.close();
  });

  it('shows the means of a sweep over two parameters', async () => {
    const { page } = await browser.open({ source: searchSource(24, true) });
    await show(page);
    const cells = page.locator('.heat-cell');
    await cells.first().waitFor();
    assert.equal(await cells.count(), 12);
    assert.match((await cells.first().textContent()) ?? '', /^\d\.\d+ n = 2$/);
    assert.equal(await page.locator('.heat-cell.is-best').count(), 1);
    const picture = process.env['HELIOS_PICTURES'];
    if (picture !== undefined)
      await page.locator('.heat').screenshot({ path: `${picture}/heat.png` });
    await page.close();
  });

  it('says how many runs are needed', async () => {
    const { page } = await browser.open({ source: searchSource(7) });
    await show(page);
    const notes = (await page.locator('.mattered-notes').textContent()) ?? '';
    assert.match(notes, /12 runs with different settings are needed.*5 more/);
    assert.equal(await page.locator('.parameter').count(), 0);
    await page.close();
  });
});
