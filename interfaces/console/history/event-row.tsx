import { useState } from 'preact/hooks';
import type { Event } from '../../../sdk/typescript/src/generated.js';
import { sentenceOf } from '../../cli/audit/replay/sentences.js';
import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import { client } from '../session/session.js';
import { urlOf } from './filters.js';
import type { KnownNames } from './names.js';

const relationOf = (event: Event, other: Event) => {
  if (other.event_id === event.event_id) return 'this event';
  if (other.event_id === event.causation_id) return 'its cause';
  return other.causation_id === event.event_id ? 'its effect' : '';
};

type EventProps = { readonly event: Event; readonly names: KnownNames; readonly organization?: string | undefined };

/**
 * Events with the same correlation id as `event`: the events of one request and of its effects, oldest first. Marks the
 * cause and the effects of `event`.
 */
const Relatives = ({ event, names, organization }: EventProps) => {
  const { value, error } = useLoaded(
    (signal) =>
      client.admin.listEvents(
        {
          correlation_id: event.correlation_id,
          order: 'asc',
          from: Math.max(0, event.position - 1000),
          page_size: 100,
          ...(organization && { organization_id: organization }),
        },
        { signal },
      ),
    [event.event_id],
  );
  if (error) return <ProblemNote error={error} />;
  return (
    <ol class="relatives" aria-label="Causes and effects">
      {value?.events.map((one) => (
        <li key={one.event_id} aria-current={one.event_id === event.event_id ? 'true' : undefined}>
          {sentenceOf(one, names)} <span class="quiet">{relationOf(event, one)}</span>
        </li>
      ))}
    </ol>
  );
};

const Fields = (props: EventProps) => {
  const { event } = props;
  return (
    <div class="unfolded">
      <dl>
        <dt>Type</dt>
        <dd>
          <code>{event.type}</code>
        </dd>
        <dt>Position</dt>
        <dd>{event.position}</dd>
        <dt>Occurred</dt>
        <dd>
          <Moment iso={event.occur_time} />
        </dd>
        <dt>Event</dt>
        <dd>
          <Copyable text={event.event_id} label="event id" />
        </dd>
        <dt>Request</dt>
        <dd>
          <Copyable text={event.request_id} label="request id" />{' '}
          <a href={urlOf({ request: event.correlation_id })}>All events of it</a>
        </dd>
        <dt>Actor</dt>
        <dd>
          {event.actor.kind} <Copyable text={event.actor.id} label="actor" />
        </dd>
        <dt>Stream</dt>
        <dd>
          <Copyable text={event.stream} label="stream" />
        </dd>
      </dl>
      <pre class="code">{JSON.stringify(event.data, null, 2)}</pre>
      <h3>Causes and effects</h3>
      <Relatives {...props} />
    </div>
  );
};

/** Event as a sentence that unfolds to the fields of the event. */
export const EventRow = (props: EventProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <button type="button" class="sentence" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {sentenceOf(props.event, props.names)}
      </button>
      {isOpen && <Fields {...props} />}
    </li>
  );
};
