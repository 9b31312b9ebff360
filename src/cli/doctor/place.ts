/** Says in which place Helios runs, and what the place does to runs and to the home folder. */
import type { Place } from '../../base/place.ts';
import type { PlaceWarning } from '../../base/placeWarnings.ts';
import { note, ok, warning, type Section } from './finding.ts';

const names: Readonly<Record<Place, string>> = {
  computer: 'this computer',
  ssh: 'a host that is reached through SSH',
  wsl: 'WSL',
  'dev-container': 'a dev container',
  codespaces: 'a codespace',
  container: 'a container',
};

const nothingAwake = 'helios.session.keepAwake keeps no computer awake from here.';
const awakeTexts: Partial<Record<Place, string>> = {
  ssh: 'helios.session.keepAwake keeps this host awake, not the computer with the window.',
  wsl: 'helios.session.keepAwake keeps Windows awake.',
  'dev-container': nothingAwake,
  codespaces: nothingAwake,
  container: nothingAwake,
};

export function placeFindings(place: Place, warnings: readonly PlaceWarning[]): Section {
  const awake = awakeTexts[place];
  return {
    title: 'Place',
    findings: [
      ok('place', names[place]),
      ...warnings.map(({ about, text, action }) => warning(about, text, action)),
      ...(awake === undefined ? [] : [note('awake', awake)]),
    ],
  };
}
