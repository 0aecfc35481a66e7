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
  const isDue = `${dueOf[lane]}`
  const organizations = downwards(
    'organization',
    '$1',
    (and) =>
      `select ${organization} as organization from ${table} where ${isDue} and ${and(organization)} order by ${organization} desc limit 1`,
  )
  const keys = downwards(
    'key',
    '$3',
    (and) =>
      `select ${key} as key from ${table} where ${isDue} and ${organization} = waiting.organization and ${and(key)} order by ${key} desc limit 1`,
  )
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

/** Two lists, `lower` and `upper`: the different values below a start, and from it on, each found along the index from the one before. */
function downwards(value: string, start: string, next: (and: (column: string) => string) => string): string {
  const list = (name: string, first: string, limit: string): string =>
    `${name} as (
       (${next((column) => `${column} ${first}`)}) union all
       select following.* from ${name} cross join lateral (
         ${next((column) => `${column} < ${name}.${value}${limit && ` and ${column} ${limit}`}`)}
       ) following
     )`
  return `${list('lower', `< ${start}`, '')}, ${list('upper', `>= ${start}`, `>= ${start}`)}`
}
