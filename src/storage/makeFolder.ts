import { makeFolders } from '../base/folders.ts';
import { storageFailure } from './storageFailure.ts';

/**
 * Creates the folder and its parents, so that only the user can access them. Rejects with `StorageFailure`.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeFolders(folder, 0o700);
  } catch (error) {
    throw storageFailure(error, folder);
  }
}
