/** The project file (`helios.json`) of a folder. */
export { readProjectFile, createProjectFile } from '../project/projectFile.ts';
