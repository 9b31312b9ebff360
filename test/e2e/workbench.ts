/** A user in front of VS Code: what they see and do, in a real workbench in Chromium. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Frame, Locator, Page } from 'playwright-core';
import { eventually } from '../fakes/eventually.ts';
import { launchChromium } from '../setup/chromium.ts';
import type { VsCode } from '../setup/codeServer.ts';
import { isLong } from '../setup/needs.ts';
import { outFolder } from '../setup/paths.ts';
import { signalProcess } from '../setup/processes.ts';

export interface TreeRow {
  readonly label: string;
  readonly description: string;
  /** 1 for a root. */
  readonly level: number;
}

type Theme = 'dark' | 'light';

/** Those in which a step is repeated for its pictures. */
export const pictureThemes: readonly Theme[] = isLong ? ['light', 'dark'] : ['light'];

/** Long, because a busy machine may need it; nothing waits longer than it must. */
const waitMs = 60_000;

/** The windows that are open, for whoever looks into a failure. */
export const openWorkbenches = new Set<Workbench>();

/**
 * VS Code draws rows of a tree again when a context key changes, also those that it is just
 * replacing.
 */
const isOfTheTree = (text: string): boolean =>
  /TreeError \[helios\.\w+\] Data tree node not found/.test(text);

export class Workbench {
  readonly page: Page;
  readonly #browser: Browser;
  readonly #vscode: VsCode;
  readonly #consoleErrors: string[] = [];

  private constructor(vscode: VsCode, browser: Browser, page: Page) {
    this.#vscode = vscode;
    this.#browser = browser;
    this.page = page;
    page.on('console', (message) => {
      const isOurs =
        /helios/i.test(message.text()) || message.location().url.includes('/contrib/webview/');
      if (message.type() === 'error' && isOurs && !isOfTheTree(message.text()))
        this.#consoleErrors.push(message.text());
    });
  }

  /** Resolves when the window is drawn and its extension host lives. */
  static async open(vscode: VsCode, viewport = { width: 1440, height: 900 }): Promise<Workbench> {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
      await page.addInitScript(endAnimations);
      const workbench = new Workbench(vscode, browser, page);
      workbench.page.setDefaultTimeout(waitMs);
      await workbench.page.goto(vscode.url);
      await workbench.#ready();
      openWorkbenches.add(workbench);
      return workbench;
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    openWorkbenches.delete(this);
    await this.#browser.close();
  }

  /** Runs a command by its title in the palette, such as `Helios: Show Metrics`. */
  async command(title: string): Promise<void> {
    const entry = this.page
      .locator('.quick-input-widget .quick-input-list-entry .label-name')
      .getByText(title, { exact: true });
    const input = this.page.locator('.quick-input-widget .quick-input-box input');
    // A window that is still loading, a view that takes the focus, or a list that is just closing
    // can swallow the key.
    for (let attempt = 1; ; attempt += 1) {
      await this.#pointAway();
      await this.page.keyboard.press('F1');
      const isOpen = await appears(input, 5_000);
      if (isOpen) await input.fill(`>${title}`, { timeout: 5_000 }).catch(() => undefined);
      if (isOpen && (await appears(entry.first(), 10_000))) {
        await entry.first().click();
        return this.#paletteIsGone();
      }
      if (attempt === 6) throw new Error(`The palette does not offer ${title}.`);
      await this.page.keyboard.press('Escape');
    }
  }

  /** What a list says of that on which the pointer rests would cover its entries. */
  #pointAway(): Promise<void> {
    return this.page.mouse.move(0, 0);
  }

  /** What is typed while it closes would go to whatever has the focus then. */
  async #paletteIsGone(): Promise<void> {
    const inputs = this.page.locator('.quick-input-widget .quick-input-box input');
    await this.eventually(
      () =>
        inputs
          .evaluateAll((all) =>
            all.map((each) => (each.checkVisibility() ? (each as HTMLInputElement).value : '')),
          )
          // The window itself may go, as by the command that reloads it.
          .catch(() => []),
      (values) => !values.some((value) => value.startsWith('>')),
    );
  }

  /** Takes the entry with this label in the quick pick that is open, after typing `filter`. */
  async pick(label: string, filter = label): Promise<void> {
    const list = this.page.locator('.quick-input-widget');
    await this.#pointAway();
    await list.locator('.quick-input-box input').waitFor();
    await list.locator('.quick-input-box input').fill(filter);
    const name = list
      .locator('.quick-input-list-entry .label-name')
      .getByText(label, { exact: true });
    await name.first().click();
  }

  /**
   * Runs a command that asks with a list. A view that takes the focus late closes the list: then it
   * is run again.
   */
  async commandThenPick(title: string, label: string): Promise<void> {
    const entry = this.page
      .locator('.quick-input-list-entry .label-name')
      .getByText(label, { exact: true })
      .first();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await this.command(title);
      await this.#pointAway();
      const isTaken =
        (await appears(entry, 5_000)) && (await entry.click({ timeout: 5_000 }).then(yes, no));
      if (isTaken) return;
    }
    throw new Error(`${title} does not offer ${label}.`);
  }

  /**
   * Resolves when the input box that is open shows this, as its title or as what is wrong with the
   * text.
   */
  async inputTitled(text: string | RegExp): Promise<void> {
    await this.page.locator('.quick-input-widget').getByText(text).first().waitFor();
  }

  /** Takes an entry of the context menu of a row. */
  async rowMenu(view: string, text: string, title: string): Promise<void> {
    const entry = this.page.locator('.monaco-menu .action-label').getByText(title, { exact: true });
    // A click while the menu opens is not taken, and a row that is drawn again closes the menu.
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      if (!(await entry.isVisible())) await clickUntil(this.treeRow(view, text), entry, 'right');
      const isTaken = await entry.click({ timeout: 1_000 }).then(yes, no);
      const isClosed = await entry.waitFor({ state: 'hidden', timeout: 1_000 }).then(yes, no);
      if (isTaken && isClosed) return;
    }
    throw new Error(`The menu of ${text} does not take ${title}.`);
  }

  /** Clicks a row that asks; resolves when its question is shown. */
  async clickRow(view: string, text: string, question: string): Promise<void> {
    await clickUntil(
      this.treeRow(view, text),
      this.page.locator('.quick-input-widget').getByText(question).first(),
    );
  }

  /** Types into the quick pick that is open, without taking anything. */
  async answerFilter(text: string): Promise<void> {
    await this.page.locator('.quick-input-widget .quick-input-box input').fill(text);
  }

  /** Types into the input box that is open and accepts it. */
  async answerInput(text: string): Promise<void> {
    await this.page.locator('.quick-input-widget .quick-input-box input').fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Keeps the file where the dialog that is open proposes it. */
  async keepFile(name: string): Promise<void> {
    const widget = this.page.locator('.quick-input-widget');
    await this.eventually(
      () => widget.locator('.quick-input-box input').inputValue(),
      (path) => path.endsWith(`/${name}`),
    );
    await widget.locator('.monaco-button').getByText('OK', { exact: true }).click();
  }

  /** Takes the file of this name in the dialog that is open. */
  async takeFile(name: string): Promise<void> {
    const entries = this.page.locator('.quick-input-widget .quick-input-list-entry .label-name');
    await entries.getByText(name, { exact: true }).click();
  }

  /**
   * Types into the quick pick that is open; resolves when it offers the text as an entry of its
   * own.
   */
  async typeEntry(text: string): Promise<void> {
    const widget = this.page.locator('.quick-input-widget');
    await widget.locator('.quick-input-box input').fill(text);
    await widget
      .locator('.quick-input-list-entry .label-name')
      .getByText(text, { exact: true })
      .first()
      .waitFor();
  }

  async acceptEntry(): Promise<void> {
    await this.page.keyboard.press('Enter');
  }

  /** Picks a model of this name for the chat, as its input has it. */
  async pickChatModel(name: string): Promise<void> {
    await this.command('Chat: Open Chat');
    const picker = this.page.locator('.interactive-input-part .model-picker-item');
    const row = this.page
      .locator('.action-widget .monaco-list-row')
      .filter({ hasText: name })
      .first();
    // The list has what was known when it was opened; extensions tell of their models a while after
    // the start.
    for (let attempt = 1; ; attempt += 1) {
      const input = this.page.locator('.action-widget input');
      await picker.click();
      if (await appears(input, 2_000)) {
        await input.click();
        await this.page.keyboard.type(name);
        if (await appears(row, 3_000)) break;
      }
      if (attempt === 15) throw new Error(`The chat offers no model ${name}.`);
      await this.page.keyboard.press('Escape');
      await this.page.locator('.editor-group-container').first().click();
      await this.page.locator('.action-widget.action-widget-dropdown').waitFor({ state: 'hidden' });
    }
    await row.click();
    await picker.filter({ hasText: name }).waitFor();
  }

  /** Opens the Chat view and sends the text, replacing what stands in the input. */
  async sendChat(text: string): Promise<void> {
    // A window that is still loading may replace the chat by an empty one.
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await this.#typeIntoChat(text);
      if (await appears(this.#chatRows().first(), 20_000)) return;
    }
    throw new Error(`The chat does not take: ${text}`);
  }

  async #typeIntoChat(text: string): Promise<void> {
    await this.command('Chat: Open Chat');
    const input = this.page.locator('.interactive-input-part .monaco-editor').first();
    await input.click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.press('Delete');
    // Enter takes the suggestion for a command that nothing follows; a space closes the list.
    await this.page.keyboard.type(/ \/\w+$/.test(text) ? `${text} ` : text);
    if (text.startsWith('@')) await this.#participantIsKnown();
    await this.page.keyboard.press('Enter');
  }

  /** The conversation as drawn; rows scrolled out of view are not part of it. */
  async chatText(): Promise<string> {
    return (await this.#chatRows().allInnerTexts()).join('\n\n');
  }

  /** Resolves with the conversation once it matches; rejects with what it was. */
  async chatMatching(pattern: RegExp, timeoutMs = waitMs): Promise<string> {
    return this.eventually(
      () => this.chatText(),
      (text) => pattern.test(text),
      timeoutMs,
    );
  }

  /** Presses the newest button of that title in the conversation. */
  async pressChatButton(title: string): Promise<void> {
    await this.#chatRows()
      .locator('.monaco-button')
      .getByText(title, { exact: true })
      .last()
      .click();
  }

  /** Clicks the newest link of that title in the conversation. */
  async pressChatLink(title: string): Promise<void> {
    await this.#chatRows().locator('a').getByText(title, { exact: true }).last().click();
  }

  /** Presses the stop button of the request that is open. */
  async stopChat(): Promise<void> {
    await this.#stopButton().click();
  }

  /** Resolves when no request is open: a message beside one would end what that one follows. */
  async chatIdle(): Promise<void> {
    await this.#stopButton().waitFor({ state: 'hidden' });
  }

  #stopButton(): Locator {
    return this.page
      .locator('.interactive-input-part a.action-label[aria-label^="Cancel"]')
      .first();
  }

  /** Opens a container of the activity bar by its title. */
  async openContainer(title: string): Promise<void> {
    const tab = this.page
      .locator(`.activitybar .action-item:has(a[aria-label^="${title}"])`)
      .first();
    if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
  }

  /** Drags the border of the side bar. */
  async widenSideBar(widthPixels: number): Promise<void> {
    const box = await this.page.locator('.part.sidebar').boundingBox();
    if (box === null) throw new Error('No side bar is shown.');
    const y = box.y + box.height / 3;
    await this.page.mouse.move(box.x + box.width + 2, y);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + widthPixels, y, { steps: 8 });
    await this.page.mouse.up();
  }

  /** The rows of a tree view of the open container, as drawn. */
  async treeRows(view: string): Promise<readonly TreeRow[]> {
    return this.treeRow(view).evaluateAll(readRows);
  }

  /** The rows of a tree, or the one that holds this text. */
  treeRow(view: string, text?: string): Locator {
    const rows = this.page.locator(
      `.pane:has(> .pane-header[aria-label^="${view} Section"]) [role="treeitem"]`,
    );
    return text === undefined ? rows : rows.filter({ hasText: text });
  }

  /** The frame of the webview that shows an element for this selector. */
  async webview(selector: string): Promise<Frame> {
    const frames = await this.eventually(
      async () => {
        const held = await Promise.all(this.page.frames().map((frame) => holds(frame, selector)));
        return this.page
          .frames()
          .filter((frame, index) => frame.url().includes('/webview/') && held[index]);
      },
      (found) => found.length > 0,
      waitMs,
    );
    const [frame] = frames;
    if (!frame) throw new Error(`No webview shows ${selector}.`);
    return frame;
  }

  /** The texts of the status bar, left to right. */
  async statusBar(): Promise<readonly string[]> {
    const items = await this.page.locator('.statusbar-item').allInnerTexts();
    return items.map((text) => text.trim()).filter((text) => text !== '');
  }

  /** Resolves when an item of the status bar says so. */
  async statusMatching(pattern: RegExp): Promise<void> {
    await this.eventually(
      () => this.statusBar(),
      (texts) => texts.some((text) => pattern.test(text)),
    );
  }

  /** The notifications shown now; none are shown to an extension in development. */
  async notifications(): Promise<readonly string[]> {
    return this.page
      .locator('.notifications-toasts .notification-list-item-message')
      .allInnerTexts();
  }

  /** Resolves with the notification that says so, once it has come to rest. */
  async notificationMatching(pattern: RegExp): Promise<string> {
    const shown = await this.eventually(
      () => this.notifications(),
      (texts) => texts.some((text) => pattern.test(text)),
    );
    await this.page.locator('.notifications-toasts').evaluate(atRest);
    return shown.find((text) => pattern.test(text)) ?? '';
  }

  async pressNotificationButton(title: string): Promise<void> {
    await this.page
      .locator('.notifications-toasts .monaco-button')
      .getByText(title, { exact: true })
      .last()
      .click();
  }

  /**
   * Errors on the console that name Helios or come from a webview; VS Code without a network has
   * others.
   */
  consoleErrors(): readonly string[] {
    return this.#consoleErrors;
  }

  async setTheme(theme: Theme): Promise<void> {
    await this.command('Preferences: Color Theme');
    await this.pick(theme === 'dark' ? 'Dark 2026' : 'Light 2026');
    await this.page.locator(`.monaco-workbench.${theme === 'dark' ? 'vs-dark' : 'vs'}`).waitFor();
  }

  /** A picture for a user to look at, which the long form takes. */
  async picture(name: string): Promise<void> {
    if (isLong) await this.screenshot(name);
  }

  /** Sets the theme of the pictures that follow. */
  async pictureTheme(theme: Theme): Promise<void> {
    if (isLong) await this.setTheme(theme);
  }

  /** Writes `out/screenshots/<name>.png`. */
  async screenshot(name: string): Promise<void> {
    const folder = join(outFolder, 'screenshots');
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }

  /** Reloads the page at once, as a browser does: what VS Code has not saved yet is gone. */
  async reload(): Promise<void> {
    const before = this.#vscode.extensionHostPids();
    await this.page.reload();
    await this.#ready(before);
  }

  /** Reloads the window as a user does: VS Code saves its layout first. */
  async reloadByCommand(): Promise<void> {
    const before = this.#vscode.extensionHostPids();
    const loaded = this.page.waitForEvent('load');
    await this.command('Developer: Reload Window');
    await loaded;
    await this.#ready(before);
  }

  /**
   * Ends the extension host as a crash would. VS Code starts another one for an installed
   * extension, a few times.
   */
  async killExtensionHost(): Promise<void> {
    const pids = this.#vscode.extensionHostPids();
    if (pids.length === 0) throw new Error('No extension host is alive.');
    for (const pid of pids) signalProcess(pid, 'SIGKILL');
    await this.eventually(
      () => Promise.resolve(this.#vscode.extensionHostPids()),
      (alive) => pids.every((pid) => !alive.includes(pid)),
      waitMs,
    );
  }

  eventually<T>(
    read: () => Promise<T>,
    accept: (value: T) => boolean,
    timeoutMs = waitMs,
  ): Promise<T> {
    return eventually(read, accept, timeoutMs);
  }

  /**
   * A user, too, waits until the name takes colour and a model is shown: before, VS Code takes the
   * name for mere text.
   */
  async #participantIsKnown(): Promise<void> {
    const input = this.page.locator('.interactive-input-part').first();
    await input.locator('.view-lines [class*="ced-chat-session-text"]').first().waitFor();
    await this.eventually(
      () => input.innerText(),
      (shown) => !/^Models$/m.test(shown),
    );
  }

  #chatRows(): Locator {
    return this.page.locator('.interactive-session .interactive-item-container .value');
  }

  async #ready(former: readonly number[] = []): Promise<void> {
    await this.page.locator('.monaco-workbench .statusbar-item').first().waitFor();
    await this.eventually(
      () => Promise.resolve(this.#vscode.extensionHostPids()),
      (alive) => alive.some((pid) => !former.includes(pid)),
      waitMs,
    );
  }
}

/**
 * Runs in the page. Icons that spin, bars that move and borders that glow would draw the window
 * again and again while anything works, though reduced motion is asked for. Webviews stay as they
 * are.
 */
const endAnimations = (): void => {
  if (window !== window.top) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { animation-duration: 0s !important; }');
  document.adoptedStyleSheets.push(sheet);
};

/** Runs in the page. */
const atRest = async (element: Element): Promise<void> => {
  const animations = element.getAnimations({ subtree: true });
  await Promise.allSettled(animations.map(({ finished }) => finished));
};

/** Runs in the page, all at once: a row may be gone a moment later. */
const readRows = (rows: readonly Element[]): TreeRow[] =>
  rows.map((row) => {
    const texts = (selector: string): string[] =>
      [...row.querySelectorAll<HTMLElement>(selector)].map((element) => element.innerText);
    return {
      label: texts('.label-name')[0] ?? '',
      description: texts('.label-description').join(' '),
      level: Number(row.getAttribute('aria-level')),
    };
  });

/** False also when the frame goes away meanwhile. */
async function holds(frame: Frame, selector: string): Promise<boolean> {
  return frame
    .locator(selector)
    .count()
    .then(
      (count) => count > 0,
      () => false,
    );
}

/** A row that is drawn anew between the press and the release takes no click. */
async function clickUntil(
  row: Locator,
  seen: Locator,
  button: 'left' | 'right' = 'left',
): Promise<void> {
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await row.click({ button });
    if (await appears(seen, 10_000)) return;
  }
  throw new Error('A click on the row leads nowhere.');
}

const yes = (): boolean => true;
const no = (): boolean => false;
const appears = (locator: Locator, timeout: number): Promise<boolean> =>
  locator.waitFor({ timeout }).then(yes, no);
