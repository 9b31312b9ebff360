/** Converts the syntax tree of a shell text to commands. */
import { childrenOf, gapBetween, looseChildren, written, type Place } from './children.ts';
import { must } from './notUnderstood.ts';
import type { ShellCommand, ShellLayout, ShellWord, WordPart } from './shellCommand.ts';
import { casePattern } from './casePattern.ts';
import { hasCommands } from './layouts.ts';
import {
  chainTypes,
  flatTypes,
  layoutTypes,
  plainTypes,
  simpleTypes,
  wordTypes,
} from './nodeTypes.ts';
import { partOf } from './wordParts.ts';
import {
  type Around,
  type Draft,
  type Reading,
  assignmentOf,
  bareWord,
  endOfCaseHead,
  functionName,
  nothing,
  ownParts,
  partsBetween,
} from './groupParts.ts';
import { isNumberOfFile, redirectionOf, simpleCommand } from './simpleCommand.ts';
import { expansion, hidesExpansion, wordOf, wordsOf, type TakeExpansion } from './words.ts';

/** Maximum depth of nested substitutions. */
const maxDepth = 20;
/** Maximum depth of nested brackets, loops and conditions. */
const maxLevels = 1_000;

const nothingAround: Around = { redirects: [], input: '' };
export class CommandReader {
  readonly found: ShellCommand[] = [];
  isPlain = true;
  isFlat = true;
  hasBackground = false;
  readonly #layout: (string | ShellCommand)[] = [];
  /** Text and expansions of arithmetic. */
  readonly #items: (string | WordPart)[] = [];
  #isLaidOut = true;
  /** Commands whose output the next commands may read. */
  #sources: readonly ShellCommand[] = [];
  /** Operator since the last command. */
  #operator = ';';
  /** Number of commands found before it. */
  #operatorAt = 0;
  readonly #reading: Reading;
  readonly #depth: number;
  #level = 0;

  constructor(reading: Reading, depth: number) {
    must(depth <= maxDepth);
    this.#reading = reading;
    this.#depth = depth;
  }

  /** Operators, keywords and commands in order; `undefined` if the text contains anything else. */
  get layout(): ShellLayout | undefined {
    return this.#isLaidOut && hasCommands(this.#layout) ? this.#layout : undefined;
  }

  /**
   * Reads the commands of a node at a position where the shell expects a command, and adds them to
   * `found`.
   */
  statement(place: Place, around: Around = nothingAround): void {
    const { type } = place;
    // The grammar reads `;;` as an operator, which it is only in a `case`.
    this.isFlat &&= !/^(?:&|;[;&]+)$/.test(type);
    this.hasBackground ||= type === '&';
    if (/^;[;&]+$/.test(type)) this.#isLaidOut = false;
    if (!place.node.isNamed) {
      // A shell reports an error for an operator without a command before it, but the grammar does
      // not.
      this.isFlat &&= this.found.length > this.#operatorAt || type === '\n';
      [this.#operator, this.#operatorAt] = [type, this.found.length];
      this.#layout.push(type);
      return;
    }
    must(++this.#level <= maxLevels);
    if (simpleTypes.test(type)) this.#command(place, around);
    else if (expansion.test(type) || wordTypes.test(type)) this.#loose(place);
    else if (chainTypes.test(type)) this.#chain(place, around);
    else if (type === 'redirected_statement') this.#redirected(place, around);
    else if (type.endsWith('_redirect')) this.#simple([place], around.input);
    else this.#group(place, around);
    this.#level--;
  }

  #loose(place: Place): void {
    this.#isLaidOut = false;
    wordOf([place], this.#take);
  }

  #chain(place: Place, around: Around): void {
    const children = childrenOf(place);
    const [outer, from] = [this.#sources, this.found.length];
    this.isFlat &&= place.type !== 'negated_command';
    children.forEach((child, index) => {
      if (place.type === 'pipeline') this.#sources = [...outer, ...this.found.slice(from)];
      this.statement(child, index === children.length - 1 ? around : { ...around, redirects: [] });
    });
    this.#sources = outer;
  }

  #redirected(place: Place, { redirects, input }: Around): void {
    const children = childrenOf(place);
    const bodies = children.filter(({ type }) => !type.endsWith('_redirect'));
    const all = [...children.filter((child) => !bodies.includes(child)), ...redirects];
    must(bodies.length <= 1);
    for (const body of bodies) this.statement(body, { redirects: all, input });
    if (bodies.length === 0) this.#simple(all, input);
  }

  #group(place: Place, around: Around): void {
    const { redirects, input } = around;
    if (place.type === 'case_item') {
      this.#caseItem(place, input);
      return;
    }
    if (place.type === 'compound_statement' && written(place).startsWith('((')) {
      this.#calculation(place, around);
      return;
    }
    if (place.type === 'c_style_for_statement' && redirects.length === 0) {
      this.#countingLoop(place, around);
      return;
    }
    // The grammar also takes `{ls; }`, in which a shell reads `{ls` as a word.
    must(place.type !== 'compound_statement' || /^\{(?:\s|\\\n)/.test(written(place)));
    this.isPlain &&= plainTypes.test(place.type);
    this.isFlat &&= flatTypes.test(place.type);
    const children = childrenOf(place);
    this.#isLaidOut &&=
      layoutTypes.test(place.type) ||
      (redirects.length === 0 && functionName(place.type, children) !== undefined);
    const draft = this.#draft(redirects);
    must(draft.parts.length === 0);
    must(place.node.childCount > 0 || !hidesExpansion(written(place)));
    const from = this.#head(place, children);
    for (const child of children.slice(from))
      this.statement(child, { redirects: [], input: input + draft.input });
    if (redirects.length > 0) this.#finish(draft);
  }

  /** Adds the words before the commands of a loop or `case`. Returns where the commands begin. */
  #head({ type }: Place, children: readonly Place[]): number {
    const name = this.#isLaidOut ? functionName(type, children) : undefined;
    if (name !== undefined) {
      this.#layout.push({ ...nothing, words: [bareWord(name), bareWord('()')] });
      return children.length - 1;
    }
    if (type !== 'for_statement' && type !== 'case_statement') return 0;
    const [keyword, subject] = children;
    // A shell takes no line end after these keywords.
    must(keyword !== undefined && subject !== undefined);
    must(keyword === undefined || subject === undefined || gapBetween(keyword, subject) !== 'else');
    if (type === 'for_statement') return this.#loop(children);
    const end = endOfCaseHead(children);
    this.#addWords(children.slice(0, end + 1), true);
    return end + 1;
  }

  #addWords(head: readonly Place[], isLayoutOnly = false): void {
    const words = wordsOf(head, this.#take);
    const command = { assignments: [], words, redirections: [], input: '', operator: ';' };
    if (isLayoutOnly) this.#layout.push(command);
    else this.#add(command);
  }

  #caseItem(place: Place, input: string): void {
    this.isPlain = this.isFlat = false;
    const children = childrenOf(place);
    const end = children.findIndex(({ type }) => type === ')');
    must(end > 0);
    const pattern = casePattern(children.slice(0, end), this.#take);
    this.#isLaidOut &&= pattern !== undefined;
    this.#layout.push(pattern ?? '');
    for (const child of children.slice(end + 1)) {
      if (child.type === ';;') this.#layout.push(';;');
      else this.statement(child, { redirects: [], input });
    }
  }

  /** Reads `((…))` as a command `((` with the arithmetic as its word. */
  #calculation(place: Place, { redirects }: Around): void {
    this.isPlain = this.isFlat = false;
    this.#isLaidOut &&= redirects.length === 0;
    const draft = this.#draft(redirects);
    const inner = new CommandReader(this.#reading, this.#depth + 1);
    inner.#within(place);
    this.found.push(...inner.found);
    const [part, spelled] = [partOf(place, inner.layout, inner.#items), written(place)];
    const word = { text: '', spelled, isDynamic: true, isQuoted: false, parts: [part] };
    const words = [bareWord('(('), word];
    const { redirections, input } = draft;
    this.#layout.push({ assignments: [], words, redirections, input, operator: ';' });
  }

  /** Reads the head of `for ((A; B; C))` as the words `for`, `((` and one for each of A, B and C. */
  #countingLoop(place: Place, around: Around): void {
    this.isPlain = this.isFlat = false;
    const children = childrenOf(place);
    const [from, to] = ['((', '))'].map((sign) => children.findIndex(({ type }) => type === sign));
    const body = children.at(-1);
    must(from === 1 && to !== undefined && to > 0 && body !== undefined);
    this.#isLaidOut &&= body?.type === 'do_group';
    const words = partsBetween(children.slice(2, to)).map((part) => this.#arithmetic(part));
    this.#isLaidOut &&= words.length === 3;
    this.#layout.push({ ...nothing, words: [bareWord('for'), bareWord('(('), ...words] });
    if (body !== undefined) this.statement(body, { redirects: [], input: around.input });
  }

  #arithmetic(parts: readonly Place[]): ShellWord {
    const inner = new CommandReader(this.#reading, this.#depth + 1);
    for (const part of parts) {
      if (expansion.test(part.type)) inner.#items.push(inner.#take(part, false));
      else inner.#within(part);
      if (part.type === 'variable_assignment') inner.found.push(assignmentOf(written(part)));
    }
    this.found.push(...inner.found);
    const items = inner.#items.filter((item) => item !== '');
    const spelled = parts.map(written).join('');
    const part = { kind: 'arithmetic' as const, items };
    return { text: '', spelled, isDynamic: true, isQuoted: false, parts: [part] };
  }

  /**
   * Adds the words of a loop as a separate command, because the commands in the loop use these
   * words. Returns the index of the loop's body in `children`.
   */
  #loop(children: readonly Place[]): number {
    const body = children.findIndex(
      ({ type }) => type === 'do_group' || type === 'compound_statement',
    );
    const head = children.slice(0, body).filter(({ type }) => !/^[;\n]$/.test(type));
    must(body > 0);
    // The grammar also takes words on the next line, where a shell expects `do`.
    head.slice(1).forEach((part, at) => must(gapBetween(head[at] ?? part, part) !== 'else'));
    this.#isLaidOut &&= children[body]?.type === 'do_group';
    this.#addWords(head);
    return body;
  }

  #command(place: Place, { redirects, input }: Around): void {
    this.isPlain &&= !written(place).startsWith('[[');
    this.#simple([...ownParts(place), ...redirects], input, place.type === 'test_command');
  }

  #simple(children: readonly Place[], input: string, isCondition = false): void {
    children
      .slice(1)
      .forEach((child, index) => must(gapBetween(children[index] ?? child, child) !== 'else'));
    const draft = this.#draft(children);
    const words = wordsOf(draft.parts, this.#take);
    const parsedWords = isCondition
      ? { assignments: [], words }
      : simpleCommand(draft.parts, words);
    this.#finish({ ...draft, input: input + draft.input }, parsedWords);
  }

  #draft(children: readonly Place[]): Draft {
    const from = this.found.length;
    const draft: Draft = { parts: [], redirections: [], input: '', expansions: [], from };
    for (const child of children) {
      if (child.type === 'file_redirect') this.#fileRedirect(child, draft);
      else if (child.type === 'herestring_redirect') this.#hereString(child, draft);
      else draft.parts.push(child);
    }
    must(!draft.parts.some((part) => isNumberOfFile(part) || part.type === 'heredoc_redirect'));
    return draft;
  }

  #fileRedirect(place: Place, draft: Draft): void {
    const { at, sign, target, behind } = redirectionOf(place);
    const heredoc = this.#reading.heredocs.get(at);
    draft.parts.push(...behind);
    if (heredoc === undefined) {
      if (target.length > 0) draft.redirections.push({ sign, target: wordOf(target, this.#take) });
      return;
    }
    const isFixed = heredoc.isEnded && (heredoc.isLiteral || !/[$`\\]/.test(heredoc.text));
    const text = heredoc.text.replace(/\n$/, '');
    this.#here(
      draft,
      isFixed ? { text, spelled: text, isDynamic: false, isQuoted: true } : undefined,
    );
    draft.input += heredoc.text;
    if (!heredoc.isLiteral) draft.expansions.push(...this.#reading.expansionsOf(heredoc.text));
  }

  #hereString(place: Place, draft: Draft): void {
    const [sign, ...parts] = childrenOf(place);
    must(sign !== undefined && parts[0] !== undefined && gapBetween(sign, parts[0]) !== 'else');
    const word = wordOf(parts, this.#take);
    this.#here(draft, word);
    draft.input += word.text;
  }

  #here(draft: Draft, word: ShellWord | undefined): void {
    this.isPlain = this.isFlat = false;
    this.#isLaidOut &&= word !== undefined && draft.here === undefined;
    if (word !== undefined) draft.here = word;
  }

  #finish(
    draft: Draft,
    parsedWords: Pick<ShellCommand, 'words' | 'assignments'> = { assignments: [], words: [] },
  ): void {
    const { redirections, input, expansions, here } = draft;
    // Of two inputs, the last counts.
    must(here === undefined || redirections.every(({ sign }) => !sign.startsWith('<')));
    // Omit the last command: it is the expansion itself, read as if it were a program.
    for (const text of expansions)
      this.found.push(...this.#reading.read(text, this.#depth).slice(0, -1));
    const sources = [...this.#sources, ...this.found.slice(draft.from)];
    const operator = this.#nextOperator();
    const command = { ...parsedWords, redirections, input, operator, ...(here && { here }) };
    this.#add(sources.length > 0 ? { ...command, sources } : command);
  }

  #add(command: ShellCommand): void {
    this.found.push(command);
    this.#layout.push(command);
  }

  #nextOperator(): string {
    const operator = this.#operator.trim() || ';';
    this.#operator = ';';
    return operator;
  }

  /** Reads the commands in an expansion, and adds them to `found`. */
  readonly #take: TakeExpansion = (place, isQuoted) => {
    if (place.type === 'array') {
      this.isFlat = this.isPlain = false;
      return { kind: 'list', words: wordsOf(childrenOf(place).slice(1, -1), this.#take) };
    }
    const isVariable = /^\$(?:\w+|\{\w+\}|[?#@*!$-])$/.test(written(place));
    this.isFlat &&= isVariable;
    this.isPlain &&= !isQuoted && isVariable;
    const inner = new CommandReader(this.#reading, this.#depth + 1);
    inner.#substitution(place);
    this.found.push(...inner.found);
    this.hasBackground ||= inner.hasBackground;
    return partOf(place, inner.layout, inner.#items);
  };

  #substitution(place: Place): void {
    const text = written(place);
    const isCommand = place.type === 'command_substitution';
    must(place.type !== 'simple_expansion' || /^\$[\w@*#?!$-]/.test(text));
    // Refuse `$((`: a shell first tries to read it as arithmetic, in which quotes have no effect.
    must(!isCommand || (!text.startsWith('$((') && !text.startsWith('$`')));
    if (isCommand && text.startsWith('`')) this.#backticks(place, text);
    else if (isCommand || place.type === 'process_substitution')
      for (const child of childrenOf(place)) this.statement(child);
    else this.#within(place);
  }

  /**
   * Reads the commands of a backtick substitution. Removes backslashes as a shell does before it
   * parses the commands, since the grammar does not.
   */
  #backticks({ start, end }: Place, text: string): void {
    must(/^`(?:[^`\\]|\\[^\n])*`$/.test(text));
    must(![...this.#reading.heredocs.keys()].some((at) => at >= start && at < end));
    const inner = text.slice(1, -1).replace(/\\([`\\$])/g, '$1');
    this.found.push(...this.#reading.read(inner, this.#depth));
  }

  /**
   * Reads the commands in arithmetic, `${…}` and lists: the shell runs the substitutions inside
   * them.
   */
  #within(place: Place): void {
    must(++this.#level <= maxLevels);
    const children = looseChildren(place);
    must(children.length > 0 || !place.node.isNamed || !hidesExpansion(written(place)));
    let at = place.start;
    for (const child of children) {
      const gap = place.source.slice(at, Math.max(at, child.start));
      must(!hidesExpansion(gap));
      this.#items.push(gap);
      if (expansion.test(child.type)) this.#items.push(this.#take(child, false));
      else this.#within(child);
      at = child.end;
    }
    this.#items.push(place.source.slice(at, place.end));
    this.#level--;
  }
}
