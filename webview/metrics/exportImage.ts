/** Draws the charts, with their titles and a legend, into one picture. */
import type { Card } from './card.ts';
import type { Theme } from '../shared/theme.ts';

const gap = 16;
const titleHeight = 26;
const lineHeight = 18;

/** Returns the picture as PNG in base64. The charts must already be drawn. */
export function chartsAsPng(cards: readonly Card[], theme: Theme): string {
  const columns = cards.length > 1 ? 2 : 1;
  const width = Math.max(...cards.map((card) => card.canvas.clientWidth));
  const height = Math.max(...cards.map((card) => card.canvas.clientHeight)) + titleHeight;
  const rows = Math.ceil(cards.length / columns);
  const legend = legendOf(cards);
  const legendHeight = Math.ceil(legend.length / columns) * lineHeight + gap;
  const picture = document.createElement('canvas');
  const context = picture.getContext('2d');
  if (context === null) throw new Error('This window cannot draw images.');
  picture.width = (columns * (width + gap) + gap) * devicePixelRatio;
  picture.height = (rows * (height + gap) + gap + legendHeight) * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.fillStyle = theme.background;
  context.fillRect(0, 0, picture.width, picture.height);
  context.textBaseline = 'top';
  cards.forEach((card, index) => {
    const left = gap + (index % columns) * (width + gap);
    const top = gap + Math.floor(index / columns) * (height + gap);
    context.fillStyle = theme.foreground;
    context.font = `600 13px ${theme.fontFamily}`;
    context.fillText(card.model?.metric.name ?? '', left, top);
    const { clientWidth, clientHeight } = card.canvas;
    context.drawImage(card.canvas, left, top + titleHeight, clientWidth, clientHeight);
  });
  context.font = `12px ${theme.fontFamily}`;
  legend.forEach(({ text, colour }, index) => {
    const left = gap + (index % columns) * (width + gap);
    const top = rows * (height + gap) + gap + Math.floor(index / columns) * lineHeight;
    context.fillStyle = colour;
    context.fillRect(left, top + 5, 14, 3);
    context.fillStyle = theme.foreground;
    context.fillText(text, left + 22, top, width - 22);
  });
  return picture.toDataURL('image/png').split(',')[1] ?? '';
}

function legendOf(cards: readonly Card[]): readonly { text: string; colour: string }[] {
  const lines = new Map(
    cards.flatMap((card) => card.model?.lines ?? []).map((line) => [line.item.id, line]),
  );
  return [...lines.values()].map(({ item, style }) => ({
    text: [item.name, item.label, item.machine, item.isChampion ? 'champion' : '']
      .filter(Boolean)
      .join(' · '),
    colour: style.colour,
  }));
}

/** Returns the name without characters that file names must not contain. */
export const fileName = (name: string): string =>
  name.replaceAll(/[^\p{L}\p{N} _.-]+/gu, '-').slice(0, 100);
