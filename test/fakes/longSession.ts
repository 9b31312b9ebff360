/**
 * One life of a long session, in a process of its own so that it can be killed: begins the session
 * in the folder, or takes it up. Tells its parent of every request; ends by itself when the session
 * has ended.
 */
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Engine } from '../../src/agent/contract/engine.ts';
import { isSessionId } from '../../src/base/ids.ts';
import type { EngineOptions } from '../../src/compose/engine.ts';
import { LongResearcher, type LongWork } from './longResearcher.ts';
import { engineFile } from '../setup/paths.ts';

const [folder = '', work = ''] = process.argv.slice(2);
const plan = JSON.parse(work) as LongWork;
const home = path.join(folder, 'home');
const workFolder = path.join(folder, 'work');
const model = new LongResearcher(plan, (shown) => process.send?.(shown));
const { createEngine } = (await import(engineFile())) as {
  createEngine(options: EngineOptions): Promise<Engine>;
};
const engine = await createEngine({
  home,
  assetsFolder: path.resolve('node_modules/sql.js/dist'),
  settings: () => ({ provider: model.id, permissionMode: 'allow', idleTurns: 5 }),
  ports: {
    secret: () => Promise.resolve(undefined),
    approve: () => Promise.resolve('deny'),
  },
  providers: [model],
  workFolder,
});
await mkdir(path.join(home, 'sessions'), { recursive: true });
const id = (await readdir(path.join(home, 'sessions'))).find(isSessionId);
const session =
  id === undefined
    ? await engine.sessions.start({ goal: plan.goal, budget: {}, workFolder })
    : await engine.sessions.resume(id);
await session.ended;
await engine.close();
process.disconnect();
