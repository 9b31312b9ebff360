import { brotliCompressSync, constants, deflateSync } from 'node:zlib';

type Compression = keyof typeof compressions;

const compressions = {
  none: ['', (content: Buffer) => content],
  brotli: [
    ' /Filter /BrotliDecode',
    (content: Buffer) =>
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  ],
  deflate: [' /Filter /FlateDecode', (content: Buffer) => deflateSync(content)],
  'deflate twice': [
    ' /Filter [/FlateDecode /FlateDecode]',
    (content: Buffer) => deflateSync(deflateSync(content)),
  ],
} as const;

/**
 * A real PDF with a page for each text; a text of several lines has them below each other. Each
 * page ends with `paddingBytes` spaces, which show nothing.
 */
export function smallPdf(
  pages: readonly string[],
  title: string,
  compression: Compression = 'none',
  paddingBytes = 0,
): Buffer {
  const kids = pages.map((_, index) => `${5 + index * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Title (${title}) >>`,
    ...pages.flatMap((text, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${6 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      stream(text, compression, paddingBytes),
    ]),
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${rows}`;
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, 'latin1');
}

function stream(text: string, compression: Compression, paddingBytes: number): string {
  const shown = text.split('\n').map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`);
  const content = Buffer.from(`BT /F1 12 Tf 14 TL 72 720 Td ${shown.join(' ')} ET`, 'latin1');
  const [filter, compressed] = compressions[compression];
  const data = compressed(Buffer.concat([content, Buffer.alloc(paddingBytes, ' ')]));
  return `<< /Length ${data.length}${filter} >>\nstream\n${data.toString('latin1')}\nendstream`;
}
