import type { ExtensionContext } from 'vscode';
import { App } from './vscode/app.ts';
import type { CreateEngine } from './vscode/window/engineHost.ts';

/** Imports the engine, which is most of the code, only when it is first used. */
const createEngine: CreateEngine = async (options) =>
  (await import('./compose/engine.ts')).createEngine(options);

let app: App | undefined;

export function activate(context: ExtensionContext): void {
  app = new App(context, createEngine);
  context.subscriptions.push(app);
  void app.begin();
}

/** Closes the engine, which releases the sessions of this window. Their runs continue. */
export async function deactivate(): Promise<void> {
  await app?.close();
  app = undefined;
}
