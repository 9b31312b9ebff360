import { EventEmitter } from 'node:events';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { Emitter } from '../../src/base/emitter.ts';
import type { CliDeps } from '../../src/cli/cliDeps.ts';
import { createEngine, type EngineOptions } from '../../src/compose/engine.ts';
import type { ModelProvider } from '../../src/models/model.ts';
import { programFile } from '../setup/paths.ts';
import { assetsFolder } from './testEngine.ts';

/** A terminal, or a pipe, that keeps what was written. */
export class FakeOutput extends EventEmitter {
  text = '';
  isTTY = false;
  columns = 80;
  rows = 24;
  readonly writes: string[] = [];

  write(text: string): boolean {
    this.text += text;
    this.writes.push(text);
    return true;
  }
}

export interface FakeDeps extends CliDeps {
  readonly stdin: PassThrough & { isTTY?: boolean };
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
  readonly interrupts: Emitter<void>;
  readonly hangUps: Emitter<void>;
  readonly exits: number[];
  /** Addresses that a browser was opened with. */
  readonly opened: string[];
}

export interface FakeDepsOptions {
  readonly folder: string;
  readonly model?: ModelProvider;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly clock?: Clock;
  readonly createMachine?: NonNullable<EngineOptions['createMachine']>;
  readonly platform?: NodeJS.Platform;
}

/** The real engine below `folder/home`, with `model` in place of the provider of its id. */
export function fakeDeps(given: FakeDepsOptions): FakeDeps {
  const { folder, model, env = {}, isTerminal = false, clock = systemClock, createMachine } = given;
  const stdin: FakeDeps['stdin'] = new PassThrough();
  const stdout = new FakeOutput();
  stdin.isTTY = isTerminal;
  stdout.isTTY = isTerminal;
  const interrupts = new Emitter<void>();
  const hangUps = new Emitter<void>();
  const exits: number[] = [];
  const opened: string[] = [];
  return {
    env,
    cwd: folder,
    stdin,
    stdout,
    stderr: new FakeOutput(),
    clock,
    version: '9.9.9',
    defaultHome: path.join(folder, 'home'),
    assetsFolder,
    homeFolder: folder,
    sshHosts: () =>
      Promise.resolve([
        { alias: 'lab', isForGit: false },
        { alias: 'github.com', isForGit: true },
      ]),
    createEngine: (options) =>
      createEngine({
        ...options,
        ...(model && { providers: [model] }),
        ...(createMachine && { createMachine }),
        ...(given.platform && { platform: given.platform }),
      }),
    callbackPorts: [0],
    openBrowser: (address) => Promise.resolve(opened.push(address) > 0),
    backgroundFile: programFile('background'),
    onInterrupt: (listener) => interrupts.event(listener),
    onHangUp: (listener) => hangUps.event(listener),
    exit: (code) => void exits.push(code),
    interrupts,
    hangUps,
    exits,
    opened,
  };
}

/** What a terminal shows after `text`: its lines, the newest last. Knows what `Screen` writes. */
export function shownBy(text: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let [y, x] = [0, 0];
  const rowAt = (index: number): string[] => {
    while (rows.length <= index) rows.push([]);
    return rows[index] ?? [];
  };
  const sequence = new RegExp('\\u001b\\[([?\\d;]*)([A-Za-z])|([\\s\\S])', 'gu');
  for (const [, parameter = '', command, character = ''] of text.matchAll(sequence)) {
    if (command === 'A') y = Math.max(0, y - Number(parameter || 1));
    else if (command === 'J') {
      rows.splice(y + 1);
      rowAt(y).splice(x);
    } else if (command !== undefined) continue;
    else if (character === '\r') x = 0;
    else if (character === '\n') [y, x] = [y + 1, 0];
    else {
      if (x >= columns) [y, x] = [y + 1, 0];
      const row = rowAt(y);
      while (row.length < x) row.push(' ');
      row[x] = character;
      x += 1;
    }
  }
  return rows.map((row) => row.join(''));
}
