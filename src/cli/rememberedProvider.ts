/** Remembers the model provider that answered last, for goals that do not name a provider. */
import type { Session } from '../agent/contract/sessions.ts';
import type { JournalEvent } from '../agent/journal/events.ts';
import { readLastProvider, writeLastProvider } from '../compose/lastProvider.ts';
import { projectsAt } from '../compose/project.ts';
import type { CliOptions } from './arguments.ts';

/** The scripted demo. Not remembered, because it is no model that can work on a goal. */
const demo = 'demo';

/**
 * The provider that answered in an earlier session, and the provider that would be used otherwise.
 */
export interface RememberedProvider {
  readonly provider: string;
  /** Undefined if no provider could be used. */
  readonly usual: string | undefined;
}

/**
 * Resolves with the remembered provider; `undefined` if there is none, if `usable` rejects for it,
 * or if it is the provider that would be used anyway.
 */
export async function rememberedProvider(
  home: string,
  usual: Promise<string>,
  usable: (provider: string) => Promise<unknown>,
): Promise<RememberedProvider | undefined> {
  const [provider, otherwise] = await Promise.all([
    readLastProvider(home),
    usual.catch(() => undefined),
  ]);
  if (provider === undefined || provider === demo || provider === otherwise) return undefined;
  const isUsable = await usable(provider).then(
    () => true,
    () => false,
  );
  return isUsable ? { provider, usual: otherwise } : undefined;
}

export const rememberedText = ({ provider, usual }: RememberedProvider): string =>
  `Provider ${provider}, which answered last${usual === undefined ? '' : `, instead of ${usual}`}. Choose another with -P.`;

/** Remembers the provider of each call of a session that succeeds. */
export class ProviderMemory {
  readonly #home: string;
  readonly #isNamed: boolean;
  #last: string | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(home: string, { provider, model }: Pick<CliOptions, 'provider' | 'model'>) {
    this.#home = home;
    this.#isNamed = provider !== undefined || model !== undefined;
  }

  /** Watches the session until disposed. */
  watch(session: Pick<Session, 'state' | 'onDidRecord'>): ReturnType<Session['onDidRecord']> {
    return session.onDidRecord((event) => this.#hear(event, session.state.workFolder));
  }

  /**
   * Resolves when everything is written. Ignores a failed write, because only the next choice of a
   * provider depends on it.
   */
  settled(): Promise<void> {
    return this.#written;
  }

  #hear(event: JournalEvent, workFolder: string): void {
    if (event.type !== 'model.replied' || event.stop === 'error' || event.stop === 'aborted')
      return;
    const { provider } = event;
    if (provider === demo || provider === this.#last) return;
    this.#last = provider;
    this.#written = this.#written
      .then(() => this.#write(provider, workFolder))
      .catch(() => undefined);
  }

  /**
   * Writes the provider, unless it comes from the project: a project's provider applies only in its
   * folder.
   */
  async #write(provider: string, workFolder: string): Promise<void> {
    if (!this.#isNamed) {
      const project = await projectsAt(this.#home).read(workFolder);
      if (project?.provider === provider) return;
    }
    await writeLastProvider(this.#home, provider);
  }
}
