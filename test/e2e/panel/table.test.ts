import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { CombinedSource } from '../../../src/vscode/metrics/combinedSource.ts';
import { DisposableSource } from '../../fakes/memoryPanelSource.ts';
import { until } from '../../fakes/scratch.ts';
import { lossCurve, manyRunsSource, seedsSource } from './demoRuns.ts';
import { PanelBrowser, type OpenOptions } from './panelPage.ts';

const rowOf = (page: Page, id: string) => page.locator(`tr[data-run="${id}"]`);

const cell = (page: Page, name: string) => page.getByRole('button', { name });

const focusedLabel = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');

const said = async (page: Page, words: RegExp): Promise<void> =>
  until(`said ${words}`, async () => words.test((await page.textContent('#said')) ?? ''));

const columnsOf = (page: Page): Promise<readonly string[]> =>
  page
    .locator('table.runs thead th[data-column]')
    .evaluateAll((heads) => heads.map((head) => head.getAttribute('data-column') ?? ''));

describe('the table of the metrics panel in Chromium', function () {
  this.timeout(60_000);
  let browser: PanelBrowser;

  before(async () => {
    browser = await PanelBrowser.launch();
  });
  after(() => browser.close());

  const table = async (options: OpenOptions) => {
    const opened = await browser.open(options);
    await opened.page.getByRole('button', { name: 'Table', exact: true }).click();
    await opened.page.locator('.runs-box.is-wide').waitFor();
    return opened;
  };

  it('edits tags and notes with the keyboard, as text and never as HTML', async () => {
    const source = manyRunsSource(30);
    const { page, complaints } = await table({ source });
    await rowOf(page, 'r-1').getByRole('button', { name: 'run 1', exact: true }).focus();
    await page.keyboard.press('Tab');
    assert.equal(await focusedLabel(page), 'Tags of run 1: none. Edit');
    await page.keyboard.press('Enter');
    assert.equal(await focusedLabel(page), 'Tags of run 1');
    await page.keyboard.type('good, <b>bold</b>');
    // Home moves in the field, and not to the first row.
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await said(page, /Tags of run 1 saved/);
    assert.deepEqual(source.runs[0]?.tags, ['good', '<b>bold</b>']);
    await until('shown', async () => (await focusedLabel(page)).includes('good <b>bold</b>'));
    assert.equal(await page.locator('table.runs b').count(), 0);
    await page.keyboard.press('ArrowDown');
    assert.equal(await focusedLabel(page), 'Tags of run 2: none. Edit');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('gone');
    await page.keyboard.press('Escape');
    assert.equal(await focusedLabel(page), 'Note of run 2: none. Edit');
    assert.equal(source.runs[1]?.note, undefined);
    await page.keyboard.press('Enter');
    await page.keyboard.type('needs a longer warmup');
    // Another control takes the focus: the text is saved.
    await page.locator('.sidebar vscode-text-field').first().click();
    await until('saved', () => source.runs[1]?.note === 'needs a longer warmup');
    await page.keyboard.type('tag:good');
    const rows = page.locator('table.runs tbody tr[data-run]');
    await until('filtered', async () => (await rows.count()) === 1);
    assert.equal(await rows.first().getAttribute('data-run'), 'r-1');
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('saves what is being edited when its row is scrolled away', async () => {
    const source = manyRunsSource(300);
    const { page } = await table({ source });
    await rowOf(page, 'r-1').hover();
    await cell(page, 'Note of run 1: none. Edit').click();
    await page.keyboard.type('scrolled');
    await page.locator('.runs-box').evaluate((box) => box.scrollTo(0, 9000));
    await until('saved', () => source.runs[0]?.note === 'scrolled');
    await page.close();
  });

  it('tags the runs of a group, and keeps the tags of single runs', async () => {
    const source = seedsSource();
    await source.annotate(['r-1', 'r-2', 'r-3'], { addTags: ['base'] });
    await source.annotate(['r-2'], { addTags: ['odd'] });
    const { page } = await table({ source });
    await rowOf(page, 'group-1').hover();
    await cell(page, 'Tags of runs 1–3: base. Edit').click();
    await page.keyboard.type('good');
    await page.keyboard.press('Enter');
    await said(page, /Tags of runs 1–3 saved/);
    const tags = source.runs.slice(0, 3).map((run) => run.tags);
    assert.deepEqual(tags, [['good'], ['odd', 'good'], ['good']]);
    await page.close();
  });

  it('says why tags were not saved', async () => {
    const source = manyRunsSource(3);
    source.refusal = 'the session is open in another window';
    const { page } = await table({ source });
    await rowOf(page, 'r-1').hover();
    await cell(page, 'Tags of run 1: none. Edit').click();
    await page.keyboard.type('good');
    await page.keyboard.press('Enter');
    const alert = page.locator('.table-problem');
    await until('problem', async () =>
      /Tags of run 1 not saved: .*another window/.test((await alert.textContent()) ?? ''),
    );
    await page.close();
  });

  it('hides and moves columns, by keyboard, menu and pointer, and keeps them over a reload', async () => {
    const { page, complaints } = await table({ source: manyRunsSource(30) });
    const before = await columnsOf(page);
    assert.deepEqual(before.slice(0, 3), ['parameter lr', 'parameter depth', 'trend']);
    await page.getByRole('button', { name: 'Columns' }).focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('dialog', { name: 'Columns' });
    await menu.getByRole('checkbox', { name: 'depth' }).focus();
    await page.keyboard.press('Space');
    await until('hidden', async () => !(await columnsOf(page)).includes('parameter depth'));
    const right = menu.getByRole('button', { name: 'Move lr right' });
    await right.click();
    await until('moved', async () => (await columnsOf(page))[1] === 'parameter lr');
    assert.equal(await focusedLabel(page), 'Move lr right', 'keeps the focus');
    await page.keyboard.press('Escape');
    assert.equal(await menu.isVisible(), false);
    await page.locator('th[data-column="machine"] button').focus();
    await page.keyboard.press('Alt+ArrowLeft');
    await said(page, /Column moved/);
    const moved = await columnsOf(page);
    assert.ok(moved.indexOf('machine') < before.indexOf('machine'), moved.join());
    assert.equal(
      await page.evaluate(() => document.activeElement?.textContent),
      'Machine',
      'the title keeps the focus',
    );
    const [from, to] = [
      page.locator('th[data-column="machine"]'),
      page.locator('th[data-column="trend"]'),
    ];
    await from.dragTo(to, { targetPosition: { x: 3, y: 8 } });
    await until('dragged', async () => (await columnsOf(page))[0] === 'machine');
    const kept = await columnsOf(page);
    await page.reload();
    await page.locator('.runs-box.is-wide').waitFor();
    assert.deepEqual(await columnsOf(page), kept);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('button', { name: 'Reset Columns' }).click();
    await until('reset', async () => (await columnsOf(page)).join() === before.join());
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('draws small curves of the rows in view, and reads no others', async () => {
    const source = manyRunsSource(2000);
    for (const number of [1, 2, 1900])
      source.setSeries(`r-${number}`, 'loss', lossCurve(5000, number));
    const { page, complaints } = await browser.open({ source });
    await page.locator('tr[data-run="r-1"]').waitFor();
    const charts = source.reads;
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    const curve = (id: string) => rowOf(page, id).getByRole('img', { name: /^Curve of loss/ });
    await curve('r-1').waitFor();
    const points = await curve('r-1').locator('polyline').first().getAttribute('points');
    assert.ok((points ?? '').split(' ').length <= 144, 'no more than pixels');
    assert.ok(source.reads - charts < 100, `${source.reads - charts} series were read`);
    await page.locator('.runs-box').evaluate((box) => box.scrollTo(0, 1895 * 42));
    await curve('r-1900').waitFor();
    source.add(
      'r-1900',
      'loss',
      Array.from({ length: 5000 }, () => Number.NaN),
    );
    source.changed();
    await until('a gap', async () => {
      const shown = await curve('r-1900').locator('polyline').last().getAttribute('points');
      return Number((shown ?? '').split(' ').at(-1)?.split(',')[0]) < 40;
    });
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('shows the values at a step, of all runs, and sorts by them', async () => {
    const source = manyRunsSource(450);
    for (const run of source.runs)
      source.setSeries(run.id, 'loss', Float64Array.of(run.number / 1000, 3, 2, 1), 100);
    const { page, complaints } = await table({ source });
    const field = page.getByLabel('At step');
    await field.fill('50');
    await field.press('Enter');
    await page.getByRole('button', { name: 'loss @ 50', exact: true }).click();
    await page.getByRole('button', { name: 'loss @ 50 ↑', exact: true }).click();
    const first = page.locator('table.runs tbody tr[data-run]').first();
    await until('the highest first', async () =>
      ((await first.getAttribute('data-run')) ?? '').endsWith('r-450'),
    );
    assert.match((await first.textContent()) ?? '', /0\.45/);
    await page.reload();
    await page.getByRole('button', { name: 'loss @ 50 ↓', exact: true }).waitFor();
    await field.fill('');
    await field.press('Enter');
    await until('last only', async () => !(await columnsOf(page)).includes('at loss'));
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('is divided by a parameter into sections that close', async () => {
    const { page, complaints } = await table({ source: manyRunsSource(300) });
    await page.getByRole('combobox', { name: 'Group by' }).click();
    await page.getByRole('option', { name: 'By lr' }).click();
    const section = (value: string) => page.getByRole('button', { name: `lr = ${value} 100` });
    await section('1e-4').focus();
    await page.keyboard.press('Enter');
    await until('closed', async () => {
      return (await section('1e-4').getAttribute('aria-expanded')) === 'false';
    });
    await until('next section', () => section('3e-4').isVisible());
    assert.equal(await page.locator('table.runs').getAttribute('aria-rowcount'), '204');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'lr = 3e-4 100');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'run 2');
    await page.reload();
    await until('still closed', () => section('3e-4').isVisible());
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('adds the runs of other sessions, and does so again after a reload', async () => {
    const [main, other] = [new DisposableSource(), new DisposableSource()];
    main.addRun({ id: 'r-1', parameters: { lr: '1' } });
    main.setSeries('r-1', 'loss', lossCurve(100, 1));
    other.sessionId = 's-other';
    other.addRun({ id: 'r-2', parameters: { lr: '2' } });
    other.setSeries('r-2', 'loss', lossCurve(100, 2));
    const source = new CombinedSource(main, (id) =>
      id === 's-other' ? Promise.resolve(other) : Promise.reject(new Error('is damaged')),
    );
    let choice = ['s-other'];
    const actions = {
      openRun: () => undefined,
      save: () => Promise.resolve(),
      chooseSessions: () => Promise.resolve(choice),
    };
    const { page, complaints } = await table({ source, actions });
    assert.ok(!(await columnsOf(page)).includes('session'));
    await page.getByRole('button', { name: 'Add Sessions…' }).click();
    await rowOf(page, 'r-2').waitFor();
    assert.equal((await columnsOf(page))[0], 'session');
    await rowOf(page, 'r-2')
      .getByRole('img', { name: /^Curve of loss/ })
      .waitFor();
    await source.setSessions([]);
    await page.reload();
    await rowOf(page, 'r-2').waitFor();
    choice = ['s-gone'];
    await page.getByRole('button', { name: 'Add Sessions…' }).click();
    await until('problem', async () =>
      /not shown: .*is damaged/.test((await page.locator('.table-problem').textContent()) ?? ''),
    );
    await until('gone', async () => (await rowOf(page, 'r-2').count()) === 0);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('shows the list of columns whole in a narrow panel', async () => {
    const { page } = await table({ source: manyRunsSource(9), size: { width: 420, height: 700 } });
    await page.getByRole('button', { name: 'Columns' }).click();
    const box = await page.getByRole('dialog', { name: 'Columns' }).boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 420, JSON.stringify(box));
    await page.close();
  });
});
