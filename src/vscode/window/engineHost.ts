/** The engine of this window, created on first use and closed with the window. */
import { Emitter, type Event } from '../../base/emitter.ts';
import { UserFacing } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Place } from '../../base/place.ts';
import type { Engine } from '../../agent/contract/engine.ts';
import type { EnginePorts } from '../../agent/contract/ports.ts';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import type { ModelProvider } from '../../models/model.ts';
import { notTrusted } from '../ui/trust.ts';

export type CreateEngine = (options: {
  readonly home: string;
  readonly assetsFolder: string;
  readonly ownerKind: 'window';
  readonly place: Place;
  readonly settings: () => EngineSettings;
  readonly ports: EnginePorts;
  readonly providers: readonly ModelProvider[];
  readonly logger: Logger;
}) => Promise<Engine>;

export interface EngineHostOptions {
  readonly create: () => Promise<Engine>;
  /** Whether the workspace is trusted. In an untrusted workspace, no engine is created. */
  readonly isTrusted: () => boolean;
}

export class EngineHost {
  readonly #options: EngineHostOptions;
  readonly #opened = new Emitter<Engine>();
  /** Fires once, when the engine has been created. */
  readonly onDidOpen: Event<Engine> = this.#opened.event;
  #engine: Promise<Engine> | undefined;
  #current: Engine | undefined;
  #isClosed = false;

  constructor(options: EngineHostOptions) {
    this.#options = options;
  }

  /** The engine; `undefined` until it has been created. */
  get current(): Engine | undefined {
    return this.#current;
  }

  /**
   * Returns the engine, which is created on the first call. After a failure, the next call tries
   * again. Rejects with `UserFacing` in an untrusted workspace.
   */
  get(): Promise<Engine> {
    if (!this.#options.isTrusted()) return Promise.reject(notTrusted());
    if (this.#isClosed) return Promise.reject(new UserFacing('This window is closing.'));
    this.#engine ??= this.#open();
    return this.#engine;
  }

  /** Closes the engine, which releases its sessions. Their runs continue on the machines. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const engine = await this.#engine?.catch(() => undefined);
    this.#current = undefined;
    await engine?.close();
    engine?.dispose();
  }

  async #open(): Promise<Engine> {
    try {
      const engine = await this.#options.create();
      this.#current = engine;
      this.#opened.fire(engine);
      return engine;
    } catch (error) {
      this.#engine = undefined;
      throw error;
    }
  }
}
