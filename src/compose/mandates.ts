/** The mandates of the user and of projects. */
import { readMandate, type MandateReading } from '../permissions/mandate/mandateFiles.ts';
import type { ProjectFile } from '../project/projects.ts';
import type { Home } from '../storage/home.ts';

export { mandateText } from '../permissions/mandate/mandateFiles.ts';

/** Returns the function that reads the mandate for a working folder. */
export const mandateReader =
  ({ mandatesFolder }: Pick<Home, 'mandatesFolder'>) =>
  (workFolder: string, project?: ProjectFile): MandateReading =>
    readMandate(
      mandatesFolder,
      workFolder,
      project?.mandate && { file: project.file, mandate: project.mandate },
    );
