import { contextIn, type Tracer } from '../ports/tracing/tracer.js';
import { createHandle, type Handle } from './handle.js';

/**
 * Wraps the command handler to run each command in a span. Its parent is the span of the event that caused the command,
 * or else the span of the active request.
 */
const tracedHandle = (tracer: Tracer, handle: Handle): Handle => {
  if (!tracer.isOn) return handle;
  return (context, steps) => {
    const attributes = {
      'chainfold.organization': context.organizationId,
      'chainfold.variant': context.variant.tag,
      'chainfold.request_id': context.requestId,
      'chainfold.streams': steps.length,
    };
    const work = () => handle(context, steps);
    const parent = contextIn(context.traceparent);
    return parent
      ? tracer.entry('handle command', { kind: 'consumer', parent, attributes }, work)
      : tracer.child('handle command', attributes, work);
  };
};

/** Creates a command handler that stores the trace context of each command with its events. */
export const createTracedHandle = (
  tracer: Tracer,
  ...[events, system, guard, reached, throttle]: Parameters<typeof createHandle>
): Handle => tracedHandle(tracer, createHandle(events, system, guard, reached, throttle, tracer));
