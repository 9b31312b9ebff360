/** Commands on the reports of a session. */
import type { Handlers } from '../ui/commandRegistry.ts';
import { openPreview } from './openBrief.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { sessionIdOf } from '../ui/commandTarget.ts';
import { anySession } from '../window/pick.ts';

export function reportCommands({ host, sessions, logger }: WindowDeps) {
  return {
    'helios.openBrief': async (argument) => {
      const engine = await host.get();
      const id =
        sessionIdOf(argument) ?? (await anySession(engine.sessions.list(), sessions.all()[0]?.id));
      if (id === undefined) return;
      const { file } = await engine.reports.write(id);
      await openPreview(file, logger);
    },
  } satisfies Handlers;
}
