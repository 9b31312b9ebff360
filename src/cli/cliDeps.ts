/** What the command line needs from the process that it runs in. Tests pass another one. */
import type { Engine } from '../agent/contract/engine.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { EngineOptions } from '../compose/engine.ts';
import type { SshHost } from '../compose/sshHosts.ts';

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Of the terminal, in characters. */
  readonly columns?: number;
  readonly rows?: number;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

export interface CliDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: { write(text: string): unknown };
  readonly clock: Clock;
  readonly version: string;
  readonly defaultHome: string;
  /** What `~` stands for. */
  readonly homeFolder: string;
  /** The folder that holds the WebAssembly of the index. */
  readonly assetsFolder: string;
  /** Hosts of the user's ssh config. */
  sshHosts(): Promise<readonly SshHost[]>;
  createEngine(options: EngineOptions): Promise<Engine>;
  /** Where a browser may come back to after a sign-in; the first that is free is taken. */
  readonly callbackPorts: readonly number[];
  /** False when there is none, or it could not be started. */
  openBrowser(address: string): Promise<boolean>;
  /** Ctrl+C. */
  onInterrupt(listener: () => void): Disposable;
  /** At once, whatever is under way. */
  exit(code: number): void;
}

export const exitCodes = { goal: 0, error: 1, ended: 2, interrupted: 130 } as const;
