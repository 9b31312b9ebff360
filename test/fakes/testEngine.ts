/** The real engine in a folder of its own, with a model that says what the test tells it to. */
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  EnginePorts,
} from '../../src/agent/contract/ports.ts';
import type { Engine } from '../../src/agent/contract/engine.ts';
import type { EngineSettings } from '../../src/agent/contract/settings.ts';
import type { GoalRequest, Session } from '../../src/agent/contract/sessions.ts';
import type { JournalEvent } from '../../src/agent/journal/events.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Logger } from '../../src/base/logger.ts';
import { createEngine, type EngineOptions } from '../../src/compose/engine.ts';
import type { ModelProvider } from '../../src/models/model.ts';

export interface TestEngine {
  readonly engine: Engine;
  readonly home: string;
  readonly work: string;
  start(request?: Partial<GoalRequest>): Promise<Session>;
  /** Another engine on the same home, as a second process would have. The first is closed. */
  restart(model: ModelProvider): Promise<TestEngine>;
  dispose(): Promise<void>;
}

export interface TestEngineOptions {
  readonly settings?: Partial<EngineSettings>;
  readonly clock?: Clock;
  readonly awakeTime?: NonNullable<EngineOptions['awakeTime']>;
  readonly folder?: string;
  approve?(request: ApprovalRequest): Promise<ApprovalAnswer>;
  /** True if nobody can be asked. */
  readonly isAlone?: boolean;
  readonly createMachine?: NonNullable<EngineOptions['createMachine']>;
  secret?(name: string): Promise<string | undefined>;
  readonly ownerKind?: NonNullable<EngineOptions['ownerKind']>;
  readonly logger?: Logger;
  readonly place?: NonNullable<EngineOptions['place']>;
  readonly platform?: NodeJS.Platform;
  readonly ports?: Partial<EnginePorts>;
}

export const assetsFolder = path.resolve('node_modules/sql.js/dist');

export async function testEngine(
  model: ModelProvider,
  options: TestEngineOptions = {},
): Promise<TestEngine> {
  const folder = options.folder ?? (await mkdtemp(path.join(tmpdir(), 'helios-engine-')));
  const home = path.join(folder, 'home');
  const work = path.join(folder, 'work');
  await mkdir(work, { recursive: true });
  const settings: EngineSettings = {
    provider: model.id,
    permissionMode: 'allow',
    idleTurns: 5,
    ...options.settings,
  };
  const engine = await createEngine({
    home,
    assetsFolder,
    settings: () => settings,
    ports: {
      secret: options.secret ?? (() => Promise.resolve(undefined)),
      ...(options.isAlone !== true && {
        approve: options.approve ?? (() => Promise.resolve<ApprovalAnswer>('deny')),
      }),
      ...options.ports,
    },
    providers: [model],
    workFolder: work,
    ...(options.clock && { clock: options.clock }),
    ...(options.awakeTime && { awakeTime: options.awakeTime }),
    ...(options.logger && { logger: options.logger }),
    ...(options.platform && { platform: options.platform }),
    ...(options.createMachine && { createMachine: options.createMachine }),
    ...(options.place && { place: options.place }),
    ...(options.ownerKind && { ownerKind: options.ownerKind }),
  });
  return {
    engine,
    home,
    work,
    start: (request = {}) =>
      engine.sessions.start({ goal: 'bring loss < 1', budget: {}, workFolder: work, ...request }),
    async restart(next) {
      await engine.close();
      return testEngine(next, { ...options, folder });
    },
    async dispose() {
      await engine.close();
      // A run that goes on may write meanwhile.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

/** The events of a type, typed. */
export const eventsOf = <Type extends JournalEvent['type']>(
  session: Session,
  type: Type,
): Extract<JournalEvent, { type: Type }>[] =>
  session
    .events()
    .filter((event): event is Extract<JournalEvent, { type: Type }> => event.type === type);

/** Resolves with the first event, past or future, that fits. */
export function eventually<Type extends JournalEvent['type']>(
  session: Session,
  type: Type,
  fits: (event: Extract<JournalEvent, { type: Type }>) => boolean = () => true,
): Promise<Extract<JournalEvent, { type: Type }>> {
  const isIt = (event: JournalEvent): event is Extract<JournalEvent, { type: Type }> =>
    event.type === type && fits(event as Extract<JournalEvent, { type: Type }>);
  const past = session.events().find(isIt);
  if (past !== undefined) return Promise.resolve(past);
  return new Promise((resolve) => {
    const listening = session.onDidRecord((event) => {
      if (!isIt(event)) return;
      listening.dispose();
      resolve(event);
    });
  });
}

/**
 * Looks again after every round of the event loop; for what has no event. Fails after a time that
 * only a fault takes.
 */
export async function until(holds: () => boolean): Promise<void> {
  const endMs = performance.now() + 120_000;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`Never came true: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
