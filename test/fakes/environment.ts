/**
 * Gives the environment of this process its former variables again. Replacing `process.env` itself
 * would leave an object whose changes the process does not see.
 */
export function restoreEnvironment(before: Readonly<NodeJS.ProcessEnv>): void {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
}
