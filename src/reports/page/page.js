/**
 * The script of a shared page: shows the values below the pointer in a chart, and hides a line when
 * its legend entry is chosen. The page is complete without it.
 */
for (const svg of document.querySelectorAll('figure svg')) {
  const plot = svg.querySelector('[data-x]');
  const lines = [...svg.querySelectorAll('[data-line]')];
  if (plot === null || lines.length === 0) continue;
  const readout = document.createElement('p');
  readout.className = 'readout';
  readout.textContent = 'Point at the chart for values; choose a name to hide its line.';
  svg.after(readout);

  for (const entry of svg.querySelectorAll('[data-entry]')) {
    const line = lines.find((one) => one.dataset.line === entry.dataset.entry);
    if (line === undefined) continue;
    entry.setAttribute('role', 'button');
    entry.setAttribute('tabindex', '0');
    entry.setAttribute('aria-pressed', 'true');
    const toggle = () => {
      const isHidden = line.classList.toggle('off');
      entry.setAttribute('aria-pressed', String(!isHidden));
    };
    entry.addEventListener('click', toggle);
    entry.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      toggle();
    });
  }

  const curves = lines.map((line) => ({ line, points: pointsOf(line.querySelector('path.line')) }));
  const [x, y] = [scaleOf(plot.dataset.x), scaleOf(plot.dataset.y)];
  svg.addEventListener('pointermove', (event) => {
    const box = svg.getBoundingClientRect();
    const place = ((event.clientX - box.left) * svg.viewBox.baseVal.width) / box.width;
    const found = curves.flatMap(({ line, points }) => {
      const near = line.classList.contains('off') ? undefined : nearest(points, place);
      return near === undefined ? [] : [`${line.dataset.line}: ${number(y(near[1]))}`];
    });
    if (found.length > 0) readout.textContent = `At ${number(x(place))} ≈ ${found.join(' · ')}`;
  });
}

/** Returns the points of a line, in pixels of the picture. */
function pointsOf(path) {
  const found = path?.getAttribute('d').matchAll(/[ML]([-\d.]+) ([-\d.]+)/g) ?? [];
  return [...found].map(([, x, y]) => [Number(x), Number(y)]);
}

/** Returns the function from a position to the value there. */
function scaleOf(text) {
  const [low, high, from, to, kind] = text.split(' ');
  const share = (place) => (place - from) / (to - from);
  if (Number(from) === Number(to)) return () => Number(low);
  if (kind === 'log') return (place) => low * (high / low) ** share(place);
  return (place) => Number(low) + share(place) * (high - low);
}

/** Returns the point nearest to a position; undefined beside the line. */
function nearest(points, place) {
  const margin = 6;
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || place < first[0] - margin || place > last[0] + margin)
    return undefined;
  return points.reduce((best, point) =>
    Math.abs(point[0] - place) < Math.abs(best[0] - place) ? point : best,
  );
}

function number(value) {
  return String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}
