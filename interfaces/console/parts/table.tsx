import type { ComponentChildren } from 'preact';
import { Scroll } from './scroll.js';

type TableProps = {
  /** Name of the table for screen readers; the titles of its columns by default. */
  readonly label?: string;
  readonly titles: readonly string[];
  /** Rows of the table's body. */
  readonly children: ComponentChildren;
};

/** Table with a title for each column, which scrolls sideways when it is wider than the screen. */
export const Table = ({ titles, label = titles.join(', '), children }: TableProps) => (
  <Scroll label={label}>
    <table>
      <thead>
        <tr>
          {titles.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </Scroll>
);
