/** Opens an engine for the commands that do not work on a goal. */
import type { Engine } from '../agent/contract/engine.ts';
import type { EngineSettings } from '../agent/contract/settings.ts';
import { silentLogger } from '../base/logger.ts';
import type { CommandContext } from './command.ts';
import { secretStore } from '../compose/secrets.ts';
import { keyReader } from './auth/keys.ts';
import { refusingPrompts, terminalPrompts } from './machines/machinePrompts.ts';
import { homeAt } from '../compose/home.ts';

/**
 * Opens an engine, passes it to `work`, and closes it afterwards. These commands call no model, so
 * the default provider is the demo, and approvals are denied.
 */
export async function withEngine<T>(
  { deps, home }: CommandContext,
  work: (engine: Engine) => Promise<T>,
  settings: EngineSettings = {
    provider: 'demo',
    permissionMode: 'ask',
    idleTurns: 1,
    keepsMode: 'recorded',
  },
): Promise<T> {
  const isTerminal = deps.stdin.isTTY === true && deps.stdout.isTTY === true;
  const { authFolder } = homeAt(home);
  const engine = await deps.createEngine({
    home,
    assetsFolder: deps.assetsFolder,
    settings: () => settings,
    ports: {
      secret: keyReader(deps.env, authFolder),
      storeSecret: secretStore(authFolder),
      ...(isTerminal ? terminalPrompts(deps) : refusingPrompts(deps)),
    },
    clock: deps.clock,
    logger: { ...silentLogger, warn: (message) => void deps.stderr.write(`helios: ${message}\n`) },
    workFolder: deps.cwd,
  });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
