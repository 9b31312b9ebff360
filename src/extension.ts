import type { ExtensionContext } from 'vscode';
import { App } from './vscode/app.ts';
import type { CreateEngine } from './vscode/window/engineHost.ts';

/** Loads the engine, the larger part of the code, on first use. */
const createEngine: CreateEngine = async (options) =>
  (await import('./compose/engine.ts')).createEngine(options);

let app: App | undefined;

export function activate(context: ExtensionContext): void {
  app = new App(context, createEngine);
  context.subscriptions.push(app);
  void app.begin();
}

/** Closes sessions in order; runs continue without this window. */
export async function deactivate(): Promise<void> {
  await app?.close();
  app = undefined;
}
