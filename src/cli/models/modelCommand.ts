/** Carries out `helios models`. */
import { homeAt } from '../../compose/home.ts';
import { UserFacing } from '../../base/errors.ts';
import { cleanText } from '../../base/text.ts';
import type { CatalogueListing } from '../../models/modelCatalogue.ts';
import type { PriceTable } from '../../models/prices.ts';
import {
  modelRowHeader,
  modelRows,
  priceUnit,
  problemLines,
  withinReach,
} from '../../presentation/models/modelRows.ts';
import { settingsFor } from '../choose.ts';
import { columnsText } from '../screen/columns.ts';
import { secretStore } from '../../compose/secrets.ts';
import { keyReader } from '../auth/keys.ts';
import { readPreferences } from '../preferences.ts';
import { exitCodes, type CliDeps } from '../cliDeps.ts';

export interface ModelOptions {
  readonly provider?: string;
  /** True to query the providers again instead of using their stored lists. */
  readonly refresh?: boolean;
  readonly json?: boolean;
}

/**
 * Resolves with the exit code. Rejects with `UserFacing` if the provider is unknown or the
 * preferences are invalid.
 */
export async function runModelCommand(
  { provider, refresh: isFresh = false, json: isJson = false }: ModelOptions,
  homeFolder: string,
  deps: CliDeps,
): Promise<number> {
  const home = homeAt(homeFolder);
  const preferences = await readPreferences(
    home.folder,
    (message) => void deps.stderr.write(`helios: ${message}\n`),
  );
  const engine = await deps.createEngine({
    home: home.folder,
    assetsFolder: deps.assetsFolder,
    settings: () =>
      settingsFor({ model: undefined, effort: undefined }, undefined, deps, preferences),
    ports: {
      secret: keyReader(deps.env, home.authFolder),
      storeSecret: secretStore(home.authFolder),
    },
    clock: deps.clock,
    workFolder: deps.cwd,
  });
  try {
    const ids = engine.providers().map(({ id }) => id);
    if (provider !== undefined && !ids.includes(provider))
      throw new UserFacing(
        `There is no model provider ${provider}.`,
        `Choose one of: ${ids.join(', ')}.`,
      );
    const abort = new AbortController();
    const interrupt = deps.onInterrupt(() => abort.abort());
    const listing = await engine.models.list({ isFresh, provider, signal: abort.signal });
    interrupt.dispose();
    const shown = provider === undefined ? withinReach(listing) : listing;
    deps.stdout.write(
      isJson ? jsonText(listing) : tableText(shown, engine.prices(), deps.stdout.columns),
    );
    return abort.signal.aborted ? exitCodes.interrupted : exitCodes.goal;
  } finally {
    await engine.close();
  }
}

const pipeColumns = 160;

function tableText(listing: CatalogueListing, prices: PriceTable, columns = pipeColumns): string {
  const rows = modelRows(listing, prices).map((row) => row.map(cleanText));
  const problems = problemLines(listing).map((line) => `${cleanText(line)}\n`);
  return [
    columnsText(modelRowHeader, rows, columns),
    `\n${priceUnit}\n`,
    ...(problems.length === 0
      ? []
      : [
          '\nNot queried (list the known models of one of these providers with --provider NAME):\n',
          ...problems,
        ]),
  ].join('');
}

function jsonText({ entries, problems }: CatalogueListing): string {
  const models = entries.map(({ provider, model, source, isDefault }) => ({
    provider,
    ...model,
    source,
    isDefault,
  }));
  return `${JSON.stringify({ models, problems: Object.fromEntries(problems) }, null, 2)}\n`;
}
