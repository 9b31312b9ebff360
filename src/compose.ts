/** Builds the engine from ports, top to bottom in order of dependency. Knows no skin; used by all of them and by tests. */
import { homedir } from 'node:os';
import path from 'node:path';
import type { Engine, EnginePorts, EngineSettings } from './agent/engine.ts';
import { SessionCatalogue } from './agent/sessionCatalogue.ts';
import { SessionStore } from './agent/sessionStore.ts';
import { systemClock, type Clock } from './base/clock.ts';
import { silentLogger, type Logger } from './base/logger.ts';
import { createRemote } from './machines/createRemote.ts';
import { HomeFolders } from './machines/homeFolders.ts';
import { LocalMachine } from './machines/localMachine.ts';
import { MachineFile } from './machines/machineFile.ts';
import type { MachinePrompts } from './machines/machinePrompts.ts';
import { MachineRegistry, type CreateMachine } from './machines/machineRegistry.ts';
import { createAnthropicProvider } from './models/anthropic.ts';
import { createDemoProvider } from './models/demo.ts';
import type { ModelProvider } from './models/model.ts';
import { createCompatibleProvider } from './models/openaiChat.ts';
import { createOpenaiProvider } from './models/openaiResponses.ts';
import { extendPrices, listPrices } from './models/prices.ts';
import { Runs } from './runs/runs.ts';
import { writeFileAtomic } from './storage/atomicFile.ts';
import { homeAt } from './storage/home.ts';
import { SessionIndex } from './storage/sessionIndex.ts';

export const heliosVersion = '0.1.0';

export interface EngineOptions {
  /** The home folder, absolute. `defaultHome` where the person names none. */
  readonly home: string;
  /** The folder that holds `sql-wasm.wasm`. */
  readonly assetsFolder: string;
  /** Read anew for each session. */
  settings(): EngineSettings;
  readonly ports: EnginePorts;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Where the local machine starts commands when a session names no folder. */
  readonly workFolder?: string;
  /** Used in place of the built-in provider of the same id. */
  readonly providers?: readonly ModelProvider[];
  /** In place of what connects to the machines of `machines.json`. */
  readonly createMachine?: CreateMachine;
}

const writeForOwner = (file: string, text: string): Promise<void> => writeFileAtomic(file, text, 0o600);

export const defaultHome = (): string => path.join(homedir(), '.helios');

export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { settings, ports, clock = systemClock, logger = silentLogger } = options;
  const home = homeAt(options.home);
  const localIn = (workFolder: string): LocalMachine =>
    new LocalMachine({ runsFolder: home.runsFolder, workFolder, clock });
  const homes = new HomeFolders(home.machineHomesFile, writeForOwner);
  const machines = await MachineRegistry.open({
    local: localIn(options.workFolder ?? homedir()),
    file: new MachineFile({ path: home.machinesFile, write: writeForOwner }),
    create: options.createMachine ?? createRemote({ prompts: promptsOf(ports), homes, clock }),
    isBusy: (id) => runs.all().some(({ spec, liveness }) => spec.machineId === id && liveness.kind !== 'ended'),
    clock,
    logger,
  });
  const runs = new Runs({ machines, folder: home.runsFolder, clock });
  const providers = (): Map<string, ModelProvider> => {
    const all = [...createProviders(settings(), ports, clock), ...(options.providers ?? [])];
    return new Map(all.map((provider) => [provider.id, provider]));
  };
  const catalogue = new SessionCatalogue({
    home,
    logger,
    openIndex() {
      const wasmFile = path.join(options.assetsFolder, 'sql-wasm.wasm');
      return SessionIndex.open({ file: home.indexFile, wasmFile, clock, logger });
    },
  });
  const sessions = new SessionStore({
    home,
    version: heliosVersion,
    catalogue,
    shared: {
      clock,
      logger,
      runs,
      machinesIn: (workFolder) => machines.with(localIn(workFolder)),
      ports,
      providers,
      settings,
      globalMemoryFolder: home.globalMemoryFolder,
      prices: () => extendPrices(listPrices, settings().prices ?? {}),
    },
  });
  const close = async (): Promise<void> => {
    await sessions.close();
    runs.dispose();
    machines.dispose();
    await catalogue.close();
  };
  return {
    home: home.folder,
    sessions,
    machines,
    runs,
    globalMemoryFolder: home.globalMemoryFolder,
    providers: () => [...providers().values()],
    close,
    dispose: () => void close(),
  };
}

/** Nobody to ask: no secret, and no key of a host is taken on trust. */
const promptsOf = (ports: EnginePorts): MachinePrompts => ({
  askSecret: (question, signal) => ports.askSecret?.(question, signal) ?? Promise.resolve(undefined),
  confirmHostKey: (question, signal) => ports.confirmHostKey?.(question, signal) ?? Promise.resolve(false),
});

function createProviders(settings: EngineSettings, ports: EnginePorts, clock: Clock): ModelProvider[] {
  const key = (name: string) => () => ports.secret(name);
  const { anthropicBaseUrl, openaiBaseUrl, compatibleBaseUrl } = settings;
  return [
    createAnthropicProvider({
      apiKey: key('anthropic'),
      clock,
      ...(anthropicBaseUrl && { baseUrl: anthropicBaseUrl }),
    }),
    createOpenaiProvider({ apiKey: key('openai'), clock, ...(openaiBaseUrl && { baseUrl: openaiBaseUrl }) }),
    ...(compatibleBaseUrl === undefined
      ? []
      : [
          createCompatibleProvider({
            apiKey: key('compatible'),
            clock,
            baseUrl: compatibleBaseUrl,
            defaultModel: settings.provider === 'compatible' ? (settings.model ?? 'default') : 'default',
          }),
        ]),
    createDemoProvider(),
  ];
}
