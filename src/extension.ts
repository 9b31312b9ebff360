import type { ExtensionContext } from 'vscode';
import { App } from './vscode/app.ts';
import type { CreateEngine } from './vscode/window/engineHost.ts';

/** The larger part of what there is to load, once it is needed. */
const createEngine: CreateEngine = async (options) =>
  (await import('./compose/engine.ts')).createEngine(options);

let app: App | undefined;

export function activate(context: ExtensionContext): void {
  app = new App(context, createEngine);
  context.subscriptions.push(app);
  void app.begin();
}

/** Sessions are let go in good order; runs go on without this window. */
export async function deactivate(): Promise<void> {
  await app?.close();
  app = undefined;
}
