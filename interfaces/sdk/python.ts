import type { Field, OperationModel, RecordModel, SdkModel } from './model.js';
import { generatedNotice } from './notice.js';
import { pascal } from './record-names.js';
import type { FieldType } from './schema-types.js';

const scalars = {
  text: 'str',
  integer: 'int',
  number: 'float',
  flag: 'bool',
  moment: 'Union[str, int]',
  map: 'dict[str, Any]',
  any: 'Any',
} as const;

const typeText = (type: FieldType, isRequest: boolean): string => {
  // An enumeration in a response is a `str`, because later versions of the service may add values.
  if (type.kind === 'choice')
    return isRequest && !type.isOpen ? `Literal[${type.values.map((one) => `"${one}"`).join(', ')}]` : 'str';
  if (type.kind === 'list') return `list[${typeText(type.items, isRequest)}]`;
  if (type.kind === 'nullable') return `Optional[${typeText(type.value, isRequest)}]`;
  return type.kind === 'record' ? type.name : scalars[type.kind];
};

const snake = (name: string) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
const keywords =
  'as assert async await class def del from global import in is lambda not or pass raise return with yield'.split(' ');
const parameterName = (name: string) => (keywords.includes(name) ? `${name}_` : name);

/**
 * Writes a dictionary type as a call of `TypedDict` instead of a class, because a field may have the name of a keyword,
 * such as `from`.
 */
const dictionary = (name: string, fields: readonly Field[], isRequest: boolean, rest = '') =>
  `${name} = TypedDict(\n    "${name}",\n    {${fields
    .map((one) => `\n        "${one.name}": "${typeText(one.type, isRequest).replaceAll('"', "'")}",`)
    .join('')}\n    },${rest}\n)\n`;

const recordText = ({ name, fields, isRequest }: RecordModel): string => {
  const required = fields.filter(({ isRequired }) => isRequired);
  const optional = fields.filter(({ isRequired }) => !isRequired);
  if (optional.length === 0) return dictionary(name, required, isRequest);
  if (required.length === 0) return dictionary(name, optional, isRequest, '\n    total=False,');
  const rest = dictionary(`_${name}Optional`, optional, isRequest, '\n    total=False,');
  const base = dictionary(`_${name}Required`, required, isRequest);
  return `${base}\n\n${rest}\n\nclass ${name}(_${name}Required, _${name}Optional):\n    pass\n`;
};

const parameterText = ({ name, type, isRequired }: Field) =>
  isRequired
    ? `        ${parameterName(name)}: ${typeText(type, true)},\n`
    : `        ${parameterName(name)}: Optional[${typeText(type, true)}] = None,\n`;

const signature = (name: string, { fields }: RecordModel, answer: string) => {
  const ordered = fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
  const parameters = ordered.map(parameterText).join('');
  return `    def ${snake(name)}(\n        self,\n        *,\n${parameters}        options: Optional[CallOptions] = None,\n    ) -> ${answer}:\n`;
};

const requestText = ({ fields }: RecordModel) =>
  `_given(${fields.map(({ name }) => `("${name}", ${parameterName(name)})`).join(', ')})`;

const parameterDocs = ({ fields }: RecordModel) => {
  const described = fields.filter(({ text }) => text !== undefined);
  if (described.length === 0) return '';
  return `\n\n${described.map(({ name, text }) => `        :param ${parameterName(name)}: ${text}`).join('\n')}\n        `;
};

const methodText = (segment: string, operation: OperationModel) => {
  const { name, summary, kind, request, response, answersLines, paging } = operation;
  const path = `"/v1/${segment}/${name}", "${kind}"`;
  const send = (body: string) => `self._transport.call(${path}, ${body}, options)`;
  const method = [
    signature(name, request, answersLines ? 'Iterator[bytes]' : response.name),
    `        """${summary}${parameterDocs(request)}"""\n`,
    `        return ${send(requestText(request))}\n`,
  ];
  if (!paging) return method.join('');
  const iteration = [
    `\n${signature(paging.iterator, request, `Iterator[${typeText(paging.item, false)}]`)}`,
    `        """${paging.isFeed ? `Iterates over the items of ${name}, and waits for later ones.` : `Iterates over the items of all pages of ${name}.`}"""\n`,
    `        return each_item(lambda page: ${send('page')}, ${requestText(request)}, "${paging.items}")\n`,
  ];
  return [...method, ...iteration].join('');
};

const header = (title: string) => `# ${generatedNotice}\n"""${title}"""\n`;

const problemClass = (code: string) => {
  const name = pascal(code.toLowerCase());
  return name.endsWith('Error') ? name : `${name}Error`;
};

const problemsSource = ({ problems }: SdkModel) => {
  const classes = problems.map(({ code }) => problemClass(code));
  return [
    header('Problems of the service.'),
    'from __future__ import annotations\n\nfrom .errors import ProblemError\n',
    `__all__ = [${classes.map((name) => `"${name}"`).join(', ')}]\n`,
    ...problems.map(
      ({ code, meaning }) =>
        `\nclass ${problemClass(code)}(ProblemError):\n    """${meaning.replaceAll('\\', '')}"""\n`,
    ),
    `\n#: Errors by the code of their problem.\nproblem_errors: dict[str, type[ProblemError]] = {\n${problems
      .map(({ code }) => `    "${code}": ${problemClass(code)},\n`)
      .join('')}}\n`,
  ].join('\n');
};

const typesSource = ({ records }: SdkModel) =>
  [
    header('Answers and nested records of all operations.'),
    'from typing import Any, Literal, Optional, TypedDict, Union\n',
    ...records.map((record) => `\n${recordText(record)}`),
  ].join('\n');

const apisSource = ({ apis }: SdkModel) =>
  [
    header('Methods of all operations, by API.'),
    'from __future__ import annotations\n',
    'from collections.abc import Iterator\nfrom typing import Any, Literal, Optional, Union\n',
    'from .pages import each_item\nfrom .transport import CallOptions, Transport\nfrom .types import *  # noqa: F403\n',
    '\ndef _given(*fields: tuple[str, Any]) -> dict[str, Any]:\n    return {name: value for name, value in fields if value is not None}\n',
    ...apis.map(
      ({ segment, operations }) =>
        `\nclass ${pascal(segment)}Api:\n    """Operations of the API \`\`${segment}\`\`."""\n\n    def __init__(self, transport: Transport) -> None:\n        self._transport = transport\n\n${operations
          .map((operation) => methodText(segment, operation))
          .join('\n')}`,
    ),
    `\nclass Apis:\n    """All APIs of the service."""\n\n    def __init__(self, transport: Transport) -> None:\n${apis
      .map(({ segment }) => `        self.${segment} = ${pascal(segment)}Api(transport)\n`)
      .join('')}`,
  ].join('\n');

/** Returns the texts of the generated modules of the Python SDK, keyed by file name. */
export const pythonSources = (model: SdkModel): Readonly<Record<string, string>> => ({
  'problems.py': problemsSource(model),
  'types.py': typesSource(model),
  'apis.py': apisSource(model),
});
