import { projectsAt } from '../../src/compose/project.ts';
import { Allowances } from '../../src/project/allowances.ts';
import { writeFileAtomic } from '../../src/storage/atomicFile.ts';
import { homeAt } from '../../src/storage/home.ts';

/**
 * Allows the content of the `helios.json` that applies to the folder, as `helios allow` does, also
 * with channels that it would refuse.
 */
export async function allowProject(home: string, folder: string): Promise<void> {
  const review = await projectsAt(home).review(folder);
  if (review === undefined) throw new Error(`No helios.json applies to ${folder}`);
  const { allowedFolder } = homeAt(home);
  const write = (file: string, text: string) => writeFileAtomic(file, text, 0o600);
  await new Allowances({ folder: allowedFolder, write }).add(review.id, review.realFile);
}
