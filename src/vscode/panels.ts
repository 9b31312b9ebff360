/** The webview panels that show a session: the metrics panel and the session view. */
import { systemClock } from '../base/clock.ts';
import type { SessionId } from '../base/ids.ts';
import { createMetricsPanels } from './metrics/panel.ts';
import { createMetricsSource } from './metrics/metricsSource.ts';
import { createSessionViewSource } from './sessionView/sessionViewSource.ts';
import { createSessionViews } from './sessionView/views.ts';
import { run } from './ui/commandRegistry.ts';
import type { WindowDeps } from './window/windowDeps.ts';

export type MetricsPanels = ReturnType<typeof createMetricsPanels>;
export type SessionViews = ReturnType<typeof createSessionViews>;

export function metricsPanels({ host, sessions, extensionUri, logger }: WindowDeps): MetricsPanels {
  return createMetricsPanels({
    extensionUri,
    clock: systemClock,
    logger,
    openRun: (runId) => void run('helios.openRunOutput', runId),
    source: async (sessionId) =>
      createMetricsSource(
        { engine: await host.get(), sessions, clock: systemClock, logger },
        sessionId as SessionId,
      ),
  });
}

export function sessionViews({ host, sessions, extensionUri, logger }: WindowDeps): SessionViews {
  return createSessionViews({
    extensionUri,
    clock: systemClock,
    logger,
    openRunOutput: (runId) => void run('helios.openRunOutput', runId),
    openMetrics: (sessionId) => void run('helios.showMetrics', sessionId),
    source: async (sessionId) =>
      createSessionViewSource(
        { engine: await host.get(), sessions, clock: systemClock, logger },
        sessionId as SessionId,
      ),
  });
}
