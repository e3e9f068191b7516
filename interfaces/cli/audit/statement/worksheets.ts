/** Cell styles, each with its index in `cellXfs` of the style sheet. */
const styles = { plain: 0, heading: 1, time: 2, warning: 3 } as const;
type Style = keyof typeof styles;

/** Cell of a worksheet. A number is passed as decimal text, and is stored as text if a spreadsheet would round it. */
export type Cell =
  | { readonly number: string; readonly style?: Style }
  | { readonly text: string; readonly style?: Style };

const maxDigits = 15;
const isExact = (number: string) =>
  /^-?\d+(?:\.\d+)?$/.test(number) && number.replace(/^-?0*\.?0*/, '').replace('.', '').length <= maxDigits;

// Characters that XML 1.0 cannot contain, even escaped, including halves of surrogate pairs.
const unwritable = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};
const isPlain = /^[\w .:-]*$/;
const escaped = (text: string) =>
  isPlain.test(text)
    ? text
    : text.replace(unwritable, '\uFFFD').replace(/[&<>"\r]/g, (character) => entities[character] ?? character);

/** Keeps a text that looks like an escape of SpreadsheetML, such as _x0041_, from being decoded. */
const literal = (text: string) => text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_');

const hasOuterSpace = /^\s|\s$/;

const cellXml = (cell: Cell) => {
  const style = cell.style ? ` s="${styles[cell.style]}"` : '';
  if ('number' in cell && isExact(cell.number)) return `<c${style}><v>${cell.number}</v></c>`;
  const text = 'number' in cell ? cell.number : cell.text;
  if (text === '') return `<c${style}/>`;
  const space = hasOuterSpace.test(text) ? ' xml:space="preserve"' : '';
  return `<c${style} t="inlineStr"><is><t${space}>${escaped(literal(text))}</t></is></c>`;
};
export const cellsXml = (cells: readonly Cell[]) => cells.map(cellXml).join('');
export const rowXml = (cells: readonly Cell[]) => `<row>${cellsXml(cells)}</row>`;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const kinds = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Returns the beginning of a worksheet. The first `frozen` rows stay visible while the other rows scroll. */
export const sheetStart = (widths: readonly number[], frozen = 0) => {
  const pane = `<pane ySplit="${frozen}" topLeftCell="A${frozen + 1}" activePane="bottomLeft" state="frozen"/>`;
  const columns = widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`);
  const view = `<sheetViews><sheetView workbookViewId="0">${frozen > 0 ? pane : ''}</sheetView></sheetViews>`;
  return `${declaration}<worksheet ${main}>${view}<cols>${columns.join('')}</cols><sheetData>`;
};
export const sheetEnd = '</sheetData></worksheet>';

/** Returns the path of a worksheet within the zip file of the workbook. Worksheets are numbered from 1. */
export const sheetPath = (number: number) => `xl/worksheets/sheet${number}.xml`;

const fonts =
  '<fonts count="3"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><color rgb="FFB3261E"/><name val="Calibri"/></font></fonts>';
const fills =
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFDECEA"/></patternFill></fill></fills>';
const cellStyles = [
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>',
  '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>',
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
  '<xf numFmtId="0" fontId="2" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/>',
];
const styleSheet = `${declaration}<styleSheet ${main}><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>${fonts}${fills}<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${cellStyles.length}">${cellStyles.join('')}</cellXfs></styleSheet>`;

/**
 * Files that are the same in every workbook. Worksheets need no entry in the list of content types, because they have
 * its default type.
 */
export const fixedFiles: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="${kinds}.worksheet+xml"/><Override PartName="/xl/workbook.xml" ContentType="${kinds}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${kinds}.styles+xml"/></Types>`,
  '_rels/.rels': `${declaration}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/styles.xml': styleSheet,
};

/** Returns the files that list the worksheets, in the order of their numbers. */
export const workbookFiles = (names: readonly string[]): Readonly<Record<string, string>> => {
  const sheets = names.map((name, i) => `<sheet name="${escaped(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`);
  const links = names.map(
    (_, i) =>
      `<Relationship Id="rId${i + 1}" Type="${office}/worksheet" Target="${sheetPath(i + 1).slice('xl/'.length)}"/>`,
  );
  const style = `<Relationship Id="rId${names.length + 1}" Type="${office}/styles" Target="styles.xml"/>`;
  return {
    'xl/workbook.xml': `${declaration}<workbook ${main} xmlns:r="${office}"><sheets>${sheets.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${declaration}<Relationships xmlns="${packages}/relationships">${links.join('')}${style}</Relationships>`,
  };
};
