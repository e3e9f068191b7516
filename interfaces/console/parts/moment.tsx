const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const utcText = (iso: string) => `${iso.slice(0, 19).replace(/T/, ' ')} UTC`;

/** Time in the user's time zone, followed by the time in UTC. */
export const Moment = ({ iso }: { readonly iso: string }) => {
  const date = new Date(iso);
  if (iso === '' || Number.isNaN(date.getTime())) return <span class="quiet">–</span>;
  return (
    <time class="moment" dateTime={iso}>
      {local.format(date)} <span class="quiet">{utcText(date.toISOString())}</span>
    </time>
  );
};

/** Converts the value of a `datetime-local` input, in local time, to an ISO time. An empty value stays empty. */
export const isoOfInput = (value: string): string => (value === '' ? '' : new Date(value).toISOString());

/** Converts an ISO time to the value of a `datetime-local` input; empty for an invalid time. */
export const inputOfIso = (iso: string): string => {
  const date = new Date(iso);
  if (iso === '' || Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};
