import { access, constants, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Engine } from '../../agent/contract/engine.ts';
import type { SessionId } from '../../base/ids.ts';
import { counted, formatBytes } from '../../base/text.ts';
import type { Home } from '../../storage/home.ts';
import { homeAt, openToOthers } from '../../compose/home.ts';
import { JournalFollower } from '../../compose/journals.ts';
import type { CommandContext } from '../command.ts';
import { homeAccess, keyFindings } from './access.ts';
import { broken, note, ok, warning, type Finding, type Section } from './finding.ts';

const lowBytes = 5e9;
const minBytes = 200e6;
/** Maximum number of journals to check, newest first. Each one is read completely. */
const maxJournals = 100;

/**
 * Checks the home folder, keys, index, journals and leases. Changes only the index.
 * @param wasOpen Paths that other users could access before the engine started.
 */
export async function storageFindings(
  engine: Engine,
  { home }: CommandContext,
  wasOpen: readonly string[],
): Promise<Section> {
  const at = homeAt(home);
  const findings = [
    ...(await folderFindings(at)),
    homeAccess(wasOpen, await openToOthers(at)),
    ...(await keyFindings(at)),
    ...(await sessionFindings(engine, at)),
  ];
  return { title: 'Home folder', findings };
}

async function folderFindings({ folder }: Home): Promise<Finding[]> {
  const place = await nearest(folder);
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const space = `${formatBytes(free)} free`;
  const isWritable = await access(place, constants.W_OK).then(
    () => true,
    () => false,
  );
  return [
    isWritable
      ? ok('folder', folder)
      : broken('folder', `${folder} cannot be written to.`, 'Choose another with --home.'),
    free < minBytes
      ? broken(
          'disk',
          `${space}. Sessions wait while the disk is full.`,
          'Free some space, for example with helios clean.',
        )
      : free < lowBytes
        ? warning('disk', space, 'Delete old sessions with helios clean.')
        : ok('disk', space),
  ];
}

/** Returns the folder or, if it does not exist, its nearest existing ancestor. */
async function nearest(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || path.dirname(folder) === folder ? folder : nearest(path.dirname(folder));
}

async function sessionFindings({ sessions }: Engine, home: Home): Promise<Finding[]> {
  const listed = await sessions.list();
  const left = listed.filter(
    ({ endReason, phase }) => endReason === undefined && phase !== 'paused',
  );
  const owners = await Promise.all(left.map(({ id }) => sessions.owner(id)));
  const interrupted = left.filter((_, index) => owners[index] === undefined);
  const checked = listed.slice(0, maxJournals);
  const damaged = (await Promise.all(checked.map(({ id }) => damageOf(home, id)))).flat();
  const stale = await staleLeases(
    home,
    sessions,
    checked.map(({ id }) => id),
  );
  return [
    ok('index', counted(listed.length, 'session')),
    ...(damaged.length === 0
      ? [ok('journals', `the newest ${checked.length} are intact`)]
      : damaged),
    ...interrupted.map(({ id }) =>
      warning('session', `${id} has not ended, and no process runs it.`, `helios --resume ${id}`),
    ),
    ...(stale > 0
      ? [
          note(
            'leases',
            `${stale} left by processes that have ended; the next process that resumes the session takes over`,
          ),
        ]
      : []),
  ];
}

async function damageOf(home: Home, id: SessionId): Promise<Finding[]> {
  const file = home.journalFile(id);
  const damage: string[] = [];
  for await (const piece of new JournalFollower(file).read()) damage.push(...piece.damage);
  const [first] = damage;
  if (first === undefined) return [];
  const more = damage.length > 1 ? `, and ${damage.length - 1} more` : '';
  return [
    warning(
      'journal',
      `${file}: ${first}${more}`,
      'The other events are read; no action is needed.',
    ),
  ];
}

async function staleLeases(
  home: Home,
  sessions: Engine['sessions'],
  ids: readonly SessionId[],
): Promise<number> {
  const stale = await Promise.all(
    ids.map(async (id) => {
      const isThere = await stat(home.leaseFile(id)).then(
        () => true,
        () => false,
      );
      return isThere && (await sessions.owner(id)) === undefined;
    }),
  );
  return stale.filter(Boolean).length;
}
