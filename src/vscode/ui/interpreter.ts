import { homedir } from 'node:os';
import { extensions, Uri, workspace } from 'vscode';
import { interpreterOf } from './interpreterChoices.ts';

/** Maximum time that a Python extension has to start and to answer. */
const answerMs = 5_000;

/**
 * Resolves with the absolute path of the Python interpreter that the user has selected for a folder;
 * `undefined` if none is selected or no extension answers in time.
 */
export function selectedInterpreter(folder: string): Promise<string | undefined> {
  const resource = Uri.file(folder);
  const configuration = workspace.getConfiguration('python', resource);
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), answerMs);
  const found = interpreterOf({
    api: (id) => Promise.resolve(extensions.getExtension<unknown>(id)?.activate()),
    resource,
    folder,
    homeFolder: homedir(),
    configured: configuration.get<string>('defaultInterpreterPath'),
  });
  return Promise.race([found, late]).finally(() => clearTimeout(timer));
}
