import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { HeldMessages } from '../../notify/heldMessages.ts';
import { Notifier, type NotifierOptions } from '../../notify/notifier.ts';
import { checkNotifications } from '../../project/userNotifications.ts';
import type { EnginePorts } from '../contract/ports.ts';
import type { EngineSettings } from '../contract/settings.ts';

export interface NotifierDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ports: EnginePorts;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof globalThis.fetch;
  readonly secrets: Redactor;
  readonly held: HeldMessages;
  readonly publicNetwork: NotifierOptions['publicNetwork'];
  isAllowed(allowance: string): Promise<boolean>;
  settings(): EngineSettings;
}

/**
 * Creates the notifier. Warns once when the notification settings are invalid, and again when the
 * user changes them to other invalid settings. While the settings are invalid, only the window
 * shows notifications.
 */
export function createNotifier({ secrets, ports, settings, ...around }: NotifierDeps): Notifier {
  let before: string | undefined;
  return new Notifier({
    ...around,
    redact: secrets.redact,
    settings() {
      const { settings: checked, problem } = checkNotifications(settings().notifications);
      if (problem !== undefined && problem !== before)
        around.logger.warn(`The notification settings are invalid: ${problem}`);
      before = problem;
      return checked;
    },
    caFile: () => settings().caFile,
    show: ports.notify?.bind(ports),
    secrets: {
      env: around.env,
      secret: (name) => ports.secret(name),
      onFound: (value) => secrets.add(value),
    },
  });
}
