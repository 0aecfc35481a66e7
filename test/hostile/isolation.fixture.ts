import type { Member, Platform } from '../platform.ts'

/** 20,000 characters that a search reads to the end. */
const text = `repeat('A long account of what was said and done. ', 476)`

/** Adds accounts with long texts to the organization of a member: more than can be searched in two seconds. */
export async function fillLongAccounts(platform: Platform, member: Member, count: number): Promise<void> {
  await platform.query(
    `insert into crm.account (id, organization_id, owner_id, version, created_at, updated_at, created_by_id, updated_by_id,
       name, description, billing_city, account_status, custom_fields, metadata, tags)
     select uuidv7(make_interval(secs => -i)), $1, $2, 1, now(), now(), $2, $2, 'Account ' || i, ${text}, ${text}, 'ACTIVE', '{}', '{}', '{}'
     from generate_series(1, $3::int) i`,
    [member.organizationId, member.userId, count],
  )
  await platform.query('analyze crm.account')
}

export interface GraphqlRequest {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Conditions on text that no account fulfils. */
export const hopeless = (count: number): object => ({
  or: Array.from({ length: count }, (_, index) => ({ description: { contains: `no ${index}` } })),
})

/** So many lists with conditions on text. */
export function expensiveLists(lists: number, conditions: number, selected = 'data { id }'): GraphqlRequest {
  const aliases = Array.from({ length: lists }, (_, index) => `a${index}: accountList(filter: $filter) { ${selected} }`)
  return {
    query: `query ($filter: AccountFilter) { ${aliases.join(' ')} }`,
    variables: { filter: hopeless(conditions) },
  }
}
