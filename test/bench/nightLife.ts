/**
 * One life of a night, in a process of its own so that it can be killed: begins a session, or takes
 * it up, with the bundles that are shipped. A window has its background process beside it. Tells
 * its parent when the session goes on, with how long that took from the start of the process.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { EngineSettings } from '../../src/agent/contract/settings.ts';
import type { Handover } from '../../src/compose/handover.ts';
import type { SessionId } from '../../src/base/ids.ts';
import type { BackgroundProcess } from '../../src/compose/backgroundProcess.ts';
import type * as compose from '../../src/compose/engine.ts';
import type { LifeNews, LifeTerms } from './killedLives.ts';

const terms = JSON.parse(process.argv[2] ?? '{}') as LifeTerms;
const { kind, home, workFolder, product, url, goal, graceMs, sessionId } = terms;

const engineFile = join(product, 'engine.cjs');
const { createEngine } = createRequire(engineFile)(engineFile) as typeof compose;
const secrets = { anthropic: 'bench-key' };
const settings: EngineSettings = {
  ...{ provider: 'claude', permissionMode: 'allow', idleTurns: 5 },
  anthropicBaseUrl: url,
};

const tell = (news: LifeNews): boolean | undefined => process.send?.(news);

const engine = await createEngine({
  ...{ home, workFolder },
  assetsFolder: product,
  settings: () => settings,
  ports: {
    secret: () => Promise.resolve(secrets.anthropic),
    approve: () => Promise.resolve('allow'),
  },
  ownerKind: kind === 'window' ? 'window' : 'terminal',
});
const session =
  sessionId === undefined
    ? await engine.sessions.start({ goal, budget: {}, workFolder })
    : await engine.sessions.resume(sessionId);
const upMs = performance.now();
const { user, system } = process.cpuUsage();
if (session.state.phase !== 'ended') {
  tell({ upMs, processorMs: (user + system) / 1_000 });
  const backgroundProcess = kind === 'window' ? await standBy(session.id) : undefined;
  await session.ended;
  backgroundProcess?.dismiss(handoverOf([]));
}
await engine.close();
process.disconnect();

async function standBy(id: SessionId): Promise<BackgroundProcess> {
  const { BackgroundProcess: BackgroundProcess } =
    await import('../../src/compose/backgroundProcess.ts');
  const backgroundProcess = new BackgroundProcess({
    ...{ home, logFile: join(home, 'background.log'), file: join(product, 'background.cjs') },
    secretVariables: [],
    onExit: (problem) => {
      throw new Error(`The background process is gone: ${problem}`);
    },
  });
  if (backgroundProcess.pid !== undefined) tell({ backgroundPid: backgroundProcess.pid });
  backgroundProcess.tell(handoverOf([id]));
  return backgroundProcess;
}

function handoverOf(sessions: Handover['sessions']): Handover {
  return { home, assetsFolder: product, settings, secrets, machineSecrets: {}, sessions, graceMs };
}
