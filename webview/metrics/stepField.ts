import { element } from '../shared/dom.ts';

/** Creates the field for the step whose values the table shows. An empty field means none. */
export function stepField(onChange: (step: number | undefined) => void) {
  const field = element('input', {
    type: 'number',
    min: 0,
    class: 'step-input',
    placeholder: 'last',
  });
  field.addEventListener('change', () => {
    const step = field.valueAsNumber;
    onChange(Number.isFinite(step) ? step : undefined);
  });
  const root = element('label', { class: 'step-field' }, 'At step', field);
  root.title = 'Adds the values of the metrics at the largest step up to this one';
  return {
    root,
    set(step: number | undefined): void {
      const text = step === undefined ? '' : String(step);
      if (document.activeElement !== field && field.value !== text) field.value = text;
    },
  };
}
