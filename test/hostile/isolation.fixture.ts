import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import type { Member, Platform } from '../platform.ts'

/** A text of 20,000 characters that a filter must read to the end. */
const text = `repeat('A long account of what was said and done. ', 476)`
/** The same for a search: no index helps to find a text without letters and digits. */
const punctuation = `repeat('. ', 10000)`
/** A search for a text that no account contains. */
export const unmatchedSearch = '++'

const columns = `id, organization_id, owner_id, version, created_at, updated_at, created_by_id, updated_by_id, account_status,
  custom_fields, parent_account_id, name, description, billing_city`

/**
 * Until it is restored, `kernel.search_text` reads only the beginning of its text: of a name followed by punctuation this gives the same
 * result, in a thousandth of the time.
 */
async function shortenSearchedTexts(sql: Sql): Promise<() => Promise<void>> {
  const [original] = await sql.query<{ definition: string }>(
    `select pg_get_functiondef('kernel.search_text(text)'::regprocedure) as definition`,
  )
  const { definition } = original!
  await sql.query(definition.replace('kernel.search_text(', 'kernel.whole_search_text('))
  await sql.query(`create or replace function kernel.search_text(value text) returns text language plpgsql immutable strict parallel safe
    as $$ begin return kernel.whole_search_text(left(value, 100)); end $$`)
  return async () => {
    await sql.query(definition)
    await sql.query('drop function kernel.whole_search_text(text)')
  }
}

/** Adds accounts with long texts below a parent to the organization of a member, more than PostgreSQL can search in two seconds. */
export async function fillLongAccounts(
  platform: Platform,
  member: Member,
  count: number,
  parentId: string,
): Promise<void> {
  const [first] = await platform.query<{ id: string }>(
    `insert into crm.account (${columns})
     values (uuidv7(), $1, $2, 1, now(), now(), $2, $2, 'ACTIVE', '{}', $3, 'First', ${text}, ${punctuation}) returning id`,
    [member.organizationId, member.userId, parentId],
  )
  await platform.inSeparateTransaction(async (sql) => {
    // It would compare the long texts for each row, and no request of these tests can use it.
    await sql.query('drop index if exists crm.account_by_billing_city')
    const restore = await shortenSearchedTexts(sql)
    // Copying stored texts takes a hundredth of the time.
    await sql.query(
      `insert into crm.account (${columns})
       select uuidv7(make_interval(secs => -i)), organization_id, owner_id, version, created_at, updated_at, created_by_id,
         updated_by_id, account_status, custom_fields, parent_account_id, 'Account ' || i, description, billing_city
       from crm.account cross join generate_series(2, $3::int) i where organization_id = $1 and id = $2`,
      [member.organizationId, first!.id, count],
    )
    await restore()
  })
  await platform.query('analyze crm.account')
}

export interface GraphqlRequest {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Text conditions that no account matches. */
export const unmatchedFilter = (count: number): object => ({
  or: Array.from({ length: count }, (_, index) => ({ description: { contains: `no ${index}` } })),
})

/** A document with `count` lists that have text conditions. */
export function expensiveLists(lists: number, conditions: number, selected = 'data { id }'): GraphqlRequest {
  const aliases = Array.from({ length: lists }, (_, index) => `a${index}: accountList(filter: $filter) { ${selected} }`)
  return {
    query: `query ($filter: AccountFilter) { ${aliases.join(' ')} }`,
    variables: { filter: unmatchedFilter(conditions) },
  }
}
