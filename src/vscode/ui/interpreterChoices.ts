/** Finds the Python interpreter that the user has selected, from what Python extensions offer. */
import path from 'node:path';

/** The parts of the API of the extension `ms-python.python` that are used here. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: unknown): { readonly id: string; readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ readonly executable: { readonly uri?: { readonly fsPath: string } } } | undefined>;
  };
}

/** The parts of the API of the extension `ms-python.vscode-python-envs` that are used here. */
interface EnvironmentsApi {
  getEnvironment(
    scope: unknown,
  ): Promise<
    { readonly execInfo?: { readonly run?: { readonly executable?: string } } } | undefined
  >;
}

export interface InterpreterSources {
  /** Resolves with the API of an extension; `undefined` if it is not installed. */
  api(extension: string): Promise<unknown>;
  /** URI of the folder, for the extensions. */
  readonly resource: unknown;
  readonly folder: string;
  readonly homeFolder: string;
  /** Value of `python.defaultInterpreterPath`. */
  readonly configured: string | undefined;
}

/**
 * Resolves with the absolute path of the interpreter: from the Python extension, otherwise from the
 * Python Environments extension, otherwise from the setting `python.defaultInterpreterPath`.
 * Resolves with `undefined` if none is selected. Never rejects.
 */
export async function interpreterOf(sources: InterpreterSources): Promise<string | undefined> {
  for (const source of [ofPython, ofEnvironments, ofSetting]) {
    const found = await source(sources).catch(() => undefined);
    if (found !== undefined && path.isAbsolute(found)) return found;
  }
  return undefined;
}

async function ofPython({ api, resource }: InterpreterSources): Promise<string | undefined> {
  const { environments } = (await api('ms-python.python')) as PythonApi;
  const active = environments.getActiveEnvironmentPath(resource);
  const resolved = await environments.resolveEnvironment(active);
  return resolved?.executable.uri?.fsPath ?? active.path;
}

async function ofEnvironments({ api, resource }: InterpreterSources): Promise<string | undefined> {
  const extension = (await api('ms-python.vscode-python-envs')) as EnvironmentsApi;
  return (await extension.getEnvironment(resource))?.execInfo?.run?.executable;
}

function ofSetting({
  configured = '',
  folder,
  homeFolder,
}: InterpreterSources): Promise<string | undefined> {
  const expanded = configured
    .replace(/\$\{workspaceFolder\}/g, folder)
    .replace(/\$\{userHome\}|^~(?=\/)/g, homeFolder);
  const isPath = expanded.includes('/') || expanded.includes('\\');
  return Promise.resolve(isPath ? path.resolve(folder, expanded) : undefined);
}
