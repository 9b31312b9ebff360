/** An engine as the extension builds it, on a home of its own, for benchmarks. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../src/base/clock.ts';
import type { Engine } from '../../src/agent/contract/engine.ts';
import { createEngine, type EngineOptions } from '../../src/compose/engine.ts';
import type { ModelProvider } from '../../src/models/model.ts';
import { assetsFolder } from '../fakes/testEngine.ts';

export interface BedOptions {
  readonly folder: string;
  /** A scripted model in place of a provider … */
  readonly model?: ModelProvider;
  readonly clock?: Clock;
  /** … or the real Anthropic provider, pointed at this address. */
  readonly anthropicBaseUrl?: string;
  /** Connects the machines that are added. */
  readonly createMachine?: NonNullable<EngineOptions['createMachine']>;
}

export const homeOf = (folder: string): string => join(folder, 'home');
export const workOf = (folder: string): string => join(folder, 'work');

export async function openEngine({
  folder,
  model,
  anthropicBaseUrl,
  clock,
  createMachine,
}: BedOptions): Promise<Engine> {
  await mkdir(workOf(folder), { recursive: true });
  // A project is a repository, and this one not a part of the checkout: the code of experiments is
  // kept in it.
  await promisify(execFile)('git', ['init', '--quiet', workOf(folder)]);
  return createEngine({
    home: homeOf(folder),
    assetsFolder,
    settings: () => ({
      provider: model?.id ?? 'claude',
      permissionMode: 'allow',
      idleTurns: 5,
      ...(anthropicBaseUrl !== undefined && { anthropicBaseUrl }),
    }),
    ports: { secret: () => Promise.resolve('bench-key'), approve: () => Promise.resolve('allow') },
    providers: model === undefined ? [] : [model],
    workFolder: workOf(folder),
    ...(clock && { clock }),
    ...(createMachine && { createMachine }),
  });
}
