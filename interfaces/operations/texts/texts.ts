import { fieldText } from '../field-texts.js';
import type { Endpoint } from '../index.js';
import { activityRecordTexts } from './activity-records.js';
import { answerText } from './answers.js';
import { chainRecordTexts } from './chain-records.js';
import { notificationRecordTexts } from './notification-records.js';
import { operationTexts } from './operations.js';
import { recordTexts } from './records.js';
import { statementRecordTexts } from './statement-records.js';

const ofRecords = {
  ...recordTexts,
  ...statementRecordTexts,
  ...activityRecordTexts,
  ...chainRecordTexts,
  ...notificationRecordTexts,
};

/** Returns the description of a field of a named schema; undefined if no table has it. */
export const recordText = (record: string, field: string): string | undefined => ofRecords[record]?.[field];

/** Returns the description of an operation; undefined if the table has none. */
export const operationText = ({ operation: { name }, variant }: Endpoint): string | undefined =>
  operationTexts[`${variant.segment}.${name}`] ?? operationTexts[name];

/** Functions that return the description of a field, for requests and for responses. */
export const sideTexts = { request: fieldText, response: answerText } as const;
