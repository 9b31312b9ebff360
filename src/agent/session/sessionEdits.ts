/** Creates the services that record and undo the edits of a session. */
import path from 'node:path';
import { ToolFailure, UserFacing } from '../../base/errors.ts';
import { ExperimentCodeStore } from '../../experiments/git/experimentCodeStore.ts';
import { checkoutName } from '../../experiments/git/worktrees.ts';
import type { AllToolsDeps } from '../../tools/allTools.ts';
import { EditKeeper } from '../edits/editKeeper.ts';
import { editsOfCheckout, undoEdits, worktreesOf } from '../edits/undoEdits.ts';
import { editFiles } from '../edits/versions.ts';
import type { UndoneEdits } from '../contract/edits.ts';
import type { PartsRequest } from './sessionDeps.ts';
import type { SessionListeners } from './sessionListeners.ts';

export const createEditKeeper = (
  { shared, log, folder }: PartsRequest,
  { machines, limits }: SessionListeners,
): EditKeeper => {
  const { id: sessionId, workFolder } = log.state;
  const { clock } = shared;
  // Later, files of the agent could not be told from those of the user.
  const isFirst = log.events.every(({ type }) => type !== 'tool.started');
  const store = new ExperimentCodeStore({ sessionId, clock, limits });
  return new EditKeeper({
    workFolder,
    heliosFolder: path.dirname(shared.memoryFolders.global),
    worktrees: worktreesOf(folder),
    files: editFiles(folder),
    local: () => machines.get('local'),
    clock,
    logger: shared.logger,
    record: log.record,
    async storeCheckout() {
      if (isFirst) await store.capture(machines.get('local'), workFolder, checkoutName);
    },
  });
};

/** Undoes edits for the user. `paths` are absolute. */
export const undoForUser = (
  { log, folder }: Pick<PartsRequest, 'log' | 'folder'>,
  paths?: readonly string[],
): Promise<UndoneEdits> =>
  undoEdits({
    events: log.events,
    record: log.record,
    folder,
    by: 'person',
    ...(paths && { paths }),
  });

/** Undoes edits for the agent. */
export const undoForAgent = ({ log, folder }: PartsRequest): AllToolsDeps['edits'] => ({
  edited: () =>
    editsOfCheckout(log.events, folder).flatMap(({ path: file, by }) =>
      by === 'tool' ? file : [],
    ),
  undo: (paths, callId) =>
    undoEdits({
      // Leave out the versions that this call stored itself: the call has edited nothing yet.
      events: log.events.filter((event) => event.type !== 'files.kept' || event.callId !== callId),
      record: log.record,
      folder,
      paths,
      by: 'agent',
    }).catch((error: unknown) => {
      throw error instanceof UserFacing
        ? new ToolFailure([error.message, error.action ?? ''].join(' ').trim())
        : error;
    }),
});
