/** The user's choices for folders, such as the permission mode. */
import { FolderChoices } from '../project/folderChoices.ts';
import { writeFileAtomic } from '../storage/atomicFile.ts';
import { exclusively } from '../storage/exclusively.ts';
import { homeAt } from '../storage/home.ts';

export { modeOf } from '../project/folderChoices.ts';

/** Returns the choices that are stored in a home folder of Helios. */
export const folderChoicesAt = (home: string): FolderChoices =>
  new FolderChoices({
    file: homeAt(home).foldersFile,
    write: (file, text) => writeFileAtomic(file, text, 0o600),
    exclusively,
  });
