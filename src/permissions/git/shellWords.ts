/**
 * The commands of a shell text, with quotes resolved. Good enough to see which programs a text calls by name, and honest
 * about what it cannot see: a word that only the shell can know is `isDynamic`, and a text that is not understood is
 * `undefined`.
 */

export interface ShellWord {
  /** With quotes resolved; what the shell would put in is left out. */
  readonly text: string;
  /** It holds a variable, a substitution or a pattern. */
  readonly isDynamic: boolean;
}

/** Words of one simple command, without assignments before it and redirections. */
export interface ShellCommand {
  /** `NAME=value` before the command. */
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  /** Files that it writes to. */
  readonly written: readonly ShellWord[];
  /** Text that is given to it as its input. */
  readonly input: string;
}

const maxDepth = 20;

/** All commands in order, those in substitutions too; `undefined` where the text is not understood. */
export function shellCommands(text: string): readonly ShellCommand[] | undefined {
  try {
    return new Reader(text, 0).commands();
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

class NotUnderstood extends Error {}

interface Draft {
  readonly words: ShellWord[];
  readonly assignments: ShellWord[];
  readonly written: ShellWord[];
  input: string;
}

interface Heredoc {
  readonly end: string;
  readonly isIndented: boolean;
  /** Nothing in it is put in by the shell. */
  readonly isLiteral: boolean;
  readonly of: Draft;
}

const keywords: ReadonlySet<string> = new Set(
  '! { } if then elif else fi for while until do done case esac in time coproc function'.split(' '),
);

const cases = /(?:^|[;&|({\n]|\b(?:then|do|else)\b|!)\s*case\s/;

class Reader {
  readonly #text: string;
  readonly #depth: number;
  readonly #found: ShellCommand[] = [];
  readonly #heredocs: Heredoc[] = [];
  #at = 0;
  #draft: Draft = newDraft();

  constructor(text: string, depth: number) {
    if (depth > maxDepth) throw new NotUnderstood();
    this.#text = text;
    this.#depth = depth;
  }

  commands(): readonly ShellCommand[] {
    while (this.#at < this.#text.length) this.#step();
    this.#end();
    return this.#found;
  }

  /** The commands in the substitutions of a text that the shell takes as if in double quotes. */
  substituted(): readonly ShellCommand[] {
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? '';
      if ('$`'.includes(character)) this.#substitution();
      else this.#at += character === '\\' ? 2 : 1;
    }
    return this.#found;
  }

  #step(): void {
    const rest = this.#text.slice(this.#at, this.#at + 3);
    const [character = ''] = rest;
    if (rest.startsWith('\\\n')) this.#at += 2;
    else if (character === ' ' || character === '\t' || character === '\r') this.#at++;
    else if (character === '#') this.#comment();
    else if (character === '\n') this.#newLine();
    else if (/^(?:&>|\d*[<>])/.test(this.#text.slice(this.#at, this.#at + 12))) this.#redirect();
    else if (';&|()'.includes(character)) {
      this.#at++;
      this.#end();
    } else this.#take(this.#word());
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #newLine(): void {
    this.#at++;
    if (this.#heredocs.length > 0) this.#readHeredocs();
    this.#end();
  }

  #redirect(): void {
    const match = /^(?:&>>?|\d*(?:<<<|<<-?|<>|[<>]&|>>|>\||[<>]))/.exec(this.#text.slice(this.#at, this.#at + 12));
    const sign = match?.[0] ?? '';
    this.#at += sign.length;
    // A process in the place of a file.
    if (/[<>]$/.test(sign) && this.#text[this.#at] === '(') {
      this.#at++;
      this.#nested(this.#until(')'));
      this.#draft.words.push({ text: '', isDynamic: true });
      return;
    }
    this.#skipBlanks();
    const start = this.#at;
    const word = this.#word();
    const isLiteral = /['"\\]/.test(this.#text.slice(start, this.#at));
    if (/<<-?$/.test(sign) && !sign.endsWith('<<<'))
      this.#heredocs.push({ end: word.text, isIndented: sign.endsWith('-'), isLiteral, of: this.#draft });
    else if (sign.endsWith('<<<')) this.#draft.input += word.text;
    else if (sign.includes('>')) this.#draft.written.push(word);
  }

  #skipBlanks(): void {
    while (' \t'.includes(this.#text[this.#at] ?? '\n')) this.#at++;
  }

  #readHeredocs(): void {
    for (const { end, isIndented, isLiteral, of } of this.#heredocs.splice(0)) {
      let body = '';
      while (this.#at < this.#text.length) {
        const newLine = this.#text.indexOf('\n', this.#at);
        const stop = newLine < 0 ? this.#text.length : newLine;
        const line = this.#text.slice(this.#at, stop);
        this.#at = stop + 1;
        if ((isIndented ? line.replace(/^\t+/, '') : line) === end) break;
        body += `${line}\n`;
      }
      of.input += body;
      if (!isLiteral) this.#expand(body);
    }
  }

  #take(word: ShellWord): void {
    const { words, assignments } = this.#draft;
    if (words.length === 0 && /^[A-Za-z_]\w*\+?=/.test(word.text)) assignments.push(word);
    else if (words.length === 0 && !word.isDynamic && keywords.has(word.text)) this.#end();
    else words.push(word);
  }

  #end(): void {
    const draft = this.#draft;
    if (draft.words.length + draft.assignments.length + draft.written.length > 0) this.#found.push(draft);
    this.#draft = newDraft();
  }

  /** One word: bare, quoted, with substitutions, in any mixture. */
  #word(): ShellWord {
    let text = '';
    let isDynamic = false;
    const start = this.#at;
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined || /[\s;&|()<>]/.test(character)) break;
      const piece = this.#piece(character);
      text += piece.text;
      isDynamic ||= piece.isDynamic;
    }
    if (this.#at === start) throw new NotUnderstood();
    return { text, isDynamic };
  }

  #piece(character: string): ShellWord {
    switch (character) {
      case "'":
        return this.#quoted();
      case '"':
        return this.#doubleQuoted();
      case '\\': {
        const next = this.#text[this.#at + 1] ?? '';
        this.#at += 2;
        return { text: next === '\n' ? '' : next, isDynamic: false };
      }
      case '$':
        if (this.#text[this.#at + 1] === "'") return this.#ansiQuoted();
        return this.#substitution();
      case '`':
        return this.#substitution();
      default:
        this.#at++;
        return { text: character, isDynamic: '*?['.includes(character) || (character === '{' && !this.#isAtEnd()) };
    }
  }

  /** Of a word. */
  #isAtEnd(): boolean {
    return /^[\s;&|()<>]?$/.test(this.#text.slice(this.#at, this.#at + 1));
  }

  #quoted(): ShellWord {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) throw new NotUnderstood();
    const text = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return { text, isDynamic: false };
  }

  /** `$'…'`: escapes could spell anything. */
  #ansiQuoted(): ShellWord {
    const match = /^\$'((?:[^'\\]|\\[^])*)'/.exec(this.#text.slice(this.#at));
    if (match === null) throw new NotUnderstood();
    this.#at += match[0].length;
    return { text: match[1] ?? '', isDynamic: (match[1] ?? '').includes('\\') };
  }

  #doubleQuoted(): ShellWord {
    let text = '';
    let isDynamic = false;
    this.#at++;
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) throw new NotUnderstood();
      if (character === '"') break;
      if (character === '$' || character === '`') {
        const piece = this.#substitution();
        text += piece.text;
        isDynamic ||= piece.isDynamic;
        continue;
      }
      const next = this.#text[this.#at + 1] ?? '';
      const isEscape = character === '\\' && '"\\$`\n'.includes(next);
      text += isEscape ? next.replace('\n', '') : character;
      this.#at += isEscape ? 2 : 1;
    }
    this.#at++;
    return { text, isDynamic };
  }

  #substitution(): ShellWord {
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith('$((')) this.#arithmetic();
    else if (rest.startsWith('$(')) {
      this.#at += 2;
      this.#nested(this.#until(')'));
    } else if (rest.startsWith('${')) {
      this.#at += 2;
      this.#expand(this.#until('}'));
    } else if (rest.startsWith('`')) {
      const match = /^`((?:[^`\\]|\\[^])*)`/.exec(rest);
      if (match === null) throw new NotUnderstood();
      this.#at += match[0].length;
      this.#nested((match[1] ?? '').replace(/\\([`\\$])/g, '$1'));
    } else {
      const name = /^\$(?:\w+|[@*#?$!-])?/.exec(rest)?.[0] ?? '$';
      this.#at += name.length;
      return { text: name === '$' ? '$' : '', isDynamic: name !== '$' };
    }
    return { text: '', isDynamic: true };
  }

  /** Arithmetic ends with two brackets together; else a subshell begins the command that is put in. */
  #arithmetic(): void {
    const start = this.#at + 2;
    this.#at = start + 1;
    const inner = this.#until(')');
    if (this.#text[this.#at] === ')') {
      this.#at++;
      return this.#expand(inner);
    }
    this.#at = start;
    this.#nested(this.#until(')'));
  }

  #nested(text: string): void {
    // Each pattern of it has a bracket without another one.
    if (cases.test(text)) throw new NotUnderstood();
    this.#found.push(...new Reader(text, this.#depth + 1).commands());
  }

  #expand(text: string): void {
    this.#found.push(...new Reader(text, this.#depth + 1).substituted());
  }

  /** What stands before the closing bracket that belongs to the one that was just read. */
  #until(close: ')' | '}'): string {
    const open = close === ')' ? '(' : '{';
    const start = this.#at;
    let depth = 1;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? '';
      if (character === '\\') this.#at++;
      else if (character === "'" && close === ')') this.#at = this.#closing(this.#at);
      else if (character === '"') this.#skipDouble();
      else if (character === open) depth++;
      else if (character === close && --depth === 0) return this.#text.slice(start, this.#at++);
      this.#at++;
    }
    throw new NotUnderstood();
  }

  #closing(at: number): number {
    const end = this.#text.indexOf("'", at + 1);
    if (end < 0) throw new NotUnderstood();
    return end;
  }

  #skipDouble(): void {
    const match = /^"(?:[^"\\]|\\[^])*"/.exec(this.#text.slice(this.#at));
    if (match === null) throw new NotUnderstood();
    this.#at += match[0].length - 1;
  }
}

const newDraft = (): Draft => ({ words: [], assignments: [], written: [], input: '' });
