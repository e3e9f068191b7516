import type { EventRecord } from '../../../../application/audit/event-record.js';
import { printable } from '../../../../application/tracing/key-form.js';
import type { EventType } from '../../../../domain/aggregates.js';
import { globalVariant } from '../../../../domain/variant.js';
import { accessSentences } from './access-sentences.js';
import { chainSentences } from './chain-sentences.js';
import type { Names } from './names.js';
import type { Sentences } from './sentence.js';
import { transactionSentences } from './transaction-sentences.js';

/** Functions that say in words what an event did, for every event type. */
const sentences: Sentences<EventType> = { ...accessSentences, ...chainSentences, ...transactionSentences };

/** Event types that can be described in words: all types that this release knows. */
export const describedTypes: readonly string[] = Object.keys(sentences);

type AnySentence = (data: object, names: Names) => string;

/** Returns what the actor did in an event, such as `registered wallet treasury on C`. */
export const sentenceOf = ({ type, data, chain }: EventRecord, names: Names): string => {
  const sentence = (sentences as Readonly<Record<string, AnySentence>>)[type];
  // Falls back to type and data of the event for a type that this release does not know, because a newer release may
  // have stored it.
  const text = sentence ? sentence(data, names) : `${type} ${JSON.stringify(data)}`;
  return printable(chain === globalVariant.tag ? text : `${text} on ${chain}`);
};
