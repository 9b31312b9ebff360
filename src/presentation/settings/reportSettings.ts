/** Settings for briefs. */
import type { EngineSettings } from '../../agent/contract/settings.ts';
import { choice, type Setting } from './setting.ts';

export const reportSettings = {
  'report.write': choice<NonNullable<EngineSettings['report']>>({
    default: 'always',
    description: 'Creation of a brief with charts when a session with at least one run ends.',
    details: 'Your changes to a brief are kept; a new one is written next to it.',
    values: {
      always:
        'Write the brief below `helios-reports` in the working folder, or where `helios.json` says.',
      never:
        'Write it only on request: **Helios: Open Brief**, `/writeup` in the chat, or `helios report --write`.',
    },
    engine: 'report',
  }),
  'report.open': choice({
    default: 'unseen',
    description: 'Automatic opening of the brief, next to the editor and without taking the focus.',
    values: {
      unseen:
        'Open the brief if a session ended while you were not following it, as soon as the window has the focus.',
      never: 'Do not open it. **Helios: Open Brief** opens it.',
    },
  }),
} satisfies Readonly<Record<string, Setting>>;
