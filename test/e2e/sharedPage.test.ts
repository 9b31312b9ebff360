import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, it } from 'mocha';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { loadShell } from '../../src/shell/grammar.ts';
import { launchChromium } from '../setup/chromium.ts';
import { hostileNight, pageOf, treeNight } from '../fakes/sharedPages.ts';

describe('a shared page in Chromium', function () {
  this.timeout(60_000);
  let browser: Browser;
  let folder: string;
  let pages: Readonly<Record<'plain' | 'hostile', string>>;

  before(async () => {
    await loadShell();
    folder = await mkdtemp(path.join(tmpdir(), 'helios-page-'));
    const fileOf = async (name: string, html: string): Promise<string> => {
      const file = path.join(folder, name);
      await writeFile(file, html);
      return pathToFileURL(file).href;
    };
    pages = {
      plain: await fileOf('plain.html', await pageOf(treeNight())),
      hostile: await fileOf('hostile.html', await pageOf(hostileNight())),
    };
    browser = await launchChromium();
  });
  after(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a file, and collects errors, violations of its policy and requests. */
  async function open(
    address: string,
    options: BrowserContextOptions = {},
  ): Promise<{ readonly page: Page; readonly complaints: string[] }> {
    const context = await browser.newContext({
      viewport: { width: 1100, height: 800 },
      ...options,
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    page.on('request', (request) => {
      if (request.url() !== address) complaints.push(request.url());
    });
    await page.goto(address);
    return { page, complaints };
  }

  const picture = async (page: Page, name: string): Promise<void> => {
    const to = process.env['HELIOS_PAGE_PICTURES'];
    if (to !== undefined)
      await page.screenshot({ path: path.join(to, `${name}.png`), fullPage: true });
  };

  for (const colorScheme of ['light', 'dark'] as const)
    it(`opens from the disk without errors or requests, in ${colorScheme}`, async () => {
      const { page, complaints } = await open(pages.plain, { colorScheme });
      await page.locator('h1').waitFor();
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(background, colorScheme === 'dark' ? 'rgb(23, 27, 32)' : 'rgb(255, 255, 255)');
      await picture(page, colorScheme);
      assert.deepEqual(complaints, []);
      await page.context().close();
    });

  it('shows the values below the pointer, and hides a line with the mouse and the keyboard', async () => {
    const { page, complaints } = await open(pages.plain);
    const chart = page.locator('figure', { has: page.locator('[data-entry]') }).first();
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.locator('svg').boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
    await chart
      .locator('.readout')
      .filter({ hasText: /^At \d+ ≈ .*runs 3, 4: [\d.]+/ })
      .waitFor();
    const entry = chart.locator('[data-entry="runs 3, 4"]');
    await entry.click();
    const line = chart.locator('[data-line="runs 3, 4"]');
    assert.equal(await line.isVisible(), false);
    assert.equal(await entry.getAttribute('aria-pressed'), 'false');
    await entry.focus();
    await page.keyboard.press('Enter');
    assert.equal(await line.isVisible(), true);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('runs nothing of hostile texts, and shows them', async () => {
    const { page, complaints } = await open(pages.hostile);
    await page.mouse.move(300, 300);
    assert.equal(await page.evaluate(() => 'hacked' in window), false);
    assert.match(await page.locator('h1').innerText(), /<img src=x onerror=window\.hacked=1>/);
    assert.equal(await page.locator('a:not([href^="#"]):not([id])').count(), 0);
    await picture(page, 'hostile');
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('says the same without its script', async () => {
    const { page, complaints } = await open(pages.plain, { javaScriptEnabled: false });
    assert.match(await page.locator('#ledger').innerText(), /Cosine decay/);
    assert.equal(await page.locator('.readout').count(), 0);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('is black on white on paper, and no wider than it', async () => {
    const size = { width: 720, height: 1000 };
    const { page } = await open(pages.plain, { colorScheme: 'dark', viewport: size });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const text = await page.evaluate(() => getComputedStyle(document.body).color);
    assert.equal(text, 'rgb(31, 35, 40)');
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 720, `${width}`);
    await picture(page, 'print');
    await page.context().close();
  });

  it('is no wider than a narrow window', async () => {
    const { page } = await open(pages.hostile, { viewport: { width: 360, height: 700 } });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${width}`);
    await picture(page, 'narrow');
    await page.context().close();
  });
});
