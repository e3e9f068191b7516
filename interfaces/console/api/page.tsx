import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import {
  answersOf,
  loadSpecification,
  type Operation,
  operationsOf,
  type Schema,
  type Specification,
} from './document.js';
import { FieldTable, PairTable } from './tables.js';
import { TryIt } from './try-it.js';

type MenuProps = {
  readonly specification: Specification;
  readonly operations: readonly Operation[];
  readonly chosen: string;
};

const Menu = ({ specification, operations, chosen }: MenuProps) => {
  const [filter, setFilter] = useState('');
  const words = filter.toLowerCase().split(/\s+/);
  const isFound = ({ path, post }: Operation) =>
    words.every((word) => `${path} ${post.summary}`.toLowerCase().includes(word));
  const found = operations.filter(isFound);
  return (
    <details class="operations" open={chosen === '' || matchMedia('(min-width: 60rem)').matches}>
      <summary>Operations</summary>
      <label>
        Search operations
        <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      </label>
      {found.length === 0 && <p class="quiet">No operation matches.</p>}
      <nav aria-label="Operations">
        {specification.tags
          .map(({ name }) => ({ name, members: found.filter(({ api }) => api === name) }))
          .filter(({ members }) => members.length > 0)
          .map(({ name, members }) => (
            <section key={name}>
              <h2>API {name}</h2>
              <ul>
                {members.map((one) => (
                  <li key={one.path}>
                    <a
                      href={`/console/api/${one.api}/${one.name}`}
                      aria-current={one.path === chosen ? 'page' : undefined}
                    >
                      {one.name}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
      </nav>
    </details>
  );
};

const empty: Schema = {};
const schemaIn = (content: Readonly<Record<string, { readonly schema: Schema }>> | undefined) =>
  Object.values(content ?? {})[0]?.schema ?? empty;

type ViewProps = { readonly specification: Specification; readonly operation: Operation };

const OperationView = ({ specification, operation }: ViewProps) => {
  const { post, path, name, headers } = operation;
  const answers = answersOf(specification, post);
  const success = answers.find(({ status }) => status === '200');
  const problems = answers.filter(({ status }) => !status.startsWith('2'));
  return (
    <div class="operation">
      <div>
        <h1>{name}</h1>
        <p>
          <code>POST {path}</code>
        </p>
        <p>{post.summary}</p>
        <p class="quiet">{post.description}</p>
        <h2>Request</h2>
        <FieldTable
          specification={specification}
          schema={schemaIn(post.requestBody.content)}
          titles={['Field', 'Type', 'Required', 'Default']}
        />
        <h2>Answer</h2>
        <FieldTable
          specification={specification}
          schema={schemaIn(success?.content)}
          titles={['Field', 'Type', 'Required']}
        />
        <h2>Problems</h2>
        <PairTable
          titles={['Status', 'Meaning']}
          rows={problems.map(({ status, description }) => [status, description])}
        />
        <details>
          <summary>Fields of a problem</summary>
          <FieldTable
            specification={specification}
            schema={(specification.components.schemas?.Problem ?? empty) as Schema}
            titles={['Field', 'Type']}
          />
        </details>
        <h2>Optional headers</h2>
        <PairTable titles={['Header', 'Meaning']} rows={headers.map((one) => [one.name, one.description])} />
      </div>
      <TryIt key={path} operation={operation} />
    </div>
  );
};

const Introduction = ({ specification: { info } }: { readonly specification: Specification }) => (
  <>
    <h1>API</h1>
    <p>
      {info.summary} Version {info.version}.
    </p>
    <p>
      Choose an operation to see its fields, problems and code, and to send it with your own ids. The documents for
      programs are <a href="/openapi.json">/openapi.json</a>, <a href="/openrpc.json">/openrpc.json</a> and{' '}
      <a href="/asyncapi.json">/asyncapi.json</a>.
    </p>
    <h2>Signing</h2>
    <p>Programs sign every request with three headers:</p>
    <pre class="code">
      {
        'x-api-key: the api_key\nx-api-nonce: milliseconds since 1970, a hyphen, up to 32 letters and digits; accepted once\n'
      }
      {
        'x-api-signature: hex(hmac_sha256(api_secret, nonce + "\\n" + "POST" + "\\n" + path + "\\n" + hex(sha256(body))))'
      }
    </pre>
  </>
);

/** Page that shows the operations of the OpenAPI document, each with a form that sends a request to it. */
export const ApiPage = () => {
  const { params } = useRoute();
  const { value: specification, error } = useLoaded(loadSpecification, []);
  if (!specification) return error ? <ProblemNote error={error} /> : <p>Loading…</p>;
  const operations = operationsOf(specification);
  const operation = operations.find(({ api, name }) => api === params.segment && name === params.name);
  return (
    <div class="api">
      <Menu
        key={operation?.path ?? ''}
        specification={specification}
        operations={operations}
        chosen={operation?.path ?? ''}
      />
      <div>
        {operation ? (
          <OperationView specification={specification} operation={operation} />
        ) : (
          <Introduction specification={specification} />
        )}
      </div>
    </div>
  );
};
