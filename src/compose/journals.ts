/** Journals as they lie on the disk. */
export { JournalFollower } from '../storage/journalFollower.ts';
