import ts from 'typescript';

/** Field of an event's data, or of a record inside it. */
export type Field = {
  /**
   * Path to the field: names from the outermost record on, separated by dots. A list of records has `[]` after its
   * name.
   */
  readonly path: string;
  /** Kinds of values: literals as in code, `null`, or the name of a type such as `string` or `object`. */
  readonly kinds: readonly string[];
  readonly optional: boolean;
  /** Doc comment of the field; empty if there is none. */
  readonly meaning: string;
};

const has = (type: ts.Type, flags: ts.TypeFlags) => (type.flags & flags) !== 0;
const isOptional = ({ flags }: ts.Symbol) => (flags & ts.SymbolFlags.Optional) !== 0;
const partsOf = (type: ts.Type) =>
  (type.isUnion() ? type.types : [type]).filter((part) => !has(part, ts.TypeFlags.Undefined));
/** Sorts kinds by name, because the compiler returns them in no stable order; `null` is last. */
const byName = (a: string, b: string) => Number(a === 'null') - Number(b === 'null') || (a < b ? -1 : 1);
const unique = <T>(values: readonly T[]) => [...new Set(values)];

/** Reads fields from types and their meanings from doc comments. */
export const createFieldReader = (checker: ts.TypeChecker) => {
  const isRecord = (type: ts.Type) =>
    has(type, ts.TypeFlags.Object | ts.TypeFlags.Intersection) &&
    !checker.isArrayType(type) &&
    checker.getIndexInfosOfType(type).length === 0 &&
    checker.getPropertiesOfType(type).length > 0;
  const elementsOf = (type: ts.Type) =>
    checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference).flatMap(partsOf) : [];

  const kindOf = (type: ts.Type) => {
    if (isRecord(type)) return 'object';
    if (elementsOf(type).some(isRecord)) return 'object[]';
    const text = checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
    return text
      .replaceAll('readonly ', '')
      .replace(/^Readonly<(.*)>$/, '$1')
      .replaceAll('"', "'");
  };
  const meaningOf = (symbol: ts.Symbol) =>
    ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ').trim();

  /** Lists the fields that any of the records has, each followed by the fields of the records inside it. */
  const fieldsOf = (records: readonly ts.Type[], before = ''): Field[] =>
    unique(records.flatMap((one) => checker.getPropertiesOfType(one).map(({ name }) => name))).flatMap((name) => {
      const symbols = records.flatMap((one) => checker.getPropertyOfType(one, name) ?? []);
      const parts = symbols.flatMap((one) => partsOf(checker.getTypeOfSymbol(one)));
      const elements = parts.flatMap(elementsOf).filter(isRecord);
      const path = `${before}${name}${elements.length > 0 ? '[]' : ''}`;
      const field: Field = {
        path,
        kinds: unique(parts.map(kindOf)).toSorted(byName),
        optional: symbols.length < records.length || symbols.some(isOptional),
        meaning: unique(symbols.map(meaningOf)).join(' '),
      };
      return [field, ...fieldsOf([...parts.filter(isRecord), ...elements], `${path}.`)];
    });
  return (type: ts.Type) => fieldsOf(partsOf(type));
};
