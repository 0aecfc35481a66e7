import type { Migration } from '../database/migrate.ts'

const leapYear = String.raw`(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)`
/** Matches only dates that exist, from year 1 to 9999, so that no cast fails. */
const day = String.raw`(?!0000)(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|${leapYear}-02-29)`
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`
const offset = String.raw`(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)`

/**
 * Functions that convert the JSON value of a custom field. They return null, or an empty array, for a value of another type.
 * They depend only on their argument (`immutable`), so indexes can use them.
 */
export const customFieldFunctions: Migration = {
  name: '20261122-kernel-custom-field-functions',
  sql: String.raw`
    create function kernel.timestamp_of(value jsonb) returns timestamptz language sql immutable parallel safe as $$
      select case when value #>> '{}' ~ '^${day}T${time}${offset}$' then (value #>> '{}')::timestamptz end $$;

    create function kernel.date_of(value jsonb) returns date language sql immutable parallel safe as $$
      select case when value #>> '{}' ~ '^${day}$' then (value #>> '{}')::date end $$;

    create function kernel.text_list_of(value jsonb) returns text[] language sql immutable parallel safe as $$
      select case when jsonb_typeof(value) = 'array' then array(select jsonb_array_elements_text(value)) else '{}' end $$;`,
}
