/**
 * One life of a night, in a process of its own so that it can be killed: begins the session of the folder, or takes it up.
 * Tells its parent when the session goes on, with how long that took from the start of the process, and when it has ended.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { isSessionId } from '../../src/base/ids.ts';
import { homeAt } from '../../src/storage/home.ts';
import { homeOf, openEngine, workOf } from './bed.ts';

const [folder = '', anthropicBaseUrl = '', goal = ''] = process.argv.slice(2);
const engine = await openEngine({ folder, anthropicBaseUrl });
const { sessionsFolder } = homeAt(homeOf(folder));
await mkdir(sessionsFolder, { recursive: true });
const id = (await readdir(sessionsFolder)).find(isSessionId);
const session =
  id === undefined
    ? await engine.sessions.start({ goal, budget: {}, workFolder: workOf(folder) })
    : await engine.sessions.resume(id);
process.send?.({ upMs: performance.now() });
await session.ended;
await engine.close();
process.send?.('ended');
process.disconnect();
