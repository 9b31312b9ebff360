import type { Engine } from '../../agent/contract/engine.ts';
import { adviceOf } from '../../base/errors.ts';
import type { ModelProvider } from '../../models/model.ts';
import { authStatus, type AuthRow } from '../auth/authStatus.ts';
import type { CommandContext } from '../command.ts';
import { homeAt } from '../../compose/home.ts';
import { broken, note, ok, type Finding, type Section } from './finding.ts';

/** Id of the scripted demo, which is not checked because it is always ready. */
const demo = 'demo';

/**
 * Checks which providers are ready, by the same rules as the start of a session, and reports the
 * sources of their keys.
 */
export async function modelFindings(
  engine: Engine,
  { deps, home }: CommandContext,
): Promise<Section> {
  const rows = new Map(
    (await authStatus(deps.env, homeAt(home).authFolder)).map((row) => [row.provider, row]),
  );
  const providers = engine.providers().filter(({ id }) => id !== demo);
  const findings = await Promise.all(
    providers.map((provider) => findingOf(provider, rows.get(provider.id))),
  );
  const isAnybodyReady = findings.some(({ level }) => level === 'ok');
  const nobody = broken(
    'models',
    'No model is available: there is no key and no sign-in.',
    'Run helios auth status to see what each provider needs. To try the offline demo without a key, run helios -P demo.',
  );
  return { title: 'Models', findings: isAnybodyReady ? findings : [...findings, nobody] };
}

async function findingOf(
  { id, readiness }: ModelProvider,
  row: AuthRow | undefined,
): Promise<Finding> {
  if (row?.source === 'file' && row.note !== undefined && row.account === undefined)
    return broken(id, row.note);
  try {
    const status = (await readiness?.()) ?? { isReady: true };
    if (status.isReady)
      return ok(id, row?.from === undefined ? 'ready' : `ready, ${row.source} ${row.from}`);
    return note(id, status.problem, status.action);
  } catch (error) {
    return broken(id, adviceOf(error));
  }
}
