import { randomUUID } from 'node:crypto'
import type { Sql } from '../database/sql.ts'
import { dueOf } from './lease.ts'
import type { Lane, Shares } from './queue.ts'
import type { WaitingKey } from './share-out.ts'

export interface FoundKey extends WaitingKey {
  /** Running attempts of the organization in all processes. */
  readonly organizationRunning: number
  /** How many organizations were found. */
  readonly organizations: number
}

/**
 * Keys with due items, of up to `max` organizations from the given one downwards, and at most four times as many keys in addition to those that
 * have running attempts. The search jumps along the index from organization to organization and from key to key. It goes downwards, because it
 * then meets the newest items first: at the beginning of a key are the entries of items that were leased, until the next vacuum. In an organization
 * it begins at a random key, so that none is always behind the others. An attempt is counted as running until its lease ends.
 */
export async function waitingKeys(
  sql: Sql,
  table: string,
  { organization, key }: Shares,
  lane: Lane,
  before: string,
  max: number,
): Promise<FoundKey[]> {
  const isDue = dueOf[lane]
  const search = (column: string, name: string, limits: readonly string[], inside = 'true'): string =>
    `select ${column} as ${name} from ${table} where ${isDue} and ${inside} and ${limits.map((limit) => `${column} ${limit}`).join(' and ')}
     order by ${column} desc limit 1`
  const organizations = downwards('organization', '$1', (limits) => search(organization, 'organization', limits))
  const keys = downwards('key', '$3', (limits) => search(key, 'key', limits, `${organization} = waiting.organization`))
  return sql.query<FoundKey & Record<string, unknown>>(
    `with recursive ${organizations},
     running as materialized (
       select ${organization} as organization, ${key} as key, count(*)::int as count from ${table}
       where lease_token is not null and not is_due and next_attempt_at > statement_timestamp() group by 1, 2
     ),
     waiting as materialized (
       select found.organization, row_number() over () as number, (count(*) over ())::int as organizations,
         (select coalesce(sum(r.count), 0)::int from running r where r.organization = found.organization) as running,
         (select count(*) from running r where r.organization = found.organization) as running_keys
       from ((select organization from lower limit $2) union all (select organization from upper limit $2)) found limit $2
     )
     select waiting.organization, found.key, coalesce(r.count, 0) as running, waiting.running as "organizationRunning", waiting.organizations
     from waiting
     cross join lateral (select ceil(4.0 * $2 / waiting.organizations)::int + waiting.running_keys as keys) most
     cross join lateral (
       with recursive ${keys}
       select key from ((select key from lower limit most.keys) union all (select key from upper limit most.keys)) keys limit most.keys
     ) found
     left join running r on r.organization = waiting.organization and r.key = found.key
     order by waiting.number`,
    [before, max, randomUUID()],
  )
}

/** Two lists, `lower` and `upper`: the different values below a start, and from it on, each found by a search below the one before. */
function downwards(value: string, start: string, search: (limits: readonly string[]) => string): string {
  const list = (name: string, first: string, ...limits: readonly string[]): string =>
    `${name} as (
       (${search([first])}) union all
       select following.* from ${name} cross join lateral (${search([`< ${name}.${value}`, ...limits])}) following
     )`
  return `${list('lower', `< ${start}`)}, ${list('upper', `>= ${start}`, `>= ${start}`)}`
}
