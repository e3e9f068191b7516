import { Table } from '../parts/table.js';
import { choicesOf, type Field, fieldsOf, type Schema, type Specification, typeText } from './document.js';

type Titles = 'Field' | 'Type' | 'Required' | 'Default';
type CellProps = { readonly specification: Specification; readonly field: Field };

const TypeCell = ({ specification, field: { schema } }: CellProps) => (
  <>
    {typeText(specification, schema)}
    {schema.description && <div class="quiet">{schema.description}</div>}
  </>
);

const cellOf = (title: Titles, props: CellProps) => {
  const { field } = props;
  if (title === 'Type') return <TypeCell {...props} />;
  if (title === 'Required') return field.isRequired ? 'yes' : 'no';
  if (title === 'Default')
    return field.schema.default === undefined ? '–' : <code>{JSON.stringify(field.schema.default)}</code>;
  return (
    <code>
      <span class="quiet">{field.prefix}</span>
      {field.name}
    </code>
  );
};

type FieldTableProps = {
  readonly specification: Specification;
  readonly schema: Schema;
  readonly titles: readonly Titles[];
};

/** Fields of a schema at any depth, and the fields of which a request needs at least one. */
export const FieldTable = ({ specification, schema, titles }: FieldTableProps) => {
  const fields = fieldsOf(specification, schema);
  const choices = choicesOf(specification, schema);
  if (fields.length === 0) return <p class="quiet">An object without fields.</p>;
  return (
    <>
      <Table titles={titles}>
        {fields.map((field) => (
          <tr key={field.prefix + field.name}>
            {titles.map((title) => (
              <td key={title}>{cellOf(title, { specification, field })}</td>
            ))}
          </tr>
        ))}
      </Table>
      {choices.length > 0 && <p class="quiet">At least one is required: {choices.join(', ')}.</p>}
    </>
  );
};

type PairTableProps = {
  readonly titles: readonly [string, string];
  readonly rows: readonly (readonly [string, string])[];
};

/** Table of codes and their meanings. */
export const PairTable = ({ titles, rows }: PairTableProps) => (
  <Table titles={titles}>
    {rows.map(([name, meaning]) => (
      <tr key={name}>
        <td>
          <code>{name}</code>
        </td>
        <td>{meaning}</td>
      </tr>
    ))}
  </Table>
);
