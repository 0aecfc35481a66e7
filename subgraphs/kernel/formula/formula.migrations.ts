import type { Migration } from '../database/migrate.ts'
import { lowerPairs, upperPairs } from './case-table.ts'

/**
 * The parts of the case tables, by their last characters: Latin; Greek, Cyrillic and Armenian; Georgian and Cherokee; more Latin and Greek; and
 * two of rare letters. `translate` compares each character with a whole table, so only the parts that a text needs are used.
 */
const lastCharacters = [0x24f, 0x58f, 0x1dff, 0x1fff, 0xabff, 0x10ffff]
const blocks = lastCharacters.map((last, index) => ({ first: (lastCharacters[index - 1] ?? 0x7f) + 1, last }))

/** The length of texts, as in `formulaLimits`. A migration never changes, so it has its own copy. */
const textMax = 4000

type Pairs = typeof upperPairs

const escaped = (character: number): string => `\\U${character.toString(16).padStart(8, '0')}`

const translated = (pairs: Pairs): string =>
  blocks
    .map(({ first, last }) => {
      const within = pairs.filter(([from]) => from.codePointAt(0)! >= first && from.codePointAt(0)! <= last)
      const [from, to] = [0, 1].map((side) => within.map((pair) => pair[side]).join(''))
      const range = `[${escaped(first)}-${escaped(last)}]`
      return `if value ~ '${range}' collate "C" then value := translate(value, '${from}', '${to}'); end if;`
    })
    .join('\n        ')

const create = (signature: string, returns: string, body: string): string =>
  `create function kernel.formula_${signature} returns ${returns} language plpgsql immutable strict parallel safe as $$
      begin
        ${body}
      end $$;`

const letterCase = (name: 'upper' | 'lower', pairs: Pairs): string =>
  create(
    `${name}(value text)`,
    'text',
    `value := ${name}(left(value, ${textMax}) collate "C");
        if octet_length(value) = length(value) then return value; end if;
        ${translated(pairs)}
        return value;`,
  )

/** Days and months are compared with the ends of the calendar before they are added, because PostgreSQL refuses dates far before it. */
const daysMax = 3_652_058
const monthsMax = 9999 * 12 + 11
const movedDay = (day: string): string => `${day} - date '0001-01-01' + days between 0 and ${daysMax}`
const movedMonth = (time: string): string =>
  `extract(year from ${time}) * 12 + extract(month from ${time}) - 1 + months between 12 and ${monthsMax}`

/**
 * What formulas need beyond the functions of PostgreSQL. They give null instead of an error, and depend on their arguments only, so indexes can
 * use them. PL/pgSQL keeps their plans; functions in SQL would be planned in each statement.
 */
export const formulaFunctions: Migration = {
  name: '20261129-kernel-formula-functions',
  sql: [
    create(
      'number(value numeric)',
      'numeric',
      `value := round(value, 20);
        return case when value between -1e15 and 1e15 then value end;`,
    ),
    // Cut at 21 decimals, so that rounding to 20 rounds the exact quotient.
    create(
      'divide(dividend numeric, divisor numeric)',
      'numeric',
      `if divisor = 0 then return null; end if;
        return kernel.formula_number(div(dividend * 1e21, divisor) * 1e-21);`,
    ),
    create(
      'round(value numeric, decimals numeric)',
      'numeric',
      'return round(value, kernel.formula_count(decimals, -15, 20));',
    ),
    create(
      'power(base numeric, exponent numeric)',
      'numeric',
      `if exponent not between 0 and 10 or exponent <> trunc(exponent) then return null; end if;
        declare
          result numeric := 1;
        begin
          for step in 1 .. exponent::int loop result := result * base; end loop;
          return kernel.formula_number(result);
        end;`,
    ),
    create('least(one numeric, other numeric)', 'numeric', 'return least(one, other);'),
    create('greatest(one numeric, other numeric)', 'numeric', 'return greatest(one, other);'),
    create('count(value numeric, low int, high int)', 'int', 'return least(greatest(trunc(value), low), high)::int;'),

    letterCase('upper', upperPairs),
    letterCase('lower', lowerPairs),
    create(
      'value(value text)',
      'numeric',
      `if value !~ '^-?[0-9]{1,16}(\\.[0-9]{1,20})?$' then return null; end if;
        return kernel.formula_number(value::numeric);`,
    ),
    create(
      'find(search text, value text, start int)',
      'numeric',
      'return coalesce(nullif(strpos(substr(value, start), search), 0) + start - 1, 0)::numeric;',
    ),
    // No more parts than can matter for the bounded result.
    create(
      'substitute(value text, search text, replacement text)',
      'text',
      `if search = '' then return value; end if;
        if replacement = '' then return replace(value, search, ''); end if;
        return array_to_string(
          (string_to_array(value, search))[1 : ceil(${textMax}::numeric / length(replacement))::int + 1], replacement);`,
    ),
    // `to_jsonb` is not immutable, because of types that are written by the settings of a session.
    create('list(value text[])', 'jsonb', 'return to_jsonb(value);'),
    create('text(value date)', 'text', "return to_char(value, 'YYYY-MM-DD');"),
    create(
      'text(value timestamptz)',
      'text',
      `return to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');`,
    ),

    create(
      'date(year int, month int, day int)',
      'date',
      `if year not between 1 and 9999 or month not between 1 and 12 or day not between 1 and 31 then return null; end if;
        declare
          result date := make_date(year, month, 1) + (day - 1);
        begin
          return case when extract(month from result) = month then result end;
        end;`,
    ),
    create(
      'day(value text)',
      'date',
      `if value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then return null; end if;
        return kernel.formula_date(substr(value, 1, 4)::int, substr(value, 6, 2)::int, substr(value, 9, 2)::int);`,
    ),
    create(
      'day(value timestamptz, zone text)',
      'date',
      `value := value at time zone zone at time zone 'UTC';
        return case when value >= '0001-01-01T00:00:00Z' and value < '10000-01-01T00:00:00Z' then (value at time zone 'UTC')::date end;`,
    ),
    // To the millisecond, like the timestamps of records.
    create(
      'time(value timestamptz)',
      'timestamptz',
      `return case when value >= '0001-01-01T00:00:00Z' and value < '10000-01-01T00:00:00Z' then date_trunc('milliseconds', value) end;`,
    ),
    create(
      'time(value text)',
      'timestamptz',
      `if value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9])$'
          or kernel.formula_day(left(value, 10)) is null then return null; end if;
        return kernel.formula_time(value::timestamptz);`,
    ),
    create('add_days(value date, days int)', 'date', `return case when ${movedDay('value')} then value + days end;`),
    create(
      'add_days(value timestamptz, days int)',
      'timestamptz',
      `return case when ${movedDay("(value at time zone 'UTC')::date")} then value + make_interval(hours => 24) * days end;`,
    ),
    create(
      'add_months(value date, months int)',
      'date',
      `return case when ${movedMonth('value')} then (value + make_interval(months => months))::date end;`,
    ),
    create(
      'add_months(value timestamptz, months int)',
      'timestamptz',
      `return case when ${movedMonth("value at time zone 'UTC'")}
          then (value at time zone 'UTC' + make_interval(months => months)) at time zone 'UTC' end;`,
    ),
  ].join('\n\n    '),
}
