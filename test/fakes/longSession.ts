/**
 * One life of a long session, in a process of its own so that it can be killed: begins the session
 * in the folder, or takes it up. Tells its parent of every request; ends by itself when the session
 * has ended.
 */
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isSessionId } from '../../src/base/ids.ts';
import { LongResearcher, type LongWork } from './longResearcher.ts';
import { testEngine } from './testEngine.ts';

const [folder = '', work = ''] = process.argv.slice(2);
const plan = JSON.parse(work) as LongWork;
const bed = await testEngine(new LongResearcher(plan, (shown) => process.send?.(shown)), {
  folder,
});
await mkdir(path.join(bed.home, 'sessions'), { recursive: true });
const id = (await readdir(path.join(bed.home, 'sessions'))).find(isSessionId);
const session =
  id === undefined ? await bed.start({ goal: plan.goal }) : await bed.engine.sessions.resume(id);
await session.ended;
await bed.engine.close();
process.disconnect();
