/** A sequence of questions in which the user can go back to the previous question. */
import {
  QuickInputButtons,
  QuickPickItemKind,
  ThemeIcon,
  window,
  type QuickInput,
  type QuickPickItem,
} from 'vscode';
import type { Disposable } from '../../base/disposable.ts';

export const back = Symbol('back');
/** Answer to a question; `undefined` when the user cancelled. */
export type Answer<T> = T | typeof back | undefined;

export const isAnswer = <T>(answer: Answer<T>): answer is T =>
  answer !== undefined && answer !== back;

export interface Step<S> {
  /** Whether to ask the question, given the earlier answers. Default: true. */
  isNeeded?(state: S): boolean;
  /** Asks the question and resolves with the state that includes the answer. */
  ask(state: S): Promise<Answer<S>>;
}

/**
 * Asks the questions in order. Resolves with the state after the last answer, with `back` when the
 * user goes back from the first question, or with `undefined` when the user cancels.
 */
export async function walk<S>(start: S, steps: readonly Step<S>[]): Promise<Answer<S>> {
  const history: { readonly index: number; readonly state: S }[] = [];
  let [index, state] = [0, start];
  for (let step = steps[index]; step !== undefined; step = steps[index]) {
    if (step.isNeeded?.(state) === false) {
      index += 1;
      continue;
    }
    const answer = await step.ask(state);
    if (answer === undefined) return undefined;
    if (answer === back) {
      const last = history.pop();
      if (last === undefined) return back;
      ({ index, state } = last);
      continue;
    }
    history.push({ index, state });
    [index, state] = [index + 1, answer];
  }
  return state;
}

export interface StepChoice<T> {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly icon?: string;
  /** Value of the choice; `undefined` for a separator. */
  readonly value?: T;
}

export interface PickQuestion<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly choices: readonly StepChoice<T>[];
  /**
   * Converts typed text to an extra choice or an error. `about` is shown next to the text. Default:
   * typed text only filters the choices.
   */
  typed?(
    text: string,
  ): { readonly value: T; readonly about: string } | { readonly problem: string };
  /** Whether there is a previous question to go back to. */
  readonly hasBack?: boolean;
}

type Item<T> = QuickPickItem & { readonly value?: T };

export function askPick<T>(question: PickQuestion<T>): Promise<Answer<T>> {
  const pick = window.createQuickPick<Item<T>>();
  const choiceItems = question.choices.map(itemOf);
  pick.placeholder = question.placeholder;
  pick.matchOnDescription = true;
  pick.items = choiceItems;
  pick.onDidChangeValue((text) => {
    const typedChoice = typedItem(question, text.trim());
    pick.items = typedChoice === undefined ? choiceItems : [typedChoice, ...choiceItems];
  });
  return showInput(pick, question, (resolve) => {
    pick.onDidAccept(() => {
      const value = pick.selectedItems[0]?.value;
      if (value !== undefined) resolve(value);
    });
  });
}

function itemOf<T>({ label, description, detail, icon, value }: StepChoice<T>): Item<T> {
  if (value === undefined) return { label, kind: QuickPickItemKind.Separator };
  return {
    label,
    value,
    ...(description !== undefined && { description }),
    ...(detail !== undefined && { detail }),
    ...(icon !== undefined && { iconPath: new ThemeIcon(icon) }),
  };
}

/** Returns the item for typed text; `undefined` if the text equals the label of a choice. */
function typedItem<T>({ choices, typed }: PickQuestion<T>, text: string): Item<T> | undefined {
  if (typed === undefined || text === '' || choices.some(({ label }) => label === text))
    return undefined;
  const result = typed(text);
  const item = { label: text, alwaysShow: true };
  return 'problem' in result
    ? { ...item, detail: result.problem, iconPath: new ThemeIcon('warning') }
    : { ...item, description: result.about, value: result.value, iconPath: new ThemeIcon('add') };
}

export interface TextQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string;
  readonly placeholder?: string;
  /** Returns the error for a text; `undefined` for a valid text. */
  problemOf(text: string): string | undefined;
  readonly hasBack?: boolean;
}

/** Asks for a text. Resolves with the trimmed text. */
export function askText(question: TextQuestion): Promise<Answer<string>> {
  const input = window.createInputBox();
  input.prompt = question.prompt;
  input.value = question.value ?? '';
  input.placeholder = question.placeholder ?? '';
  const check = (): void =>
    void (input.validationMessage = question.problemOf(input.value.trim()) ?? '');
  input.onDidChangeValue(check);
  return showInput(input, question, (resolve) => {
    input.onDidAccept(() => {
      check();
      if (!input.validationMessage) resolve(input.value.trim());
    });
  });
}

type Shown = QuickInput &
  Disposable &
  Pick<ReturnType<typeof window.createInputBox>, 'buttons' | 'onDidTriggerButton'>;

function showInput<T>(
  input: Shown,
  { title, hasBack = false }: { readonly title: string; readonly hasBack?: boolean },
  listen: (resolve: (value: T) => void) => void,
): Promise<Answer<T>> {
  const { promise, resolve } = Promise.withResolvers<Answer<T>>();
  input.title = title;
  input.ignoreFocusOut = true;
  if (hasBack) input.buttons = [QuickInputButtons.Back];
  input.onDidTriggerButton(() => resolve(back));
  input.onDidHide(() => resolve(undefined));
  listen(resolve);
  input.show();
  return promise.finally(() => input.dispose());
}
