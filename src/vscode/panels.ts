/** The webview panels that show a session: the metrics panel and the session view. */
import { systemClock } from '../base/clock.ts';
import type { SessionId } from '../base/ids.ts';
import type { PanelSource } from './metrics/panelSource.ts';
import type { SessionViewSource } from './sessionView/viewSource.ts';
import { run } from './ui/commandRegistry.ts';
import { SessionPanels } from './webviews/sessionPanels.ts';
import { otherSessions } from './window/pick.ts';
import type { WindowDeps } from './window/windowDeps.ts';

export type MetricsPanels = SessionPanels<PanelSource>;
export type SessionViews = SessionPanels<SessionViewSource>;

const clock = systemClock;

export const metricsPanels = (deps: WindowDeps): MetricsPanels =>
  new SessionPanels({
    ...deps,
    viewType: 'helios.metrics',
    load: async () => {
      const [{ metricsPanel }, { createMetricsSource }, { CombinedSource }] = await Promise.all([
        import('./metrics/panel.ts'),
        import('./metrics/metricsSource.ts'),
        import('./metrics/combinedSource.ts'),
      ]);
      const { host, sessions, logger } = deps;
      return metricsPanel({
        clock,
        logger,
        openRun: (runId) => void run('helios.openRunOutput', runId),
        chooseSessions: async (id, chosen) =>
          otherSessions((await host.get()).sessions.list(), id, chosen),
        source: async (id) => {
          const parts = { engine: await host.get(), sessions, clock, logger };
          const open = (other: string) => createMetricsSource(parts, other as SessionId);
          return new CombinedSource(await open(id), open);
        },
      });
    },
  });

export const sessionViews = (deps: WindowDeps): SessionViews =>
  new SessionPanels({
    ...deps,
    viewType: 'helios.session',
    load: async () => {
      const [{ sessionView }, { createSessionViewSource }] = await Promise.all([
        import('./sessionView/views.ts'),
        import('./sessionView/sessionViewSource.ts'),
      ]);
      const { host, sessions, logger } = deps;
      return sessionView({
        clock,
        logger,
        openRunOutput: (runId) => void run('helios.openRunOutput', runId),
        openMetrics: (id) => void run('helios.showMetrics', id),
        source: async (id) =>
          createSessionViewSource(
            { engine: await host.get(), sessions, clock, logger },
            id as SessionId,
          ),
      });
    },
  });
