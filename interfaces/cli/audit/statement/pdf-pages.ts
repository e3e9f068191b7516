import PdfDocument from 'pdfkit';
import { asciiHex, brokenAt, printable } from './pdf-text.js';

const [margin, headerHeight, footerHeight] = [40, 26, 20];
const [tableSize, tableLeading] = [7.5, 10];
/** Width of a Courier character, as a fraction of the font size. */
const courierWidth = 0.6;
const colours = { text: '#1d2430', quiet: '#5d6675', warning: '#b3261e', line: '#c9ced6' } as const;

type LineStyle = { readonly colour?: keyof typeof colours; readonly isBold?: boolean };

export type Pages = {
  /** Writes a paragraph in proportional type, with line breaks where it reaches the right margin. */
  paragraph(text: string, options: { size: number; isBold?: boolean; colour?: keyof typeof colours }): void;
  /** Writes a table row in fixed-width type. A row wider than the page continues on the next line, indented. */
  row(text: string, indent: number, style?: LineStyle): void;
  /** Adds `height` points of vertical space, and begins a new page if fewer than `lines` table rows fit on this one. */
  space(height: number, lines: number): void;
  /** Ends the document. */
  end(): void;
  /** Returns the bytes since the last call. */
  take(): readonly Uint8Array[];
};

/**
 * Internal field of a pdfkit document, which the types of pdfkit lack: the current font. `id` is the name by which the
 * content of a page refers to the font.
 */
type Drawing = { readonly _font: { readonly id: string; readonly ascender: number } };

/**
 * Returns a function that draws a line of fixed-width ASCII at the left margin. Bypasses `doc.text`, which looks up the
 * width and kerning of each character twice and would take most of the time of a statement with many rows.
 */
const createFixedWidth = (doc: PDFKit.PDFDocument) => {
  let [page, fonts] = [doc.page, new Set<string>()];
  return (hex: string, y: number) => {
    const { id, ascender } = (doc as unknown as Drawing)._font;
    if (page !== doc.page) [page, fonts] = [doc.page, new Set()];
    // Draws a space with `doc.text` on the first use of a font on a page, because that registers the font in the page's
    // resources.
    if (!fonts.has(id)) doc.text(' ', margin, y, { lineBreak: false });
    fonts.add(id);
    const baseline = doc.page.height - y - (ascender / 1000) * tableSize;
    doc.addContent(
      `q\n1 0 0 -1 0 ${doc.page.height} cm\nBT\n1 0 0 1 ${margin} ${baseline.toFixed(3)} Tm\n/${id} ${tableSize} Tf\n[<${hex}>] TJ\nET\nQ`,
    );
  };
};

/**
 * Creates the pages of a PDF document. Each page has a number, and each page but the first has a header. A page is
 * written when the next page begins.
 */
export const createPages = (about: {
  readonly title: string;
  readonly running: string;
  readonly date: Date;
}): Pages => {
  const info = { Title: about.title, Producer: 'chainfold', Creator: 'chainfold', CreationDate: about.date };
  const doc = new PdfDocument({ size: 'A4', layout: 'landscape', margin, autoFirstPage: false, info, lang: 'en' });
  const drawFixedWidth = createFixedWidth(doc);
  let page = 0;
  const width = () => doc.page.width - 2 * margin;
  const bottom = () => doc.page.height - margin - footerHeight;
  const label = (text: string, y: number, align: 'left' | 'right') => {
    doc.font('Helvetica').fontSize(8).fillColor(colours.quiet);
    doc.text(printable(text), margin, y, { width: width(), align, height: 10, ellipsis: true });
  };
  const addPage = () => {
    doc.addPage();
    page++;
    if (page > 1) label(about.running, margin, 'left');
    // Removes the bottom margin for the footer, because text below the margin would begin another page.
    doc.page.margins.bottom = 0;
    label(`Page ${page}`, doc.page.height - margin, 'right');
    doc.page.margins.bottom = margin;
    doc.y = page > 1 ? margin + headerHeight : margin;
  };
  const need = (height: number) => {
    if (doc.y + height > bottom()) addPage();
  };
  const drawRow = (text: string, { colour = 'text', isBold = false }: LineStyle) => {
    need(tableLeading);
    const { y } = doc;
    doc
      .font(isBold ? 'Courier-Bold' : 'Courier')
      .fontSize(tableSize)
      .fillColor(colours[colour]);
    const hex = asciiHex(text);
    if (hex === null) doc.text(text, margin, y, { lineBreak: false });
    else drawFixedWidth(hex, y);
    doc.y = y + tableLeading;
  };
  addPage();
  return {
    paragraph: (text, { size, isBold = false, colour = 'text' }) => {
      const shown = printable(text);
      const options = { width: width() };
      doc.font(isBold ? 'Helvetica-Bold' : 'Helvetica').fontSize(size);
      need(Math.min(doc.heightOfString(shown, options), bottom() - margin - headerHeight));
      doc
        .font(isBold ? 'Helvetica-Bold' : 'Helvetica')
        .fontSize(size)
        .fillColor(colours[colour]);
      doc.text(shown, margin, doc.y, options);
    },
    row: (text, indent, style = {}) => {
      const characters = width() / (courierWidth * tableSize);
      for (const line of brokenAt(printable(text), Math.floor(characters), indent)) drawRow(line, style);
    },
    space: (height, lines) => {
      doc.y += height;
      need(lines * tableLeading);
    },
    end: () => doc.end(),
    take: () => {
      const chunks: Uint8Array[] = [];
      for (let chunk = doc.read() as Uint8Array | null; chunk; chunk = doc.read() as Uint8Array | null)
        chunks.push(chunk);
      return chunks;
    },
  };
};
