import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import type { PanelFile } from '../../../src/vscode/metrics/panelSource.ts';
import { MemoryPanelSource } from '../../fakes/memoryPanelSource.ts';
import { demoSource, lossCurve, manyRunsSource, seedsSource } from './demoRuns.ts';
import { PanelBrowser } from './panelPage.ts';
import type { ThemeName } from './theme.ts';

interface Shown {
  readonly axis: string;
  readonly zoom: { readonly step?: { readonly from: number; readonly to: number } };
  readonly hidden: readonly string[];
}

/**
 * Pixels of about this colour on the canvas of a card, within a part of it given as shares of its
 * width.
 */
const pixelsOf = (
  canvas: Locator,
  rgb: readonly [number, number, number],
  part: readonly [number, number] = [0, 1],
) =>
  canvas.evaluate(
    (node, { rgb: [red, green, blue], part: [from, to] }) => {
      const { width, height } = node as HTMLCanvasElement;
      const left = Math.floor(width * from);
      const context = (node as HTMLCanvasElement).getContext('2d');
      const data =
        context?.getImageData(left, 0, Math.max(1, Math.floor(width * to) - left), height).data ??
        [];
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        const distance =
          Math.abs((data[at] ?? 0) - red) +
          Math.abs((data[at + 1] ?? 0) - green) +
          Math.abs((data[at + 2] ?? 0) - blue);
        if (distance < 24 && (data[at + 3] ?? 0) > 200) count++;
      }
      return count;
    },
    { rgb, part },
  );

/** Pixels of a translucent blue: those of a band. */
const faintPixels = (canvas: Locator) =>
  canvas.evaluate((node) => {
    const { width, height } = node as HTMLCanvasElement;
    const context = (node as HTMLCanvasElement).getContext('2d');
    const data = context?.getImageData(0, 0, width, height).data ?? [];
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, , blueShare = 0, alpha = 0] = data.slice(at, at + 4);
      if (Math.abs(alpha - 46) < 2 && blueShare > 200 && red < 100) count++;
    }
    return count;
  });

const blue = [0x37, 0x94, 0xff] as const;
const orange = [0xd1, 0x86, 0x16] as const;

async function until(
  what: string,
  isSo: () => Promise<boolean>,
  timeoutMs = 50_000,
): Promise<void> {
  const endMs = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > endMs) assert.fail(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

const stateOf = (page: Page): Promise<Shown> =>
  page.evaluate(() => JSON.parse(sessionStorage.getItem('state') ?? '{}') as Shown);

const card = (page: Page, metric: string): Locator =>
  page.locator('section.card', { has: page.locator(`h2[title="${metric}"]`) });

const drawn = (page: Page, metric = 'loss'): Promise<void> =>
  until(
    `${metric} drawn`,
    async () => (await pixelsOf(card(page, metric).locator('canvas'), blue)) > 100,
  );

const axisOf = (page: Page): Locator => page.getByRole('combobox', { name: 'Horizontal axis' });

async function chooseAxis(page: Page, name: string): Promise<void> {
  await axisOf(page).click();
  await page.getByRole('option', { name, exact: true }).click();
}

describe('the metrics panel in Chromium', function () {
  this.timeout(60_000);
  let browser: PanelBrowser;

  before(async () => {
    browser = await PanelBrowser.launch();
  });
  after(() => browser.close());

  for (const theme of ['dark', 'light', 'high-contrast'] satisfies ThemeName[])
    it(`draws runs, goal and marks in the theme ${theme}, within its security policy`, async () => {
      const { page, complaints } = await browser.open({ source: demoSource(), theme });
      const first = theme === 'light' ? ([0x1a, 0x85, 0xff] as const) : blue;
      const canvas = card(page, 'loss').locator('canvas');
      await until('run 1 drawn', async () => (await pixelsOf(canvas, first)) > 300);
      await until('run 2 drawn', async () => (await pixelsOf(canvas, orange)) > 100);
      assert.equal(await page.locator('table.runs tbody tr[data-run]').count(), 5);
      assert.match(
        (await page.locator('tr[data-run="r-2"]').textContent()) ?? '',
        /failed \(exit code 1\).*NaN/,
      );
      assert.equal(await page.locator('tr[data-run="r-3"] .champion-mark').isVisible(), true);
      assert.deepEqual(complaints, []);
      await page.close();
    });

  it('gives each run a line of its own, which stays when another run is planned', async () => {
    const source = new MemoryPanelSource();
    for (const number of [1, 3, 13]) source.addRun({ id: `r-${number}`, number });
    const { page } = await browser.open({ source });
    const lineOf = (id: string) =>
      page
        .locator(`tr[data-run="${id}"] .swatch`)
        .evaluate((node) => `${getComputedStyle(node).color} ${node.style.backgroundImage}`);
    const before = [await lineOf('r-1'), await lineOf('r-3'), await lineOf('r-13')];
    assert.equal(new Set(before).size, 3, `${before.join('; ')}`);
    source.addRun({ id: 'r-2', number: 2, status: 'queued', isRunning: true });
    source.runs = source.runs.toSorted((a, b) => a.number - b.number);
    source.changed();
    await page.locator('tr[data-run="r-2"]').waitFor();
    assert.deepEqual([await lineOf('r-1'), await lineOf('r-3'), await lineOf('r-13')], before);
    await page.close();
  });

  it('marks each place where a value is not finite', async () => {
    const source = new MemoryPanelSource();
    source.addRun({ id: 'r-1' });
    const values = new Float64Array(100).fill(1);
    source.setSeries('r-1', 'loss', values);
    const { page } = await browser.open({ source });
    const canvas = card(page, 'loss').locator('canvas');
    await until('line drawn', async () => (await blueIn(canvas, 0, 200)) > 100);
    // The axes glide into place at first: only then is the top edge free.
    await until('no mark at the top edge', async () => (await blueIn(canvas, 0, 22)) === 0);
    values[50] = Number.NaN;
    source.setSeries('r-1', 'loss', values);
    await page.reload();
    await until('line drawn', async () => (await blueIn(canvas, 0, 200)) > 100);
    await until('a mark at the top edge', async () => (await blueIn(canvas, 0, 22)) > 10);
    await page.locator('summary').click();
    await until('words', async () =>
      /NaN from step 50/.test((await page.locator('table.values').textContent()) ?? ''),
    );
    await page.close();
  });

  it('draws new points as they come, zooms where a user drags and out on a double click', async () => {
    const source = new MemoryPanelSource();
    source.addRun({ id: 'r-1', isRunning: true, status: 'running' });
    source.setSeries('r-1', 'loss', lossCurve(500, 1));
    const { page } = await browser.open({ source });
    await drawn(page);
    const stage = card(page, 'loss').locator('.stage');
    source.add('r-1', 'loss', [9, 9, 9, 9, 9]);
    await until('axis follows', async () => (await describedBy(stage)).includes('highest 9'));
    const box = await boxOf(stage);
    await page.mouse.move(box.x + box.width * 0.3, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 110, { steps: 4 });
    await page.mouse.up();
    await until('zoomed', async () => (await stateOf(page)).zoom.step !== undefined);
    const zoom = (await stateOf(page)).zoom.step;
    assert.ok(zoom !== undefined && zoom.from > 80 && zoom.to < 300, JSON.stringify(zoom));
    await page.mouse.dblclick(box.x + box.width * 0.5, box.y + 100);
    await until('reset', async () => (await stateOf(page)).zoom.step === undefined);
    await page.close();
  });

  it('keeps the zoom of a user while points come in', async () => {
    const source = new MemoryPanelSource();
    source.addRun({ id: 'r-1', isRunning: true, status: 'running' });
    // Blue only in the first half: a zoom onto the second half that is lost would show blue again.
    const values = new Float64Array(1000).fill(1);
    values.fill(Number.NaN, 500);
    source.setSeries('r-1', 'loss', values);
    const { page } = await browser.open({ source });
    await drawn(page);
    const stage = card(page, 'loss').locator('.stage');
    const box = await boxOf(stage);
    await page.mouse.move(box.x + box.width * 0.7, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, box.y + 100, { steps: 3 });
    await page.mouse.up();
    const canvas = stage.locator('canvas');
    const marksOnly = async () => (await blueIn(canvas, 30, 200)) === 0;
    await until('zoomed past the line', marksOnly);
    const zoom = (await stateOf(page)).zoom.step;
    for (let index = 0; index < 20; index++) source.add('r-1', 'loss', [Number.NaN]);
    // What comes after them is there: so they are.
    source.setSeries('r-1', 'lr', lossCurve(1000, 1));
    source.changed();
    await drawn(page, 'lr');
    assert.equal(await marksOnly(), true);
    assert.deepEqual((await stateOf(page)).zoom.step, zoom);
    await page.close();
  });

  it('hides and shows runs, filters and pins them', async () => {
    const { page } = await browser.open({ source: demoSource() });
    await drawn(page);
    const canvas = card(page, 'loss').locator('canvas');
    await page.locator('tr[data-run="r-1"] vscode-checkbox').click();
    await until('run 1 gone', async () => (await pixelsOf(canvas, blue)) === 0);
    await page.locator('tr[data-run="r-1"] vscode-checkbox').click();
    await drawn(page);
    await page.locator('tr[data-run="r-5"] .cell-pin vscode-button').click();
    await page.locator('.sidebar vscode-text-field').click();
    await page.keyboard.type('warmup gpu2');
    await until(
      'filtered',
      async () => (await page.locator('table.runs tbody tr[data-run]').count()) === 2,
    );
    const listed = await page
      .locator('table.runs tbody tr[data-run]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-run')));
    assert.deepEqual(listed, ['r-5', 'r-3']);
    await until('others gone', async () => (await pixelsOf(canvas, blue)) === 0);
    await page.close();
  });

  it('draws the seeds of a setting as one line with a band, and each of them on a click', async () => {
    const { page } = await browser.open({ source: seedsSource() });
    const canvas = card(page, 'loss').locator('canvas');
    const rows = page.locator('table.runs tbody tr[data-run]');
    await until('two groups', async () => (await rows.count()) === 2);
    assert.match((await rows.first().textContent()) ?? '', /runs 1–3.*3 ok.*lr=1e-3.*±/s);
    await until('band', async () => (await faintPixels(canvas)) > 2000);
    await card(page, 'loss')
      .locator('.stage')
      .hover({ position: { x: 300, y: 100 } });
    await until('spread', async () =>
      /±.*n = 3/.test((await card(page, 'loss').locator('.hover').textContent()) ?? ''),
    );
    await page.mouse.move(0, 0);
    await page.getByRole('button', { name: 'runs 1–3', exact: true }).click();
    await until('three runs', async () => (await rows.count()) === 5);
    await until('no band', async () => (await faintPixels(canvas)) < 1000);
    assert.equal(
      await page
        .getByRole('button', { name: 'runs 1–3', exact: true })
        .getAttribute('aria-expanded'),
      'true',
    );
    await page.getByRole('button', { name: 'Seeds' }).click();
    await until('six runs', async () => (await rows.count()) === 6);
    await page.close();
  });

  it('draws the best of many groups until the user wants all', async () => {
    const source = new MemoryPanelSource();
    for (let number = 1; number <= 30; number++) {
      source.addRun({ id: `r-${number}` });
      source.setSeries(`r-${number}`, 'loss', lossCurve(100, number));
    }
    source.ranking = Array.from({ length: 30 }, (_, index) => 30 - index);
    source.reads = 0;
    const { page } = await browser.open({ source });
    const note = page.locator('.drawn-note');
    await until('note', async () => /8 of 30 drawn/.test((await note.textContent()) ?? ''));
    await until('eight read', () => Promise.resolve(source.reads === 8));
    await page.getByRole('button', { name: 'Draw All' }).click();
    await until('all read', () => Promise.resolve(source.reads === 30));
    assert.equal(await note.isVisible(), false);
    await page.close();
  });

  it('is a table of 10,000 runs with a column for each parameter, sorted and filtered', async () => {
    const { page, complaints } = await browser.open({ source: manyRunsSource(10_000) });
    const rows = page.locator('table.runs tbody tr[data-run]');
    await page.getByRole('button', { name: 'Table' }).click();
    await until('columns', async () =>
      /lr.*loss.*Machine.*Time/s.test((await page.locator('table.runs thead').textContent()) ?? ''),
    );
    assert.ok((await rows.count()) < 60, 'only rows in view');
    assert.equal(await page.locator('table.runs').getAttribute('aria-rowcount'), '10001');
    const firstRow = async () => (await rows.first().getAttribute('data-run')) ?? '';
    await page.getByRole('button', { name: 'loss', exact: true }).click();
    await until('best first', async () => (await firstRow()) === 'r-10000');
    await page.getByRole('button', { name: 'loss ↑' }).click();
    await until('worst first', async () => (await firstRow()) === 'r-1');
    await page.locator('.sidebar vscode-text-field').click();
    await page.keyboard.type('lr<0.0002 depth=4');
    const counts = await page.locator('table.runs').getAttribute('aria-rowcount');
    await until('filtered', async () => Number(counts) < 10_001 || (await rows.count()) > 0);
    await until('only small rates', async () =>
      (await rows.allTextContents()).every((text) => text.includes('1e-4')),
    );
    await rows.first().getByRole('button').first().focus();
    await page.keyboard.press('End');
    await until('last row', async () => {
      const index = await page.evaluate(() =>
        document.activeElement?.closest('tr')?.getAttribute('aria-rowindex'),
      );
      return index === (await page.locator('table.runs').getAttribute('aria-rowcount'));
    });
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('has sections for many metrics, and reads only those in view', async () => {
    const source = new MemoryPanelSource();
    source.addRun({ id: 'r-1' });
    for (let index = 0; index < 40; index++)
      source.setSeries('r-1', `${index < 20 ? 'train' : 'eval'}/m${index}`, lossCurve(50, index));
    source.reads = 0;
    const { page } = await browser.open({ source });
    const headings = page.locator('.section-heading');
    await until('two sections', async () => (await headings.count()) === 2);
    await drawn(page, 'train/m0');
    assert.ok(source.reads < 20, `${source.reads} series were read`);
    await headings.first().click();
    await drawn(page, 'eval/m20');
    assert.equal(await card(page, 'train/m0').count(), 0);
    await page.getByRole('textbox', { name: 'Filter charts' }).last().fill('m31');
    await until('one chart', async () => (await page.locator('section.card').count()) === 1);
    await drawn(page, 'eval/m31');
    await page.close();
  });

  it('can be used with the keyboard alone', async () => {
    const opened: string[] = [];
    const actions = {
      openRun: (runId: string) => void opened.push(runId),
      save: () => Promise.resolve(),
    };
    const { page } = await browser.open({ source: demoSource(), actions });
    await drawn(page);
    await page.locator('.sidebar vscode-text-field').click();
    const focused = () =>
      page.evaluate(
        () =>
          document.activeElement?.getAttribute('aria-label') ??
          document.activeElement?.textContent ??
          '',
      );
    for (const label of ['Metric of the table', 'Table', 'Hide all runs', 'Show run 1', 'run 1']) {
      await page.keyboard.press('Tab');
      assert.equal(await focused(), label);
    }
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), 'run 2');
    await page.keyboard.press('Enter');
    await until('run 2 opened', () => Promise.resolve(opened.length > 0));
    assert.deepEqual(opened, ['r-2']);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    await until('run 2 hidden', async () => (await stateOf(page)).hidden.includes('r-2'));
    const stage = card(page, 'loss').locator('.stage');
    await stage.focus();
    await page.keyboard.press('ArrowRight');
    await until('said', async () =>
      /step [\d,]+: run/.test((await page.locator('#said').textContent()) ?? ''),
    );
    await stage.locator('.hover').waitFor();
    await page.keyboard.press('+');
    await until('zoomed in', async () => (await stateOf(page)).zoom.step !== undefined);
    await page.keyboard.press('0');
    await until('zoom reset', async () => (await stateOf(page)).zoom.step === undefined);
    await page.close();
  });

  it('is as it was after a reload', async () => {
    const { page } = await browser.open({ source: demoSource() });
    await drawn(page);
    await page.locator('tr[data-run="r-4"] vscode-checkbox').click();
    await page.locator('#smoothing').fill('0.8');
    await page.getByRole('button', { name: 'Log' }).click();
    await chooseAxis(page, 'Time');
    const before = await stateOf(page);
    assert.equal(before.axis, 'time');
    await page.reload();
    await drawn(page);
    assert.deepEqual(await stateOf(page), before);
    assert.equal(await page.locator('#smoothing').inputValue(), '0.8');
    assert.equal(
      await page.getByRole('button', { name: 'Log' }).getAttribute('aria-pressed'),
      'true',
    );
    assert.match((await axisOf(page).textContent()) ?? '', /Time/);
    await until('run 4 unchecked', async () => {
      const checked = await page
        .locator('tr[data-run="r-4"] vscode-checkbox')
        .getAttribute('aria-checked');
      return checked === 'false';
    });
    await page.close();
  });

  it('draws over a counter that the runs print, which the keyboard can choose', async () => {
    const source = new MemoryPanelSource();
    source.addRun({ id: 'r-1' });
    source.setSeries('r-1', 'loss', lossCurve(100, 1));
    source.setSeries(
      'r-1',
      'tokens',
      Float64Array.from({ length: 100 }, (_, index) => index * 50_000),
    );
    source.metrics = source.metrics.map((metric) =>
      metric.name === 'tokens' ? { ...metric, isCounter: true } : metric,
    );
    const { page, complaints } = await browser.open({ source });
    await drawn(page);
    await axisOf(page).focus();
    await page.keyboard.press('End');
    await until('tokens chosen', async () => (await stateOf(page)).axis === 'metric:tokens');
    const stage = card(page, 'loss').locator('.stage');
    const said = () => page.locator('#said').textContent();
    await drawn(page);
    await stage.focus();
    await page.keyboard.press('ArrowRight');
    await until('the value at tokens', async () =>
      /^tokens \d[\d,]*: run 1 \d/.test((await said()) ?? ''),
    );
    source.add('r-1', 'tokens', [9e6]);
    source.add('r-1', 'loss', [0.1]);
    await page.keyboard.press('+');
    await until('zoomed', async () => 'metric:tokens' in (await stateOf(page)).zoom);
    await page.reload();
    await drawn(page);
    assert.equal((await stateOf(page)).axis, 'metric:tokens');
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('draws measured resources over time, in a section of their own', async () => {
    const source = new MemoryPanelSource();
    source.addRun({ id: 'r-1' });
    source.setSeries('r-1', 'loss', lossCurve(100, 1));
    const name = 'System/machine CPU (%)';
    source.setSeries('r-1', name, lossCurve(100, 2));
    source.metrics = source.metrics.map((metric) =>
      metric.name === name ? { ...metric, isSystem: true } : metric,
    );
    source.runs = source.runs.map((run) => ({
      ...run,
      metrics: Object.fromEntries(Object.entries(run.metrics).filter(([key]) => key !== name)),
    }));
    const { page, complaints } = await browser.open({ source });
    await drawn(page, name);
    assert.match((await page.locator('.section-heading').textContent()) ?? '', /System \(1\)/);
    assert.match((await card(page, name).locator('.note').textContent()) ?? '', /over time/);
    const stage = card(page, name).locator('.stage');
    await stage.focus();
    await page.keyboard.press('ArrowRight');
    await until('said', async () =>
      /^\d.* s: run 1/.test((await page.locator('#said').textContent()) ?? ''),
    );
    await page.keyboard.press('+');
    await until('zoomed', async () => Object.keys((await stateOf(page)).zoom).join() === 'time');
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('says what to do when there is nothing, and when something fails', async () => {
    const source = new MemoryPanelSource();
    source.failure = 'the session is damaged';
    const { page } = await browser.open({ source });
    const message = page.locator('.page-message');
    await until('failure', async () =>
      ((await message.textContent()) ?? '').includes('the session is damaged'),
    );
    source.failure = undefined;
    await page.getByRole('button', { name: 'Retry' }).click();
    await until('waits', async () =>
      ((await message.textContent()) ?? '').startsWith('Waiting for the first run'),
    );
    source.isOpen = false;
    source.changed();
    await until('empty', async () =>
      ((await message.textContent()) ?? '').includes('@helios train'),
    );
    source.addRun({ id: 'r-1', isRunning: true, status: 'running' });
    source.changed();
    await until('no metrics', async () =>
      ((await page.textContent('.cards')) ?? '').includes('No metrics yet'),
    );
    source.failure = undefined;
    source.setSeries('r-1', 'loss', lossCurve(300, 1));
    const read = source.series.bind(source);
    source.series = () => {
      throw new Error('the file is unreadable');
    };
    source.changed();
    const alert = card(page, 'loss').locator('[role="alert"]');
    await until('series failure', async () =>
      ((await alert.textContent()) ?? '').includes('the file is unreadable'),
    );
    source.series = read;
    await card(page, 'loss').getByRole('button', { name: 'Retry' }).click();
    await drawn(page);
    await page.close();
  });

  it('exports what is shown as an image and every point as CSV', async () => {
    const files: { file: PanelFile; bytes: Buffer }[] = [];
    const actions = {
      openRun: () => undefined,
      async save(file: PanelFile) {
        const parts: Uint8Array[] = [];
        for await (const part of file.parts) parts.push(part);
        files.push({ file, bytes: Buffer.concat(parts) });
      },
    };
    const { page } = await browser.open({ source: demoSource(), actions });
    await drawn(page);
    const image = page.getByRole('button', { name: 'PNG', exact: true });
    const look = await image.evaluate((node) => {
      const { backgroundColor, borderTopWidth } = getComputedStyle(node);
      return [backgroundColor, borderTopWidth];
    });
    assert.deepEqual(look, ['rgba(0, 0, 0, 0)', '0px'], 'looks like a pressed toggle');
    await image.click();
    await until('image', () => Promise.resolve(files.length === 1));
    assert.deepEqual([...(files[0]?.bytes.subarray(0, 4) ?? [])], [0x89, 0x50, 0x4e, 0x47]);
    assert.ok((files[0]?.bytes.length ?? 0) > 20_000);
    await page.getByRole('button', { name: 'CSV', exact: true }).click();
    await until('table', () => Promise.resolve(files.length === 2));
    const rows = files[1]?.bytes.toString().trim().split('\n') ?? [];
    assert.equal(rows.length, 1 + 2000 * 3 + 900 + 1200 + 40 * 3 + 24 + 400 * 4 * 2);
    await page.close();
  });

  it('opens with a million points in one series, read at most three times', async () => {
    const source = new MemoryPanelSource();
    source.addRun({ id: 'r-1' });
    source.setSeries('r-1', 'loss', lossCurve(1_000_000, 1));
    const { page, complaints } = await browser.open({ source });
    await drawn(page);
    assert.ok(source.reads >= 1 && source.reads <= 3, `${source.reads} reads`);
    assert.deepEqual(complaints, []);
    await page.close();
  });
});

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  assert.ok(box);
  return box;
}

const describedBy = (stage: Locator): Promise<string> =>
  stage.evaluate(
    (node) =>
      document.getElementById(node.getAttribute('aria-describedby') ?? '')?.textContent ?? '',
  );

/** Blue pixels of a canvas between two heights in CSS pixels. */
const blueIn = (canvas: Locator, fromY: number, toY: number): Promise<number> =>
  canvas.evaluate(
    (node, [from = 0, to = 0]) => {
      const { width } = node as HTMLCanvasElement;
      const [top, bottom] = [from * devicePixelRatio, to * devicePixelRatio];
      const data =
        (node as HTMLCanvasElement).getContext('2d')?.getImageData(0, top, width, bottom - top)
          .data ?? [];
      let count = 0;
      for (let at = 0; at < data.length; at += 4)
        if ((data[at + 2] ?? 0) > 180 && (data[at] ?? 0) < 90 && (data[at + 3] ?? 0) > 120) count++;
      return count;
    },
    [fromY, toY],
  );
