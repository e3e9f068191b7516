const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const utcText = (iso: string) => `${iso.slice(0, 19).replace(/T/, ' ')} UTC`;

/** Moment in the reader's own time zone, with UTC beside it. */
export const Moment = ({ iso }: { readonly iso: string }) => {
  const date = new Date(iso);
  if (iso === '' || Number.isNaN(date.getTime())) return <span class="quiet">–</span>;
  return (
    <time class="moment" dateTime={iso}>
      {local.format(date)} <span class="quiet">{utcText(date.toISOString())}</span>
    </time>
  );
};

/** Value of an input of the type `datetime-local`, in local time, as an ISO time; empty if there is none. */
export const isoOfInput = (value: string): string => (value === '' ? '' : new Date(value).toISOString());

/** ISO time as the value of an input of the type `datetime-local`. */
export const inputOfIso = (iso: string): string => {
  const date = new Date(iso);
  if (iso === '' || Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};
