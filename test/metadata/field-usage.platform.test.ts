import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { forgetFieldUsage } from '../../subgraphs/extensions/custom-field/recent-users.ts'
import { account } from '../builders.ts'
import { BulkJobs } from '../bulk-jobs.fixture.ts'
import { anOrganization, field } from '../extensions/custom-fields.fixture.ts'
import { object } from '../extensions/custom-objects.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { deployed, json, problemsOf, succeeded } from './metadata.fixture.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
let owner: Member
let member: Member
beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await field(owner, { name: 'tier', fieldType: 'TEXT' })
})

const noted = () => platform.services.extensions.fieldUsage.flush()
const deletion = (name: string, force: boolean, type = 'CUSTOM_FIELD') => ({
  'destructiveChanges.json': json({ delete: [{ type, name, force }] }),
})
const destructive = { allowDestructive: true }
const refusal = async (name = 'ACCOUNT.tier', type?: string) => {
  await noted()
  const answer = await deployed(platform, owner, deletion(name, false, type), destructive)
  return [problemsOf(answer), answer.problems[0]?.usedBy]
}
const today = () => platform.services.clock.now().toISOString().slice(0, 10)
/** The key of the member with the queries in which it has named a field, newest first. */
const keyWith = (...queries: unknown[]) => ({
  object: 'api_key',
  id: member.keyId,
  name: 'test',
  lastUsedOn: today(),
  queries,
})
const digestOf = (document: string): string => createHash('sha256').update(document).digest('hex').slice(0, 8)
const dependents = 'destructiveChanges.json delete.0 HAS_DEPENDENTS'

const list = (query: object, by = member) => by.rest['accountList']!({ query } as never)

describe('a custom field that a deployment deletes', () => {
  const figures = '{ accountAggregate(groupBy: [{ customField: "tier" }]) { groups { count } } }'
  it.each<[string, string, () => Promise<unknown>]>([
    ['a filter', 'accountList', () => list({ 'customFields[tier]': 'GOLD' })],
    ['an order', 'accountList', () => list({ sortByCustomField: 'tier' })],
    ['figures', digestOf(figures), () => member.graphql(figures)],
    ['a named query', 'Figures', () => member.graphql(`query Figures ${figures}`)],
    [
      'the columns of a bulk job',
      'bulkJobUpdate',
      () => jobs.load(member, { object: 'account' }, 'name,customFields.tier\nNorthwind,GOLD\n'),
    ],
    [
      'the rows of a bulk job',
      'bulkJobUpdate',
      () => {
        const job = { object: 'account', contentType: 'NDJSON' }
        return jobs.load(member, job, '{"name":"Northwind"}\n{"name":"Fabrikam","customFields":{"tier":"GOLD"}}\n')
      },
    ],
    [
      'an export',
      'bulkJobCreate',
      () => jobs.exported(member, { object: 'account', query: { fields: ['name', 'customFields.tier'] } }),
    ],
    ['a record', 'accountCreate', () => account(member, { customFields: { tier: 'GOLD' } })],
  ])('is kept without force if %s has named it, in the query %s', async (_name, query, use) => {
    await use()
    expect(await refusal()).toEqual([[dependents], [keyWith(query)]])
    await succeeded(platform, owner, deletion('ACCOUNT.tier', true), destructive)
  })

  it('is deleted if only others have been named, in other organizations too, or by keys that do not work any more', async () => {
    const other = await anOrganization(platform)
    await field(other.owner, { name: 'tier', fieldType: 'TEXT' })
    await list({ 'customFields[tier]': 'GOLD' }, other.member)
    await field(owner, { name: 'size', fieldType: 'TEXT' })
    await list({ 'customFields[size]': 'L' })
    await list({ 'customFields[tier]': 'GOLD' })
    const { keyId } = member
    await noted()
    await platform.query('update identity.api_key set revoked_at = now() where id = $1', [keyId])
    await succeeded(platform, owner, deletion('ACCOUNT.tier', false), destructive)
  })

  it('is deleted when nobody has named it for 90 days', async () => {
    await list({ 'customFields[tier]': 'GOLD' })
    await noted()
    await platform.query('update kernel.field_usage set used_on = used_on - 91')
    await succeeded(platform, owner, deletion('ACCOUNT.tier', false), { ...destructive, checkOnly: true })
    await forgetFieldUsage.run(platform.services)
    expect(await platform.query('select from kernel.field_usage')).toEqual([])
  })
})

it('keeps an object whose fields were named from being deleted without force', async () => {
  await object(owner, { name: 'site', nameField: null, fields: [{ name: 'town', label: 'Town', fieldType: 'TEXT' }] })
  const query = { 'customFields[town]': 'Bergen' }
  expect((await member.rest['customRecordList']!({ name: 'site', query } as never)).status).toBe(200)
  expect(await refusal('site', 'CUSTOM_OBJECT')).toEqual([[dependents], [keyWith('customRecordList')]])
  await succeeded(platform, owner, deletion('site', true, 'CUSTOM_OBJECT'), destructive)
})

describe('the queries that have named a custom field', () => {
  const filtered = async (name: string) => {
    const document = `query ${name} { accountList(filter: { customFields: { tier: { eq: "GOLD" } } }) { total } }`
    expect((await member.graphql(document)).body).toEqual({ data: { accountList: { total: 0 } } })
  }
  const stored = async () => {
    const [row] = await platform.query<{ queries: string[] }>(
      'select queries from kernel.field_usage where organization_id = $1',
      [owner.organizationId],
    )
    return row!.queries
  }

  it('are kept without repetition, newest first, from day to day', async () => {
    for (const name of ['First', 'Second', 'First']) await filtered(name)
    await list({ 'customFields[tier]': 'GOLD' })
    await noted()
    expect(await stored()).toEqual(['accountList', 'Second', 'First'])
    platform.now = new Date(platform.now.getTime() + 86_400_000)
    await filtered('First')
    await noted()
    expect(await stored()).toEqual(['First', 'accountList', 'Second'])
    expect((await refusal())[1]).toEqual([keyWith('First', 'accountList', 'Second')])
  })

  it('are at most 20 of a credential, with 100 characters each, and new names of a day beyond them write nothing', async () => {
    const long = 'N'.repeat(120)
    await filtered(long)
    for (let n = 0; n < 50; n++) await filtered(`Query${n}`)
    await noted()
    const first = await stored()
    expect(first).toEqual([...Array.from({ length: 19 }, (_, n) => `Query${18 - n}`), 'N'.repeat(100)])
    const written = () =>
      platform.query('select xmin::text from kernel.field_usage where organization_id = $1', [owner.organizationId])
    const before = await written()
    for (let n = 50; n < 100; n++) await filtered(`Query${n}`)
    await noted()
    expect([await written(), await stored()]).toEqual([before, first])
    platform.now = new Date(platform.now.getTime() + 86_400_000)
    await filtered('Tomorrow')
    await noted()
    expect(await stored()).toEqual(['Tomorrow', ...first.slice(0, 19)])
  })
})
