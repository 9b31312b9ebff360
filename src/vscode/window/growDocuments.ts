import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { journalFolder, outputFolder, type Documents } from './documents.ts';
import type { OpenSessions } from './openSessions.ts';

/** Updates open documents with journals and run outputs as the journals and outputs grow. */
export function growDocuments(sessions: OpenSessions, documents: Documents): Disposable {
  const owned = new DisposableStore();
  owned.add(sessions.onDidRecord(({ session }) => documents.changed(journalFolder(session.id))));
  owned.add(
    sessions.onDidChangeRun(({ kind, run: { spec } }) => {
      if (kind === 'output' || kind === 'ended') documents.changed(outputFolder(spec.id));
    }),
  );
  return owned;
}
