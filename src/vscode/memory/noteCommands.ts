/** Commands on memory notes. */
import type { Notes } from './notes.ts';
import { window } from 'vscode';
import { messageOf, UserFacing } from '../../base/errors.ts';
import { openFile, type Handlers } from '../ui/commandRegistry.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { noteOf } from '../ui/commandTarget.ts';
import { parsePath } from '../../compose/memory.ts';

type NoteDeps = WindowDeps & { readonly notes: Notes };

export function noteCommands(deps: NoteDeps) {
  return {
    'helios.newNote': (argument) => newNote(deps, argument),
    'helios.openNote': (argument) => openNote(deps, argument),
    'helios.deleteNote': (argument) => deleteNote(deps, argument),
  } satisfies Handlers;
}

async function newNote({ notes }: NoteDeps, argument: unknown): Promise<void> {
  const place = noteOf(argument) ?? { path: '/global' };
  const path = await window.showInputBox({
    title: 'Helios: New Note',
    prompt:
      'Path of the note; sessions of this project share notes below /project, all sessions those below /global',
    value: `${place.path === '/' ? '' : place.path}/`,
    valueSelection: [1_000, 1_000],
    validateInput: pathProblem,
  });
  if (path === undefined) return;
  const gist = await window.showInputBox({
    title: path,
    prompt: 'Summary in one line, which the agent sees in its list of notes',
  });
  if (gist === undefined) return;
  const sessionId = 'sessionId' in place ? place.sessionId : undefined;
  const store = await notes.store(sessionId);
  if (sessionId === undefined && parsePath(path).root === 'session')
    throw new UserFacing(
      'No session is open, so the note must be shared.',
      'Use a path below /project or /global.',
    );
  const note = await store.write(path, gist.trim() || 'Note of the user', '');
  notes.refresh();
  if (note.file !== undefined) await openFile(note.file);
}

function pathProblem(path: string): string | undefined {
  try {
    return parsePath(path).segments.length === 0
      ? 'Give the note a name, such as /global/tricks.'
      : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function openNote({ notes }: NoteDeps, argument: unknown): Promise<void> {
  const place = noteOf(argument);
  if (place === undefined) return;
  const { file } = await (await notes.store(place.sessionId)).read(place.path);
  if (file !== undefined) await openFile(file);
}

async function deleteNote({ notes }: NoteDeps, argument: unknown): Promise<void> {
  const place = noteOf(argument);
  if (place === undefined) return;
  const choices = [
    { label: `Delete ${place.path}`, detail: 'Also deletes the notes below it.' },
    { label: 'Cancel' },
  ];
  const picked = await window.showQuickPick(choices, { title: `Delete ${place.path}?` });
  if (picked !== choices[0]) return;
  await (await notes.store(place.sessionId)).remove(place.path);
  notes.refresh();
}
