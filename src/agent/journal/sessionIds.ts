import { readdir } from 'node:fs/promises';
import { codeOf } from '../../base/errors.ts';
import { isSessionId, type SessionId } from '../../base/ids.ts';
import type { Home } from '../../storage/home.ts';

/** Returns the ids of all sessions on disk, oldest first. */
export async function sessionIds(home: Home): Promise<SessionId[]> {
  try {
    return (await readdir(home.sessionsFolder)).filter(isSessionId).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
