/** Resources of the process that the command line uses. Tests replace them. */
import type { Engine } from '../agent/contract/engine.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { EngineOptions } from '../compose/engine.ts';
import type { SshHost } from '../compose/sshHosts.ts';

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width of the terminal, in characters. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** The same output without changes to the text. Set only if `write` changes the text. */
  readonly raw?: Output;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

export type TerminalInput = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
};

export interface CliDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: TerminalInput;
  readonly stdout: Output;
  readonly stderr: { write(text: string): unknown };
  readonly clock: Clock;
  readonly version: string;
  readonly defaultHome: string;
  /** Absolute path of the folder that `~` stands for. */
  readonly homeFolder: string;
  /** Absolute path of the folder with the WebAssembly files of the search index. */
  readonly assetsFolder: string;
  /** Resolves with the hosts of the user's SSH config. */
  sshHosts(): Promise<readonly SshHost[]>;
  createEngine(options: EngineOptions): Promise<Engine>;
  /**
   * Local ports to which the browser can be redirected after a sign-in; the first free one is used.
   */
  readonly callbackPorts: readonly number[];
  /**
   * Opens the address in the browser. Resolves with false if there is no browser or it could not be
   * started.
   */
  openBrowser(address: string): Promise<boolean>;
  /** Absolute path of the program that continues sessions without a terminal. */
  readonly backgroundFile: string;
  /** Calls the listener on each Ctrl+C until disposed. */
  onInterrupt(listener: () => void): Disposable;
  /** Calls the listener when the terminal is closed. */
  onHangUp(listener: () => void): Disposable;
  /** Ends the process immediately, without waiting for pending work. */
  exit(code: number): void;
}

export const exitCodes = { goal: 0, error: 1, ended: 2, interrupted: 130 } as const;
