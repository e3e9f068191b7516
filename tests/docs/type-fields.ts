import ts from 'typescript';

type Field = { readonly path: string; readonly type: string; readonly optional: boolean };

const isOptional = (property: ts.Symbol) => (property.flags & ts.SymbolFlags.Optional) !== 0;
const isRecord = (type: ts.Type, checker: ts.TypeChecker) =>
  (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0 &&
  !checker.isArrayType(type) &&
  checker.getIndexInfosOfType(type).length === 0;

const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias;
/** Writes out the members of record types, because type names mean nothing outside the code. */
const textOf = (type: ts.Type, checker: ts.TypeChecker): string => {
  const members = type.isUnion() && type.types.some((one) => isRecord(one, checker)) ? type.types : [type];
  const texts = members.map((one) => checker.typeToString(one, undefined, flags));
  return texts.join(' | ').replaceAll('readonly ', '').replaceAll('"', "'").replaceAll('; }', ' }');
};

/** Finds the record that a type is or is a list of, with the separator before the names of its fields. */
const recordIn = (type: ts.Type, checker: ts.TypeChecker) => {
  if (isRecord(type, checker)) return { record: type, between: '.' };
  const [element] = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [];
  return element && isRecord(element, checker) ? { record: element, between: '[].' } : null;
};

/** Lists the fields of an event's data; fields of inner records have paths. */
export const fieldsOf = (type: ts.Type, checker: ts.TypeChecker, at: ts.Node, before = ''): Field[] =>
  checker.getPropertiesOfType(type).flatMap((property) => {
    const optional = isOptional(property);
    const path = `${before}${property.name}`;
    const declared = checker.getTypeOfSymbolAtLocation(property, at);
    const found = optional ? checker.getNonNullableType(declared) : declared;
    const inside = recordIn(found, checker);
    if (inside) return fieldsOf(inside.record, checker, at, `${path}${optional ? '?' : ''}${inside.between}`);
    return [{ path, type: textOf(found, checker), optional }];
  });
