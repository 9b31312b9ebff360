/**
 * `npm run figures`: prints how the text of the product reads, in figures. `figures.test.ts` holds
 * them to their limits.
 *   --list OPENERS|LINES  names the places as well
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { repositoryRoot } from '../setup/paths.ts';

const { floors } = createRequire(import.meta.url)('./layers.cjs') as {
  readonly floors: Readonly<Record<string, readonly string[]>>;
};

/** First words that leave a comment without a subject, or hide it. */
const openers = new Set('It They One What Who Whose Of Nor Such Absent As How Where'.split(' '));
const longestLine = 100;
const frontEnds = /^src\/(?:vscode|cli|background)\/|^src\/extension/;
const theirDoor =
  /^src\/(?:compose|presentation|protocol|base|vscode|cli|background)\/|^src\/extension/;

export interface Figures {
  /** Places, as `file:line`. */
  readonly comments: { readonly count: number; readonly vague: readonly string[] };
  readonly lines: { readonly count: number; readonly long: readonly string[] };
  /** Characters of a named function: the ninetieth percentile. */
  readonly functionCharacters: number;
  readonly arrowsUp: readonly string[];
  readonly sideDoors: readonly string[];
}

/** Reads every source file of the product: `src` and `webview`. */
export function figuresOf(root: string = repositoryRoot): Figures {
  const files = ['src', 'webview'].flatMap((folder) => sourcesBelow(join(root, folder)));
  const comments = { count: 0, vague: [] as string[] };
  const lines = { count: 0, long: [] as string[] };
  const lengths: number[] = [];
  const imports: Import[] = [];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const name = relative(root, file);
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    for (const { line, words } of commentsOf(source, text)) {
      comments.count += 1;
      if (openers.has(/^[A-Za-z]+/.exec(words)?.[0] ?? '')) comments.vague.push(`${name}:${line}`);
    }
    for (const [index, line] of text.split('\n').entries()) {
      lines.count += 1;
      if (line.length > longestLine) lines.long.push(`${name}:${index + 1}`);
    }
    lengths.push(...functionLengths(source));
    imports.push(...importsOf(source, name));
  }
  return {
    comments,
    lines,
    functionCharacters: percentile(lengths, 0.9),
    arrowsUp: imports.filter(goesUp).map(toText),
    sideDoors: imports.filter(isSideDoor).map(toText),
  };
}

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

const toText = ({ from, to }: Import): string => `${from} → ${to}`;

function goesUp({ from, to }: Import): boolean {
  return Object.entries(floors).some(([folder, order]) => {
    const floorOf = (path: string): number =>
      order.findIndex((name) => path.startsWith(`src/${folder}/${name}/`));
    return floorOf(from) >= 0 && floorOf(to) > floorOf(from);
  });
}

const isSideDoor = ({ from, to, isType }: Import): boolean =>
  !isType && frontEnds.test(from) && to.startsWith('src/') && !theirDoor.test(to);

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Every comment once; lines of `//` one below the other are one. */
function commentsOf(source: ts.SourceFile, text: string): { line: number; words: string }[] {
  const ranges = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(text, node.pos) ?? [])
      ranges.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(text, node.end) ?? [])
      ranges.set(range.pos, range);
    // Leaves of templates and regular expressions hold no comments.
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const sorted = [...ranges.values()].sort((a, b) => a.pos - b.pos);
  return sorted.flatMap((range, index) => {
    const before = sorted[index - 1];
    const isLine = (each: ts.CommentRange): boolean =>
      each.kind === ts.SyntaxKind.SingleLineCommentTrivia;
    const follows =
      before && isLine(before) && isLine(range) && lineAt(before.pos) === lineAt(range.pos) - 1;
    const words = text.slice(range.pos, range.end).replace(/^\/[/*]+[\s*]*/, '');
    return follows ? [] : [{ line: lineAt(range.pos) + 1, words }];
  });
}

function functionLengths(source: ts.SourceFile): number[] {
  const lengths: number[] = [];
  const visit = (node: ts.Node): void => {
    // Independent of the width of lines: a break, with the comma before it, counts as a space.
    if (isNamedFunction(node))
      lengths.push(node.getText(source).replace(/,?\s*\n\s*/g, ' ').length);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lengths;
}

const isNamedFunction = (node: ts.Node): boolean =>
  (ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isConstructorDeclaration(node) ||
    ts.isAccessor(node) ||
    ((ts.isArrowFunction(node) || ts.isFunctionExpression(node)) &&
      (ts.isVariableDeclaration(node.parent) ||
        ts.isPropertyDeclaration(node.parent) ||
        ts.isPropertyAssignment(node.parent)))) &&
  node.body !== undefined;

function importsOf(source: ts.SourceFile, name: string): Import[] {
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const specifier = statement.moduleSpecifier;
    if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return [];
    const isType = ts.isImportDeclaration(statement)
      ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : statement.isTypeOnly;
    return [{ from: name, to: join(name, '..', specifier.text), isType }];
  });
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

export const shareText = (part: readonly string[], whole: number): string =>
  `${part.length} of ${whole} (${((100 * part.length) / whole).toFixed(1)} %)`;

if (import.meta.main) {
  const { comments, lines, functionCharacters, arrowsUp, sideDoors } = figuresOf();
  console.log(`comments with a vague opener   ${shareText(comments.vague, comments.count)}`);
  console.log(`lines over ${longestLine} columns         ${shareText(lines.long, lines.count)}`);
  console.log(`characters of a function, p90  ${functionCharacters}`);
  console.log(`imports up inside a folder     ${arrowsUp.length}`);
  console.log(`imports outside the door       ${sideDoors.length}`);
  const list = process.argv[process.argv.indexOf('--list') + 1];
  if (list === 'OPENERS') console.log(comments.vague.join('\n'));
  if (list === 'LINES') console.log(lines.long.join('\n'));
}
