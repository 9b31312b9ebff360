import type { Engine } from '../../agent/contract/engine.ts';
import { placeHere } from '../../base/place.ts';
import { warningsHere } from '../../base/placeWarnings.ts';
import { UserFacing } from '../../base/errors.ts';
import { thisSystem } from '../../base/hostSystem.ts';
import { counted } from '../../base/text.ts';
import { settingsFor } from '../choose.ts';
import { readPreferences, type Preferences } from '../preferences.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import type { Finding, Level, Section } from '../doctor/finding.ts';
import { machineFindings } from '../doctor/machines.ts';
import { modelFindings } from '../doctor/models.ts';
import { placeFindings } from '../doctor/place.ts';
import { homeAt, openToOthers } from '../../compose/home.ts';
import { storageFindings } from '../doctor/storage.ts';
import { settingFindings } from '../doctor/surroundings.ts';
import { toolFindings } from '../doctor/tools.ts';
import { styleFor, type Style } from '../screen/style.ts';
import { singleLine } from '../screen/terminalText.ts';
import { exitCodes } from '../cliDeps.ts';

export const declareDoctor = (helios: CliCommand): CliCommand =>
  helios
    .command('doctor')
    .summary('check keys, machines, disk, journals and settings')
    .description(
      'Checks the requirements and settings of Helios, and connects to every machine. Calls no model and repairs nothing, except for the access of other users to the home folder.',
    )
    .option(
      '--json',
      'print a JSON array of sections: title, findings [{ level, name, text, action }]',
    )
    .addHelpText(
      'after',
      '\nExit code: 0 nothing is broken (there may be warnings), 1 something is broken.',
    )
    .runs(async (context, { json }: { readonly json?: boolean }) => {
      const { deps, home } = context;
      // The engine removes the access when it starts.
      const wasOpen = await openToOthers(homeAt(home));
      const ask = async (engine: Engine): Promise<Section[]> =>
        Promise.all([
          modelFindings(engine, context),
          machineFindings(engine, context),
          storageFindings(engine, context, wasOpen),
          toolFindings(process.version, { ...thisSystem(), env: { ...process.env, ...deps.env } }),
          settingFindings(deps, home),
        ]);
      const sections = await withEngine(
        context,
        ask,
        settingsFor(noOptions, undefined, deps, await validPreferences(home)),
      );
      const place = placeHere(deps);
      sections.unshift(placeFindings(place, warningsHere(place, home)));
      const style = styleFor(deps.stdout.isTTY === true, deps.env);
      deps.stdout.write(
        json ? `${JSON.stringify(sections, undefined, 2)}\n` : textOf(sections, style),
      );
      const isBroken = sections.some(({ findings }) =>
        findings.some(({ level }) => level === 'broken'),
      );
      return isBroken ? exitCodes.error : exitCodes.goal;
    });

const noOptions = { model: undefined, effort: undefined };

/**
 * Resolves with the preferences; empty if they are invalid, because `settingFindings` reports the
 * error.
 */
const validPreferences = (home: string): Promise<Preferences> =>
  readPreferences(home, () => undefined).catch((error: unknown) => {
    if (error instanceof UserFacing) return {};
    throw error;
  });

const signs: Readonly<Record<Level, string>> = { ok: '✓', note: '·', warning: '!', broken: '×' };

function textOf(sections: readonly Section[], style: Style): string {
  const parts = sections.map(({ title, findings }) => [
    style.bold(title),
    ...findings.map((each) => line(each, style)),
    '',
  ]);
  const count = (wanted: Level): number =>
    sections.flatMap(({ findings }) => findings).filter(({ level }) => level === wanted).length;
  const summary =
    count('broken') > 0 ? style.bad(`${count('broken')} broken`) : style.good('Nothing is broken');
  const warnings = count('warning') > 0 ? `, ${counted(count('warning'), 'warning')}` : '';
  return `${[...parts.flat(), `${summary}${warnings}.`].join('\n')}\n`;
}

function line({ level, name, text, action }: Finding, { good, bad, dim, bold }: Style): string {
  const colour = { ok: good, note: dim, warning: bold, broken: bad }[level];
  return `  ${colour(signs[level])} ${singleLine(`${name}: ${text}`)}${action === undefined ? '' : `\n      ${action}`}`;
}
