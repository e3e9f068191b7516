import { answerExampleOf } from '../../interfaces/operations/examples/answers.js';
import { type Endpoint, endpoints } from '../../interfaces/operations/index.js';

export const specificationPath = 'docs/specification.md';

const fenced = (value: object) => ['```json', JSON.stringify(value, null, 2), '```', ''];
const exampleText = (endpoint: Endpoint) =>
  [`Example: \`POST ${endpoint.path}\``, '', ...fenced(endpoint.example), ...fenced(answerExampleOf(endpoint))].join(
    '\n',
  );

/** Matches the section of an operation: its heading, the APIs that have it, its text and, at the end, its examples. */
const section =
  /^(#### (\w+)(?: \(\w+\))?\n\n`(\w+)`.* · (?:command|query)\b.*\n(?:(?!Example: |#).*\n)*)(?:Example: (?:(?!#).*\n)*)?/gm;

/** Returns the page with an example request and answer at the end of each operation, in the first API that has it. */
export const withExamples = (page: string): string =>
  page.replaceAll(section, (_, text: string, name: string, api: string) => {
    const path = `/v1/${api}/${name}`;
    const endpoint = endpoints.find((one) => one.path === path);
    if (!endpoint) throw new Error(`${specificationPath} describes ${path}, which does not exist`);
    return `${text}${exampleText(endpoint)}\n`;
  });
