/** The choice between the views of the panel. */
import { choiceButtons } from '../shared/buttons.ts';
import { element } from '../shared/dom.ts';

/** Returns the buttons above the charts: Charts, and What Mattered. */
export function viewChoice(onChoose: (isMattered: boolean) => void) {
  const buttons = choiceButtons<'charts' | 'mattered'>(
    'View',
    [
      { value: 'charts', text: 'Charts' },
      { value: 'mattered', text: 'What Mattered' },
    ],
    (view) => onChoose(view === 'mattered'),
  );
  return {
    root: element('div', { class: 'views' }, buttons.root),
    set: (isMattered: boolean): void => buttons.set(isMattered ? 'mattered' : 'charts'),
  };
}
