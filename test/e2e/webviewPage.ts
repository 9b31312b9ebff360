/** The real page of a webview in Chromium, talking to its real host over an in-memory port. */
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { Disposable } from '../../src/base/disposable.ts';
import type { PanelPort } from '../../src/protocol/connect.ts';
import { webviewHtml } from '../../src/vscode/webviews/webviewPage.ts';
import { chromiumFlags } from '../setup/chromium.ts';
import { themeCss, type ThemeName } from './panel/theme.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
async function bundleView(folder: string): Promise<{ script: string; style: string }> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [`webview/${folder}/main.ts`, `webview/${folder}/style.css`],
    outdir: `dist/webview/${folder}`,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'chrome140',
    write: false,
    logLevel: 'error',
  });
  const text = (extension: string) =>
    result.outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: text('.js'), style: text('.css') };
}

export interface PageOptions {
  readonly theme?: ThemeName;
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly size?: { readonly width: number; readonly height: number };
}

export interface OpenPage<Host> {
  readonly page: Page;
  readonly host: Host;
  /** Violations of the content security policy and errors of the page, in words. */
  readonly complaints: string[];
}

/** One browser and one server for all tests of a file. */
export class WebviewBrowser {
  readonly #browser: Browser;
  readonly #server: Server;
  readonly #origin: string;
  #theme: ThemeName = 'dark';

  constructor(browser: Browser, server: Server, files: { script: string; style: string }) {
    this.#browser = browser;
    this.#server = server;
    const address = server.address();
    this.#origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    server.on('request', (request, response) => {
      const [type, body] = this.#file(request.url ?? '/', files);
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    });
  }

  /** `folder` of `webview/`. */
  static async launch(folder: string): Promise<WebviewBrowser> {
    const files = await bundleView(folder);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: [...chromiumFlags],
    });
    return new WebviewBrowser(browser, server, files);
  }

  async open<Host extends Disposable>(
    createHost: (port: PanelPort) => Host,
    options: PageOptions = {},
  ): Promise<OpenPage<Host>> {
    this.#theme = options.theme ?? 'dark';
    const context = await this.#browser.newContext({
      viewport: options.size ?? { width: 1280, height: 800 },
      reducedMotion: options.reducedMotion ?? 'no-preference',
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    const port = await portOf(page);
    const host = createHost(port);
    page.once('close', () => host.dispose());
    await page.addInitScript(prepareWindow);
    await page.goto(this.#origin);
    return { page, host, complaints };
  }

  /** Opens an empty page, which no security policy restricts. */
  blank(): Promise<Page> {
    return this.#browser.newPage();
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #file(url: string, files: { script: string; style: string }): [string, string] {
    if (url === '/main.js') return ['text/javascript', files.script];
    if (url === '/style.css') return ['text/css', files.style];
    if (url === '/theme.css') return ['text/css', themeCss(this.#theme)];
    if (url === '/favicon.ico') return ['image/x-icon', ''];
    const kind = `vscode-${this.#theme}`;
    const html = webviewHtml({
      title: 'Test',
      cspSource: this.#origin,
      scriptUri: '/main.js',
      styleUri: '/style.css',
      nonce: 'bm9uY2Utb2YtdGVzdA',
    });
    const dressed = html
      .replace('<link rel', '<link rel="stylesheet" href="/theme.css">\n<link rel')
      .replace('<body>', `<body class="${kind}" data-vscode-theme-kind="${kind}">`);
    return ['text/html', dressed];
  }
}

/** Messages cross as text, typed arrays as base64: what VS Code does too. */
async function portOf(page: Page): Promise<PanelPort> {
  let listener: ((message: unknown) => void) | undefined;
  await page.exposeFunction('postToHost', (text: string) => listener?.(JSON.parse(text)));
  return {
    post(message) {
      const text = JSON.stringify(message, (_key, value: unknown) =>
        value instanceof Float64Array
          ? {
              base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString(
                'base64',
              ),
            }
          : value,
      );
      // The page may be closing.
      page
        .evaluate((sent) => window.dispatchEvent(new CustomEvent('host', { detail: sent })), text)
        .catch(() => undefined);
    },
    onMessage(wanted) {
      listener = wanted;
      return { dispose: () => (listener = listener === wanted ? undefined : listener) };
    },
  };
}

function prepareWindow(): void {
  const page = window as unknown as { postToHost(text: string): void; acquireVsCodeApi: unknown };
  const revive = (_key: string, value: unknown): unknown => {
    if (
      typeof value !== 'object' ||
      value === null ||
      !('base64' in value) ||
      typeof value.base64 !== 'string'
    )
      return value;
    const binary = atob(value.base64);
    return new Float64Array(Uint8Array.from(binary, (char) => char.charCodeAt(0)).buffer);
  };
  window.addEventListener('host', (event) => {
    const data: unknown = JSON.parse((event as CustomEvent<string>).detail, revive);
    window.dispatchEvent(new MessageEvent('message', { data }));
  });
  document.addEventListener('securitypolicyviolation', (event) =>
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
  );
  page.acquireVsCodeApi = () => ({
    postMessage: (message: unknown) => page.postToHost(JSON.stringify(message)),
    getState: (): unknown => JSON.parse(sessionStorage.getItem('state') ?? 'null'),
    setState: (state: unknown) => sessionStorage.setItem('state', JSON.stringify(state)),
  });
}
