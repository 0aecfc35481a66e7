import { defaultWeights, qualities } from '../weights.ts'

/** The types of activities with points; the stored sums have a column of each, with its name in lower case. */
export const channels = Object.entries(defaultWeights)
  .filter(([type, weight]) => weight > 0 && type !== 'CLICK' && type !== 'OPEN')
  .map(([type]) => type)

export const columnOf = (channel: string): string => channel.toLowerCase()

/** The time to which the stored sums are brought: each activity is multiplied by 2^((its time − this)/half-life). */
export const epoch = '2026-01-01T00:00:00.000Z'

const cases = (table: Readonly<Record<string, number>>): string =>
  Object.entries(table)
    .map(([name, value]) => `when '${name}' then ${value}`)
    .join(' ')

/** `pointsOf` of `weights.ts` as SQL on an activity `a`. */
export const pointsSql = `(case
    when a.is_automated then 0
    when a.type in ('EMAIL', 'SMS', 'CHAT') and a.direction is distinct from 'INBOUND' and a.outcome is distinct from 'REPLIED' then 0
    when a.type = 'CALL' and coalesce(a.outcome, '') not in ('CONNECTED', 'COMPLETED') then 0
    when a.type = 'MEETING' and a.outcome = 'NO_SHOW' then 0
    else case a.type ${cases(defaultWeights)} else 0 end * case a.sentiment ${cases(qualities)} else 1 end
  end)::float8`
