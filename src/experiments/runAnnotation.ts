/** Tags and notes of the user on runs. Only the user writes them. */
import { UserFacing } from '../base/errors.ts';
import { cleanText, counted, cutText, oneLine } from '../base/text.ts';

export interface RunAnnotation {
  /** Words without blanks and commas, in the order in which the user added them. */
  readonly tags: readonly string[];
  /** A single line; empty for none. */
  readonly note: string;
}

/** A change of the annotation of a run. What is omitted stays as it is. */
export interface AnnotationChange {
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
  readonly note?: string | undefined;
}

export const noAnnotation: RunAnnotation = { tags: [], note: '' };

const maxTags = 20;
const maxTagChars = 40;
const maxNoteChars = 500;

/** Returns the annotation after the change. Throws `UserFacing` for too many tags. */
export function annotated(
  { tags, note }: RunAnnotation,
  { addTags = [], removeTags = [], note: newNote }: AnnotationChange,
): RunAnnotation {
  const removed = new Set(tagWords(removeTags));
  const all = [...new Set([...tags.filter((tag) => !removed.has(tag)), ...tagWords(addTags)])];
  if (all.length > maxTags)
    throw new UserFacing(`A run can have up to ${counted(maxTags, 'tag')}.`, 'Remove a tag first.');
  return { tags: all, note: newNote === undefined ? note : noteLine(newNote) };
}

/** Splits texts into tags at blanks and commas. */
const tagWords = (texts: readonly string[]): readonly string[] =>
  texts
    .flatMap((text) =>
      cleanText(text)
        .replaceAll('"', '')
        .split(/[\s,]+/),
    )
    .filter((word) => word !== '')
    .map((word) => cutText(word, maxTagChars));

/** Returns the change that turns `tags` into the tags of the text: `good, baseline`. */
export function tagChange(tags: readonly string[], text: string): AnnotationChange {
  const wanted = tagWords([text]);
  return { addTags: wanted, removeTags: tags.filter((tag) => !wanted.includes(tag)) };
}

const noteLine = (text: string): string => oneLine(cleanText(text), maxNoteChars);

export const isSameAnnotation = (one: RunAnnotation, other: RunAnnotation): boolean =>
  one.note === other.note && one.tags.join(' ') === other.tags.join(' ');

/** Formats tags and note: `good baseline · “needs a longer warmup”`; empty if there are none. */
export const annotationText = ({ tags, note }: RunAnnotation): string =>
  [tags.join(' '), note && `“${note}”`].filter((text) => text !== '').join(' · ');
