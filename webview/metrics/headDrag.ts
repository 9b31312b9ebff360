/** Moves columns by their titles: with the pointer, and with Alt and an arrow key. */

export interface ColumnMoves {
  moveBy(id: string, distance: number): void;
  moveTo(id: string, target: string, isAfter: boolean): void;
}

const idOf = (target: EventTarget | null): string | undefined =>
  target instanceof Element
    ? target.closest<HTMLElement>('[data-column]')?.dataset['column']
    : undefined;

/** Lets the titles in the row `head`, which have `data-column`, be moved. */
export function moveColumns(head: HTMLElement, { moveBy, moveTo }: ColumnMoves): void {
  let dragged: string | undefined;
  head.addEventListener('dragstart', (event) => {
    dragged = idOf(event.target);
    if (event.dataTransfer !== null) event.dataTransfer.effectAllowed = 'move';
  });
  head.addEventListener('dragend', () => {
    dragged = undefined;
    markTarget(head, undefined, false);
  });
  head.addEventListener('dragover', (event) => {
    if (dragged === undefined || idOf(event.target) === undefined) return;
    event.preventDefault();
    markTarget(head, idOf(event.target), isInRightHalf(event));
  });
  head.addEventListener('drop', (event) => {
    const target = idOf(event.target);
    if (dragged === undefined || target === undefined) return;
    event.preventDefault();
    moveTo(dragged, target, isInRightHalf(event));
  });
  head.addEventListener('keydown', (event) => {
    const distance = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const id = idOf(event.target);
    if (!event.altKey || distance === undefined || id === undefined) return;
    event.preventDefault();
    moveBy(id, distance);
  });
}

function isInRightHalf({ target, clientX }: DragEvent): boolean {
  const box = (target as Element).closest('[data-column]')?.getBoundingClientRect();
  return box !== undefined && clientX > box.left + box.width / 2;
}

function markTarget(head: HTMLElement, id: string | undefined, isAfter: boolean): void {
  for (const cell of head.querySelectorAll<HTMLElement>('[data-column]')) {
    const isTarget = id !== undefined && cell.dataset['column'] === id;
    cell.classList.toggle('drop-before', isTarget && !isAfter);
    cell.classList.toggle('drop-after', isTarget && isAfter);
  }
}
