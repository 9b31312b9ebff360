/** This computer as Windows: real files of a scratch folder, under paths such as `C:\proj\a.txt`. */
import { readdirSync } from 'node:fs';
import { readdir, readlink, realpath } from 'node:fs/promises';
import { join, sep, win32 } from 'node:path';
import { WindowsComputer } from '../../src/machines/local/windowsComputer.ts';

type ReadRange = NonNullable<Parameters<WindowsComputer['readFile']>[1]>;
type Write = Parameters<WindowsComputer['writeFile']>;

export class WindowsDrive extends WindowsComputer {
  override readonly homeFolder = 'C:\\Users\\ada';
  readonly #folder: string;

  /** Drive `C:` is the folder `C` in `folder`, with every other drive beside it. */
  constructor(folder: string, workFolder = 'C:\\proj') {
    super(
      { runsFolder: 'C:\\Users\\ada\\.helios\\runs', workFolder },
      {
        realpath: async (path) => windowsPath(folder, await realpath(hostPath(folder, path))),
        readlink: async (path) => windowsPath(folder, await readlink(hostPath(folder, path))),
        list: async (path) =>
          (await readdir(hostPath(folder, path), { withFileTypes: true })).map(
            (entry) => entry.name + (entry.isDirectory() ? '/' : ''),
          ),
      },
    );
    this.#folder = folder;
  }

  override readFile(path: string, range?: ReadRange): Promise<Uint8Array> {
    return super.readFile(hostPath(this.#folder, path), range);
  }

  /** Windows shows no open folders as paths, so the real path is not checked there. */
  override writeFile(
    path: Write[0],
    content: Write[1],
    { isPrivate = false }: Write[2] = {},
  ): Promise<void> {
    return super.writeFile(hostPath(this.#folder, path), content, { isPrivate });
  }

  override stat(path: string): ReturnType<WindowsComputer['stat']> {
    return super.stat(hostPath(this.#folder, path));
  }
}

/** Returns the path of the file in the scratch folder. Ignores case, as Windows does. */
export function hostPath(folder: string, path: string): string {
  const { root } = win32.parse(path);
  if (!/^[a-z]:[\\/]$/i.test(root)) throw new Error(`Not on a drive: ${path}`);
  const names = win32.normalize(path).slice(root.length).split('\\');
  return names.reduce(
    (found, name) => join(found, nameIn(found, name)),
    join(folder, root.slice(0, 1).toUpperCase()),
  );
}

function nameIn(folder: string, name: string): string {
  try {
    const names = readdirSync(folder);
    return names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
  } catch {
    return name;
  }
}

function windowsPath(folder: string, path: string): string {
  if (!path.startsWith(folder)) throw new Error(`Outside the drive: ${path}`);
  const [drive, ...names] = path.slice(folder.length + 1).split(sep);
  return `${drive}:\\${names.join('\\')}`;
}
