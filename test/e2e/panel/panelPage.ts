/** The metrics panel in Chromium: its page, and its real host with a source of the test's. */
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { PanelHost } from '../../../src/vscode/metrics/panelHost.ts';
import type { PanelActions, PanelSource } from '../../../src/vscode/metrics/panelSource.ts';
import { WebviewBrowser, type OpenPage, type PageOptions } from '../webviewPage.ts';

export interface OpenOptions extends PageOptions {
  readonly source: PanelSource;
  readonly actions?: PanelActions;
}

/** One browser and one server for all tests of a file. */
export class PanelBrowser {
  readonly #browser: WebviewBrowser;

  private constructor(browser: WebviewBrowser) {
    this.#browser = browser;
  }

  static async launch(): Promise<PanelBrowser> {
    return new PanelBrowser(await WebviewBrowser.launch('metrics'));
  }

  open({ source, actions = noActions, ...options }: OpenOptions): Promise<OpenPage<PanelHost>> {
    const parts = { source, actions, clock: systemClock, logger: silentLogger };
    return this.#browser.open((port) => new PanelHost({ ...parts, port }), options);
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

const noActions: PanelActions = { openRun: () => undefined, save: () => Promise.resolve() };
