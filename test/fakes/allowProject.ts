import { projectsAt } from '../../src/compose/project.ts';

/** Allows the content of the `helios.json` that applies to the folder, as `helios allow` does. */
export async function allowProject(home: string, folder: string): Promise<void> {
  const projects = projectsAt(home);
  const review = await projects.review(folder);
  if (review === undefined) throw new Error(`No helios.json applies to ${folder}`);
  await projects.allow(review);
}
