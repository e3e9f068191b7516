import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { inputOfIso, isoOfInput } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import { type Life, readLife } from './activity.js';
import { Changes } from './changes.js';
import { Chart } from './chart.js';
import { Past } from './past.js';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
/** Number of steps of a slider. */
const steps = 1000;

type SliderProps = {
  readonly title: string;
  readonly life: Life;
  /** Chosen moment in Unix milliseconds. */
  readonly moment: number;
  readonly onMove: (moment: number) => void;
  readonly onChoose: (iso: string) => void;
};

/** Slider over the period of the history of the organization, with a field for an exact time. */
const Slider = ({ title, life, moment, onMove, onChoose }: SliderProps) => (
  <div class="slider">
    <label>
      {title}
      <input
        type="range"
        min={life.first}
        max={life.last}
        step={Math.max(1, Math.ceil((life.last - life.first) / steps))}
        value={moment}
        aria-valuetext={local.format(moment)}
        onInput={({ currentTarget }) => onMove(currentTarget.valueAsNumber)}
        onChange={({ currentTarget }) => onChoose(new Date(currentTarget.valueAsNumber).toISOString())}
      />
    </label>
    <label>
      {title}, exactly
      <input
        type="datetime-local"
        step={1}
        value={inputOfIso(new Date(moment).toISOString())}
        onChange={({ currentTarget: { value } }) => value && onChoose(isoOfInput(value))}
      />
    </label>
  </div>
);

type Chosen = { readonly at: string; readonly and: string; readonly wallet: string };
const urlOf = (chosen: Chosen) =>
  `/console/time?${new URLSearchParams(Object.entries(chosen).filter(([, value]) => value !== ''))}`;

const timeOf = (iso: string, otherwise: number) => {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? otherwise : time;
};

type MomentsProps = { readonly life: Life; readonly chosen: Chosen; readonly onChoose: (chosen: Chosen) => void };

const Moments = ({ life, chosen, onChoose }: MomentsProps) => {
  const [at, setAt] = useState(timeOf(chosen.at, life.first));
  const [and, setAnd] = useState(timeOf(chosen.and, life.last));
  useEffect(() => {
    setAt(timeOf(chosen.at, life.first));
    setAnd(timeOf(chosen.and, life.last));
  }, [chosen.at, chosen.and, life]);
  return (
    <>
      <Chart life={life} moments={[at, and]} />
      <Slider
        title="Moment"
        life={life}
        moment={at}
        onMove={setAt}
        onChoose={(iso) => onChoose({ ...chosen, at: iso })}
      />
      <Slider
        title="Compared with"
        life={life}
        moment={and}
        onMove={setAnd}
        onChoose={(iso) => onChoose({ ...chosen, and: iso })}
      />
      {chosen.and && (
        <button type="button" onClick={() => onChoose({ ...chosen, and: '' })}>
          Compare with now
        </button>
      )}
    </>
  );
};

/** Wallets, balances and transfers as of two moments side by side, and what changed between them. */
export const TimePage = () => {
  const { query, route } = useLocation();
  const { value: life, error } = useLoaded(readLife, []);
  const middle = life ? new Date((life.first + life.last) / 2).toISOString() : '';
  const chosen: Chosen = { at: query.at ?? middle, and: query.and ?? '', wallet: query.wallet ?? '' };
  // Replaces the page's URL in the browser history, so that "back" leaves the page and does not undo slider moves.
  const choose = (next: Chosen) => route(urlOf(next), true);
  const isReversed = chosen.and !== '' && chosen.and < chosen.at;
  const [from, to] = isReversed ? [chosen.and, chosen.at] : [chosen.at, chosen.and];
  return (
    <>
      <h1>Time</h1>
      <ProblemNote error={error} />
      {life && (
        <>
          <Moments life={life} chosen={chosen} onChoose={choose} />
          <div class="halves moments">
            {[
              ['Moment', chosen.at],
              ['Compared with', chosen.and],
            ].map(([title = '', at = '']) => (
              <Past
                key={title}
                title={title}
                at={at}
                wallet={chosen.wallet}
                onWallet={(wallet) => choose({ ...chosen, wallet })}
              />
            ))}
          </div>
          <Changes key={`${from} ${to}`} from={from} to={to} />
        </>
      )}
    </>
  );
};
