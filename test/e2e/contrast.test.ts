/** Contrast of the controls of both webviews in all themes, measured in what Chromium draws. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { loadShell } from '../../src/shell/grammar.ts';
import { SessionViewHost } from '../../src/vscode/sessionView/viewHost.ts';
import { demoNight } from '../fakes/demoNight.ts';
import { isLong } from '../setup/needs.ts';
import { demoSource, searchSource } from './panel/demoRuns.ts';
import { PanelBrowser } from './panel/panelPage.ts';
import { themes, type ThemeName } from './panel/theme.ts';
import { WebviewBrowser } from './webviewPage.ts';

/** Contrast that WCAG 2.2 asks of the parts by which a control is recognised. */
const enough = 3;
const controls = 'button:enabled, input[type=range], vscode-dropdown, vscode-checkbox';

/**
 * Share of the columns of pixels of an image in which a pixel has the contrast to the background,
 * which is the most frequent colour of the image.
 */
const contrastingShare = (page: Page, png: Buffer): Promise<number> =>
  page.evaluate(
    async ({ data, least }) => {
      const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const { width, height } = bitmap;
      const context = new OffscreenCanvas(width, height).getContext('2d');
      if (context === null) throw new Error('no canvas');
      context.drawImage(bitmap, 0, 0);
      const bytesOf = context.getImageData(0, 0, width, height).data;
      // One number per pixel: its colour.
      const colours = new Uint32Array(bytesOf.buffer).map((colour) => colour & 0xffffff);
      const counts = new Map<number, number>();
      for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
      const [background = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
      const luminance = (colour: number): number => {
        const [red = 0, green = 0, blue = 0] = [0, 8, 16].map((shift) => {
          const share = ((colour >> shift) & 0xff) / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const base = luminance(background);
      const hasContrast = (colour: number): boolean => {
        const other = luminance(colour);
        return (Math.max(base, other) + 0.05) / (Math.min(base, other) + 0.05) >= least;
      };
      const contrasting = new Set([...counts.keys()].filter(hasContrast));
      let seen = 0;
      for (let x = 0; x < width; x += 1)
        for (let y = 0; y < height; y += 1)
          if (contrasting.has(colours[y * width + x] ?? 0)) {
            seen += 1;
            break;
          }
      return seen / width;
    },
    { data: png.toString('base64'), least: enough },
  );

/** A slider must be seen along its whole length, other controls by a text, an icon or a border. */
const leastShare = { slider: 0.9, other: 0.1 };

async function unseen(shown: Page, blank: Page): Promise<string[]> {
  const found: string[] = [];
  for (const control of await shown.locator(controls).all()) {
    if (!(await control.isVisible()) || (await isFaded(control))) continue;
    await control.scrollIntoViewIfNeeded();
    const isSlider = (await control.getAttribute('type')) === 'range';
    const share = await contrastingShare(blank, await control.screenshot());
    if (share >= leastShare[isSlider ? 'slider' : 'other']) continue;
    const html = await control.evaluate((node) => node.outerHTML.slice(0, 120));
    found.push(`${Math.round(100 * share)} % of ${html}`);
  }
  return found;
}

/** Whether the control is shown only under the pointer or with the focus. */
const isFaded = (control: Locator): Promise<boolean> =>
  control.evaluate((node) => {
    for (let at: Node | null = node; at !== null;) {
      if (at instanceof Element && getComputedStyle(at).opacity === '0') return true;
      at = at instanceof ShadowRoot ? at.host : at.parentNode;
    }
    return false;
  });

describe('the contrast of controls', function () {
  this.timeout(120_000);
  let sessions: WebviewBrowser;
  let panels: PanelBrowser;
  let blank: Page;

  before(async () => {
    await loadShell();
    sessions = await WebviewBrowser.launch('session');
    panels = await PanelBrowser.launch();
    blank = await sessions.blank();
  });
  after(async () => {
    await sessions.close();
    await panels.close();
  });

  for (const theme of Object.keys(themes) as ThemeName[]) {
    it(`suffices in the session view in the theme ${theme}`, async () => {
      const { source } = demoNight(Date.now() - 258 * 60_000);
      const actions = { openRunOutput: () => undefined, openMetrics: () => undefined };
      const parts = { source, actions, clock: systemClock, logger: silentLogger };
      const { page } = await sessions.open((port) => new SessionViewHost({ ...parts, port }), {
        theme,
      });
      await page.locator('.row').first().waitFor();
      assert.deepEqual(await unseen(page, blank), []);
      await page.locator('#tab-inbox').click();
      await page.locator('.question .button').first().waitFor();
      assert.deepEqual(await unseen(page, blank), []);
      await page.close();
    });

    it(`suffices in the metrics panel in the theme ${theme}`, async () => {
      const { page } = await panels.open({ source: demoSource(), theme });
      await page.locator('canvas').first().waitFor();
      assert.deepEqual(await unseen(page, blank), []);
      await page.close();
    });

    // Its controls are those of the panel, so the short form looks at a dark and a light theme.
    if (!isLong && !['dark', 'light'].includes(theme)) continue;

    it(`suffices in the view What Mattered in the theme ${theme}`, async () => {
      const { page } = await panels.open({ source: searchSource(20), theme });
      await page.getByRole('button', { name: 'What Mattered' }).click();
      await page.locator('.parameter').first().waitFor();
      assert.deepEqual(await unseen(page, blank), []);
      await page.close();
    });
  }
});
