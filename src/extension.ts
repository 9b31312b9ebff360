import type { ExtensionContext } from 'vscode';
import { createEngine } from './compose.ts';
import { App } from './vscode/app.ts';

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
