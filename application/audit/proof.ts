import {
  type Chained,
  type Digest,
  firstLink,
  type Link,
  nextLink,
  type Seal,
  sealStatement,
} from '../../domain/audit.js';
import type { IsSigned } from '../ports/notary.js';

/** What is needed to believe a signature. */
export type Trust = { readonly publicKey: string; readonly isSigned: IsSigned; readonly sha256: Digest };

/** What somebody once stated of the first events of a history. */
type Statement = Link & { readonly by: string };

/** What is wrong, with the first event that differs, counted from 1. Where that is not known: with the first that may. */
export type Flaw = { readonly event: number; readonly last: number; readonly id?: string; readonly reason: string };

export type Marks = {
  /** Takes the seals among the events that were truly signed. */
  readSeals(events: readonly Chained[]): void;
  add(statement: Statement): void;
  at(count: number): readonly Statement[];
  beyond(count: number): readonly Statement[];
  readonly seals: () => number;
};

const isSeal = ({ type }: Chained) => type === 'AuditSealed';
const isGenuine = ({ data }: Chained, organizationId: string, { publicKey, isSigned }: Trust) => {
  // A history that somebody changed may hold anything.
  const sealed = Object(data) as Seal;
  const signature = String(sealed.signature);
  return sealed.organizationId === organizationId && isSigned(publicKey, sealStatement(sealed), signature);
};

/** A seal stands after the events it covers, perhaps long after: seals are collected before anything is held against them. */
export const createMarks = (organizationId: string, trust: Trust): Marks => {
  const statements = new Map<number, Statement[]>();
  let seals = 0;
  const add = (statement: Statement) => {
    const same = statements.get(statement.count);
    if (same) same.push(statement);
    else statements.set(statement.count, [statement]);
  };
  return {
    add,
    readSeals: (events) => {
      for (const event of events.filter(isSeal)) {
        if (!isGenuine(event, organizationId, trust)) continue;
        const { count, hash } = event.data as Seal;
        add({ count, hash, by: `a seal was put over ${count} events` });
        seals++;
      }
    },
    at: (count) => statements.get(count) ?? [],
    beyond: (count) => [...statements].flatMap(([at, found]) => (at > count ? found : [])),
    seals: () => seals,
  };
};

/** Goes through a history event by event and says where it stops being what was stated of it. */
export const createWalk = (organizationId: string, marks: Marks, trust: Trust) => {
  const { sha256 } = trust;
  let link = firstLink(organizationId, sha256);
  let proven = 0;
  const agrees = (): Flaw | null => {
    const stated = marks.at(link.count);
    const broken = stated.find(({ hash }) => hash !== link.hash);
    if (broken) return { event: proven + 1, last: link.count, reason: `not what it was when ${broken.by}` };
    if (stated.length > 0) proven = link.count;
    return null;
  };
  return {
    link: () => link,
    /** Everything up to here is as it was stated. */
    proven: () => proven,
    step: (event: Chained): Flaw | null => {
      link = nextLink(link, event, sha256);
      if (isSeal(event) && !isGenuine(event, organizationId, trust))
        return {
          event: link.count,
          last: link.count,
          id: event.id,
          reason: 'a seal that the trusted key did not sign',
        };
      return agrees();
    },
    end: (): Flaw | null => {
      const [longest] = marks.beyond(link.count).toSorted((a, b) => b.count - a.count);
      if (!longest) return null;
      const { count, by } = longest;
      return { event: proven + 1, last: count, reason: `missing: there were ${count - link.count} more when ${by}` };
    },
  };
};
