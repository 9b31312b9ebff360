import { makeFolders } from '../base/folders.ts';
import { storageFailure } from './storageFailure.ts';

/** Creates the folder and its parents. Rejects with `StorageFailure`. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeFolders(folder);
  } catch (error) {
    throw storageFailure(error, folder);
  }
}
