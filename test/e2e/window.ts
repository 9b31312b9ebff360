/** A window of VS Code on a folder of its own, with Helios and a model that the test answers for. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireServer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import {
  installedPackage,
  startVsCode,
  type VsCode,
  type VsCodeOptions,
} from '../setup/codeServer.ts';
import { Workbench } from './workbench.ts';

export interface TestWindow {
  readonly folder: string;
  readonly server: WireServer;
  readonly vscode: VsCode;
  readonly workbench: Workbench;
  /** Closes the window, and removes the folder. */
  close(): Promise<void>;
}

export interface TestWindowOptions extends Pick<VsCodeOptions, 'settings' | 'otherExtensions'> {
  readonly viewport?: { readonly width: number; readonly height: number };
  /** False: no key is in the environment. */
  readonly hasKey?: boolean;
}

/** Opens a window. What was opened before a failure is closed. */
export async function openWindow(
  answer: Parameters<typeof startWireAnthropic>[0],
  { viewport, hasKey = true, settings, otherExtensions = [] }: TestWindowOptions = {},
): Promise<TestWindow> {
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'workspace-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const server = await startWireAnthropic(answer);
  opening.defer(() => server.close());
  const key = hasKey ? { ANTHROPIC_API_KEY: 'test-key' } : {};
  const env = { ANTHROPIC_BASE_URL: server.url, ...key };
  const vscode = await startVsCode({
    folder,
    env,
    ...(settings && { settings }),
    otherExtensions: [await installedPackage(), ...otherExtensions],
  });
  opening.defer(() => vscode.dispose());
  const workbench = await Workbench.open(vscode, viewport);
  opening.defer(() => workbench.close());
  const opened = opening.move();
  return { folder, server, vscode, workbench, close: () => opened.disposeAsync() };
}
