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
const dependents = 'destructiveChanges.json delete.0 HAS_DEPENDENTS'

describe('a custom field that a deployment deletes', () => {
  const list = (query: object, by = member) => by.rest['accountList']!({ query } as never)
  it.each<[string, () => Promise<unknown>]>([
    ['a filter', () => list({ 'customFields[tier]': 'GOLD' })],
    ['an order', () => list({ sortByCustomField: 'tier' })],
    ['figures', () => member.graphql('{ accountAggregate(groupBy: [{ customField: "tier" }]) { groups { count } } }')],
    [
      'the columns of a bulk job',
      () => jobs.load(member, { object: 'account' }, 'name,customFields.tier\nNorthwind,GOLD\n'),
    ],
    [
      'the rows of a bulk job',
      () => {
        const job = { object: 'account', contentType: 'NDJSON' }
        return jobs.load(member, job, '{"name":"Northwind"}\n{"name":"Fabrikam","customFields":{"tier":"GOLD"}}\n')
      },
    ],
    ['an export', () => jobs.exported(member, { object: 'account', query: { fields: ['name', 'customFields.tier'] } })],
    ['a record', () => account(member, { customFields: { tier: 'GOLD' } })],
  ])('is kept without force if %s has named it', async (_name, use) => {
    await use()
    const key = { object: 'api_key', id: member.keyId, name: 'test' }
    expect(await refusal()).toEqual([[dependents], [key]])
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
  const key = { object: 'api_key', id: member.keyId, name: 'test' }
  expect(await refusal('site', 'CUSTOM_OBJECT')).toEqual([[dependents], [key]])
  await succeeded(platform, owner, deletion('site', true, 'CUSTOM_OBJECT'), destructive)
})
