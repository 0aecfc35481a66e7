/** Exchange rates have at most this number of decimals, so that they are whole numbers of this unit. */
const decimals = 12
const unitsOfOne = 10n ** BigInt(decimals)
/** The units of a smaller rate are within the range of `int8`. */
const wholeMax = 9_000_000

/**
 * SQL of the periods of the rates of each currency, from a select of `currency`, `date` as `YYYY-MM-DD` and `rate`: when they begin in the time zone, in
 * order, and their rates in units. A day begins after the last microsecond of the day before it: where a change to winter time repeats midnight, that is the
 * first of both, and where one to summer time skips it, the moment of the change. PostgreSQL finds an item of an array at once if all have the same length, as integers have; a rate that is too large
 * for one is null in `units`, and only in `rates`.
 */
export const ratePeriodsSql = (rates: string, zone: string): string =>
  `select currency, array_agg((date::timestamp - interval '1 us') at time zone ${zone} + interval '1 us' order by date) as begins,
     array_agg(case when rate < ${wholeMax} then (rate * ${unitsOfOne})::int8 end order by date) as units,
     array_agg(rate order by date) as rates
   from (${rates}) r group by currency`

/** SQL of the rate in units at a time, by a binary search in the periods of a currency; null before the first one. */
export function rateUnitsSql(periods: string, time: string): string {
  const position = `width_bucket(${time}, ${periods}.begins)`
  return `coalesce(${periods}.units[${position}]::numeric, ${periods}.rates[${position}] * ${unitsOfOne})`
}

/** The rate of the base currency. */
export const unitsOfBase = `${unitsOfOne}::numeric`

/** SQL of the amount that a number of units is. */
export const ofUnitsSql = (units: string): string => `${units} * 1e-${decimals}`
