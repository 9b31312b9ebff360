/** Journal files on disk. */
export { JournalFollower } from '../storage/journalFollower.ts';
