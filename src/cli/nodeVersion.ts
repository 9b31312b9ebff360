const lowestMajor = 22;

/**
 * Returns why `helios` cannot run on this version of Node (such as `20.20.2`), and what to do;
 * `undefined` if it can.
 */
export function nodeProblem(version: string): string | undefined {
  if (Number.parseInt(version) >= lowestMajor) return undefined;
  return `helios needs Node ${lowestMajor} or newer, and this is ${version}. Install a newer Node from https://nodejs.org.`;
}

/** Returns why `helios` cannot run in its folder, and what to do; `undefined` if it can. */
export function folderProblem(currentFolder: () => string): string | undefined {
  try {
    currentFolder();
    return undefined;
  } catch {
    return 'helios: The current folder was removed or cannot be read. Go to another folder with cd.';
  }
}
