import { commands, window, type ExtensionContext } from 'vscode';

export function activate(context: ExtensionContext): void {
  context.subscriptions.push(
    commands.registerCommand('helios.start', () => window.showInformationMessage('Helios is ready.')),
  );
}

export function deactivate(): void {}
