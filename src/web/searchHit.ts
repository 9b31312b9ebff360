export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet?: string;
}
