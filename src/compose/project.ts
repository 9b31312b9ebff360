/** The project files (`helios.json`) of folders, and what the user has allowed of them. */
import { Projects } from '../project/projects.ts';
import { writeFileAtomic } from '../storage/atomicFile.ts';
import { homeAt } from '../storage/home.ts';

export { reviewText } from '../project/reviewText.ts';

/**
 * Returns the project files for the home folder of Helios. `homeFolder`: the home folder of the
 * user, above which no project file is searched for.
 */
export const projectsAt = (home: string, homeFolder?: string): Projects =>
  new Projects({
    folder: homeAt(home).allowedFolder,
    write: (file, text) => writeFileAtomic(file, text, 0o600),
    ...(homeFolder !== undefined && { homeFolder }),
  });
