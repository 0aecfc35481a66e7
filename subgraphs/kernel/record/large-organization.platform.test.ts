import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../../../test/builders.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { genericPlanOf, statementsOf } from '../../../test/statements.ts'

const platform = usePlatform()
let member: Member
let ids: string[]

// The average organization has seven accounts, so that by the statistics any index would find one of them.
beforeAll(async () => {
  member = await platform.member()
  const { id } = await account(member)
  const [stored] = await platform.query<{ names: string }>(
    `select string_agg(column_name, ', ') as names from information_schema.columns
     where table_schema = 'crm' and table_name = 'account' and is_generated = 'NEVER'`,
  )
  await platform.query(
    `insert into crm.account (${stored!.names}) select ${stored!.names} from (select (json_populate_record(a, json_build_object(
         'id', uuidv7(), 'organization_id', case when n > 2000 then md5((n / 5)::text)::uuid else a.organization_id end,
         'external_id', null, 'created_at', a.created_at - n * interval '1 second'))).*
     from crm.account a, generate_series(1, 6000) n where a.id = $1) copies`,
    [id],
  )
  await platform.query('analyze crm.account')
  const rows = await platform.query<{ id: string }>(
    'select id from crm.account where organization_id = $1 order by id limit 3',
    [member.organizationId],
  )
  ids = rows.map((row) => row.id)
})

/** How the statements find rows of the table. */
async function scansOf(call: () => Promise<unknown>): Promise<string[]> {
  const statements = await statementsOf(platform, call)
  expect(statements.length).toBeGreaterThan(0)
  const plans = await Promise.all(statements.map((text) => genericPlanOf(platform.databaseUrl, text)))
  return plans.flat().filter((line) => /Scan.* on account\b/.test(line))
}

describe('in a large organization among many small ones, a record is found by its id alone', () => {
  it('when it is read', async () => {
    const scans = await scansOf(async () => {
      const { status, body } = await member.rest['account']!({ id: ids[0]! })
      expect([status, body['id']]).toEqual([200, ids[0]])
    })
    expect(scans.every((line) => line.includes('Index Scan using account_pkey'))).toBe(true)
  })

  it('on a page far back', async () => {
    const scans = await scansOf(async () => {
      const query = { query: { page: 20, limit: 100, sortBy: 'createdAt', sortOrder: 'asc' } }
      const { body } = await member.rest['accountList']!(query)
      expect((body['data'] as unknown[]).length).toBe(100)
    })
    expect(scans.some((line) => line.includes('Index Scan using account_pkey'))).toBe(true)
    expect(scans.filter((line) => !line.includes('account_pkey') && !/Index Only Scan/.test(line))).toEqual([])
  })
})
