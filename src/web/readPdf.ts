/** Reads the text of a PDF, page by page. Runs in the worker. */
import { getDocument, type PDFDocumentProxy } from 'unpdf/pdfjs';
import type { ReadPage } from './pageJob.ts';

const maxPages = 300;
const maxChars = 2_000_000;

/**
 * Returns the text of a PDF. Rejects if the bytes are not a PDF, or if the PDF needs a password.
 */
export async function readPdf(bytes: Uint8Array<ArrayBuffer>): Promise<ReadPage> {
  const document = await getDocument({ data: bytes, useSystemFonts: true, verbosity: 0 }).promise;
  const pages: string[] = [];
  let chars = 0;
  for (
    let number = 1;
    number <= Math.min(document.numPages, maxPages) && chars < maxChars;
    number++
  ) {
    const text = await pageText(document, number);
    pages.push(`[Page ${number} of ${document.numPages}]\n${text}`);
    chars += text.length;
  }
  const title = await titleOf(document);
  const isWhole = pages.length === document.numPages;
  return {
    text: pages.join('\n\n'),
    ...(title !== undefined && { title }),
    ...(!isWhole && {
      note: `only the first ${pages.length} of ${document.numPages} pages were read`,
    }),
  };
}

async function pageText(document: PDFDocumentProxy, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items
    .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
    .join('');
}

async function titleOf(document: PDFDocumentProxy): Promise<string | undefined> {
  const { info } = (await document.getMetadata()) as {
    readonly info?: { readonly Title?: unknown };
  };
  const title = info?.Title;
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined;
}
