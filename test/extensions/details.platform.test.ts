import { beforeEach, describe, expect, it, vi } from 'vitest'
import { settleMerges } from '../../subgraphs/records/merge/merge.fixture.ts'
import { account, lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { object, visit, type Stored } from './custom-objects.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'
import {
  detailCopies,
  master,
  ofAccount,
  ofVisit,
  settleDetails,
  subject,
  visitsAndFindings,
} from './details.fixture.ts'
import { settleClearings } from './lookups.fixture.ts'
import { rollup } from './rollups.fixture.ts'

const platform = usePlatform()
const visits = 'custom:site_visit'

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const aUser = (options: object = {}) => platform.member({ organizationId: owner.organizationId, ...options })
const own = () => aUser({ visibility: 'OWN' })
const visitOf = (accountId: string, more: object = {}, by = member) =>
  visit(by, { subject: 'Pump', account: accountId, ...more })
const findingOf = (visitId: string, by = member) => visit(by, { subject: 'Leak', visit: visitId }, {}, 'finding')
const one = (id: string, by = member, name = 'site_visit') => by.rest['customRecord']!({ name, id } as never)
const change = (id: string, body: object, by = member, name = 'site_visit') =>
  by.rest['customRecordUpdate']!({ name, id, body } as never)
const removeOne = (id: string, name = 'site_visit', by = member) =>
  by.rest['customRecordDelete']!({ name, id } as never)
const restoreOne = (id: string, name = 'site_visit') => member.rest['customRecordRestore']!({ name, id } as never)
const removeAccount = (id: string, by = member) => by.rest['accountDelete']!({ id })
const restoreAccount = (id: string) => member.rest['accountRestore']!({ id })
const statusesOf = async (ids: readonly (readonly [string, string])[], by = member) =>
  Promise.all(ids.map(async ([name, id]) => (await one(id, by, name)).status))
const listed = async (by = member, query: object = {}, name = 'site_visit') => {
  const { body } = await by.rest['customRecordList']!({ name, query } as never)
  return [body.total, (body.data as Stored[]).map(({ id }) => id).sort()]
}
const typesOf = async (id: string) => (await platform.eventsOf(id)).map(({ type }) => type)
const deletedCount = async (name: string) => {
  const [row] = await platform.query<{ n: number }>(
    'select count(*)::int as n from extensions.custom_record where organization_id = $1 and object = $2 and deleted_at is not null',
    [owner.organizationId, name],
  )
  return row!.n
}

describe('a MASTER_DETAIL', () => {
  it('is required, indexed and fixed, and is described with its record type', async () => {
    await visitsAndFindings(platform, owner)
    const { body } = await owner.rest['customFieldList']!({ query: { entity: visits, name: 'account' } } as never)
    expect(body.data).toMatchObject([
      {
        fieldType: 'MASTER_DETAIL',
        isRequired: true,
        isIndexed: true,
        isReparentable: false,
        lookupEntity: 'ACCOUNT',
        lookupDeleteBehavior: null,
        state: 'READY',
      },
    ])
    const described = await member.graphql(`{ recordType(object: "${visits}") { fields { name kind references } } }`)
    expect(described.body.data.recordType.fields).toContainEqual({
      name: 'customFields.account',
      kind: 'ID',
      references: 'account',
    })
    const schema = await (await fetch(`${platform.url}/v1/graphql/schema`, { headers: member.headers })).text()
    expect(schema).toMatch(/^ {2}account: ID$/m)
    const { id } = await account(member)
    expect(problemsOf(await member.rest['customRecordCreate']!({ name: 'site_visit', body: {} } as never))).toBe(
      '400 VALIDATION_FAILED customFields.account REQUIRED',
    )
    const created = await visitOf(id)
    const other = await account(member)
    const refused = [
      await change(created.id, { customFields: { account: other.id } }),
      await change(created.id, { customFields: { account: null } }),
    ]
    expect(refused.map(problemsOf)).toEqual([
      '400 VALIDATION_FAILED customFields.account NOT_ALLOWED',
      '400 VALIDATION_FAILED customFields.account REQUIRED',
    ])
    expect((await change(created.id, { customFields: { account: id, subject: 'Tank' } })).status).toBe(200)
  })

  it.each<[string, object, string]>([
    ['for a record type of the platform', { entity: 'ACCOUNT' }, 'fieldType NOT_ALLOWED'],
    ['without a record type', { lookupEntity: null }, 'lookupEntity REQUIRED'],
    [
      'of an object that does not exist',
      { lookupEntity: null, lookupObject: 'custom:no' },
      'lookupObject UNKNOWN_REFERENCE',
    ],
    ['with a default', { defaultValue: 'x' }, 'defaultValue NOT_ALLOWED'],
    ['that is not in use', { isActive: false }, 'isActive NOT_ALLOWED'],
    ['with a behavior of lookups', { lookupDeleteBehavior: 'CLEAR' }, 'lookupDeleteBehavior NOT_ALLOWED'],
    ['of its own object', { lookupEntity: null, lookupObject: visits }, 'lookupObject CIRCULAR'],
  ])('is not defined %s', async (_what, values, problem) => {
    await object(owner, { fields: [subject], nameField: null })
    const body = { entity: visits, ...master('account', ofAccount), ...values }
    expect(problemsOf(await owner.rest['customFieldCreate']!({ body } as never))).toBe(
      `400 VALIDATION_FAILED ${problem}`,
    )
  })

  it('is one of two of an object, at most three levels deep, without a circle', async () => {
    await visitsAndFindings(platform, owner)
    const define = (entity: string, name: string, to: object) =>
      owner.rest['customFieldCreate']!({ body: { entity: `custom:${entity}`, ...master(name, to) } } as never)
    await object(owner, { name: 'part', fields: [subject, master('finding', { lookupObject: 'custom:finding' })] })
    await object(owner, { name: 'screw', fields: [subject] })
    expect(problemsOf(await define('screw', 'part', { lookupObject: 'custom:part' }))).toBe(
      '400 VALIDATION_FAILED lookupObject TOO_DEEP',
    )
    expect(problemsOf(await define('site_visit', 'part', { lookupObject: 'custom:part' }))).toBe(
      '400 VALIDATION_FAILED lookupObject CIRCULAR',
    )
    expect((await define('finding', 'lead', { lookupEntity: 'LEAD' })).status).toBe(201)
    const third = await define('finding', 'contact', { lookupEntity: 'CONTACT' })
    expect([problemsOf(third), third.body.limit]).toEqual(['409 LIMIT_REACHED', 2])
  })

  it('is added, deleted and restored while its object has no records', async () => {
    await object(owner, { fields: [subject], nameField: null })
    const { id } = await visit(member, { subject: 'Pump' })
    const body = { entity: visits, ...master('account', ofAccount) }
    const add = () => owner.rest['customFieldCreate']!({ body } as never)
    expect(problemsOf(await add())).toBe('409 HAS_DEPENDENTS')
    await removeOne(id)
    const added = await add()
    expect(added.status).toBe(201)
    await settleFieldChanges(platform)
    const created = await visitOf((await account(member)).id)
    const remove = () => owner.rest['customFieldDelete']!({ id: added.body.id as string })
    expect(problemsOf(await remove())).toBe('409 HAS_DEPENDENTS')
    await removeOne(created.id)
    expect((await remove()).status).toBe(204)
    expect((await owner.rest['customFieldRestore']!({ id: added.body.id as string })).status).toBe(200)
    // It has no master, so nobody sees it.
    expect((await restoreOne(id)).status).toBe(404)
    await settleFieldChanges(platform)
    expect((await restoreOne(created.id)).status).toBe(200)
  })

  it('and a LOOKUP that restricts the deletion of details exclude each other', async () => {
    await visitsAndFindings(platform, owner)
    const restricting = {
      name: 'visit',
      label: 'Visit',
      fieldType: 'LOOKUP',
      ...ofVisit,
      lookupDeleteBehavior: 'RESTRICT',
    }
    const refused = await owner.rest['customFieldCreate']!({ body: { entity: 'ACCOUNT', ...restricting } } as never)
    expect(problemsOf(refused)).toBe('400 VALIDATION_FAILED lookupDeleteBehavior NOT_ALLOWED')
    await object(owner, { name: 'ship', fields: [subject] })
    const created = await field(owner, { ...restricting, name: 'ship', lookupObject: 'custom:ship' })
    const body = { entity: 'custom:ship', ...master('account', ofAccount) }
    const second = await owner.rest['customFieldCreate']!({ body } as never)
    expect([problemsOf(second), second.body.usedBy]).toEqual([
      '409 HAS_DEPENDENTS',
      [{ object: 'custom_field', id: created.id, name: 'ship' }],
    ])
  })
})

describe('a detail', () => {
  beforeEach(() => visitsAndFindings(platform, owner))

  it('follows changes of its fields also while its master is deleted', async () => {
    const { id: fieldId } = await field(owner, {
      entity: visits,
      name: 'grade',
      fieldType: 'PICKLIST',
      picklistValues: [{ value: 'A' }, { value: 'B' }],
    })
    const [deleted, left] = [await account(member), await account(member)]
    const [first, second] = [await visitOf(deleted.id, { grade: 'A' }), await visitOf(left.id, { grade: 'A' })]
    expect((await removeAccount(deleted.id)).status).toBe(204)
    // As while its details wait to be deleted in the background.
    await platform.query('update crm.account set deleted_at = now() where id = $1', [left.id])
    const replaced = await owner.rest['customFieldReplaceValue']!({
      id: fieldId,
      body: { from: 'A', to: 'B' },
    } as never)
    expect(replaced.status, JSON.stringify(replaced.body)).toBe(202)
    await settleFieldChanges(platform)
    const grades = await platform.query(
      `select id, custom_fields ->> 'grade' as grade, deleted_at is not null as "isDeleted" from extensions.custom_record
       where id = any($1::uuid[]) order by deleted_at nulls last`,
      [[first.id, second.id]],
    )
    expect(grades).toEqual([
      { id: first.id, grade: 'B', isDeleted: true },
      { id: second.id, grade: 'B', isDeleted: false },
    ])
    expect((await restoreAccount(deleted.id)).status).toBe(200)
    expect((await one(first.id)).body.customFields.grade).toBe('B')
  })

  it('has no owner, and is seen, listed, counted, searched and changed by those who see its masters', async () => {
    const [seller, other] = [await own(), await own()]
    const [mine, theirs] = [await account(seller), await account(other)]
    const seen = await visitOf(mine.id, { hours: 2 }, seller)
    expect(seen['ownerId']).toBeNull()
    const hidden = await visitOf(theirs.id, { hours: 5 }, other)
    const finding = await findingOf(seen.id, seller)
    await findingOf(hidden.id, other)
    expect(await listed(seller)).toEqual([1, [seen.id]])
    expect(await listed(member)).toEqual([2, [seen.id, hidden.id].sort()])
    expect(await listed(seller, {}, 'finding')).toEqual([1, [finding.id]])
    expect(await listed(seller, { 'customFields[account]': theirs.id })).toEqual([0, []])
    expect(await listed(seller, { 'customFields[account]': mine.id })).toEqual([1, [seen.id]])
    expect(await statusesOf([['site_visit', hidden.id]], seller)).toEqual([404])
    expect((await change(hidden.id, { customFields: { subject: 'X' } }, seller)).status).toBe(404)
    expect((await removeOne(hidden.id, 'site_visit', seller)).status).toBe(404)
    const unseen = { name: 'site_visit', body: { customFields: { account: theirs.id } } }
    expect(problemsOf(await seller.rest['customRecordCreate']!(unseen as never))).toBe(
      '400 VALIDATION_FAILED customFields.account UNKNOWN_REFERENCE',
    )
    const { body } = await seller.graphql(
      `{ customRecordAggregate(object: "site_visit") { total { count } }
         customRecordConnection(object: "site_visit") { totalCount nodes { id account: related(field: "account") { id name } } }
       }`,
    )
    expect(body.data.customRecordAggregate.total).toEqual({ count: 1 })
    expect(body.data.customRecordConnection).toEqual({
      totalCount: 1,
      nodes: [{ id: seen.id, account: { id: mine.id, name: mine['name'] } }],
    })
    expect((await change(seen.id, { customFields: { hours: 3 } }, seller)).status).toBe(200)
    const moved = await member.rest['accountUpdate']!({ id: mine.id, body: { ownerId: other.userId } } as never)
    expect(moved.status).toBe(200)
    expect([await listed(seller), await listed(seller, {}, 'finding')]).toEqual([
      [0, []],
      [0, []],
    ])
    expect(await listed(other, {}, 'finding')).toEqual([2, expect.anything()])
  })

  it('is refused with an owner', async () => {
    const { id } = await account(member)
    const body = { customFields: { account: id }, ownerId: member.userId }
    expect(problemsOf(await member.rest['customRecordCreate']!({ name: 'site_visit', body } as never))).toBe(
      '400 VALIDATION_FAILED ownerId NOT_ALLOWED',
    )
    const created = await visitOf(id)
    expect(problemsOf(await change(created.id, { ownerId: member.userId }))).toBe(
      '400 VALIDATION_FAILED ownerId NOT_ALLOWED',
    )
  })

  it('with two masters is seen by those who see both', async () => {
    await field(owner, { entity: visits, ...master('lead', { lookupEntity: 'LEAD' }) })
    await settleFieldChanges(platform)
    const [seller, other] = [await own(), await own()]
    const [mine, theirLead, myLead] = [await account(seller), await lead(other), await lead(seller)]
    const both = await visitOf(mine.id, { lead: myLead.id })
    const half = await visitOf(mine.id, { lead: theirLead.id })
    expect(await listed(seller)).toEqual([1, [both.id]])
    expect(
      await statusesOf(
        [
          ['site_visit', both.id],
          ['site_visit', half.id],
        ],
        seller,
      ),
    ).toEqual([200, 404])
    await member.rest['leadDelete']!({ id: theirLead.id })
    expect(await listed(member)).toEqual([1, [both.id]])
    await removeAccount(mine.id)
    // The lead that was deleted first is the one with which it comes back, and its account is still deleted.
    expect((await member.rest['leadRestore']!({ id: theirLead.id })).status).toBe(200)
    expect(await listed(member)).toEqual([0, []])
    await restoreAccount(mine.id)
    expect(await listed(member)).toEqual([1, [both.id]])
    expect((await restoreOne(half.id)).status).toBe(200)
  })

  it('sends its events to those who see its master', async () => {
    const [seller, other] = [await own(), await own()]
    const mine = await account(seller)
    const { id } = await visitOf(mine.id)
    await removeAccount(mine.id)
    const eventsOf = async (by: Member) => {
      const { body } = await by.rest['eventList']!({ query: { types: 'custom_object.site_visit.*' } } as never)
      return (body.data as { type: string; data: { id: string } }[]).map(({ type, data }) => [type, data.id])
    }
    await expect
      .poll(() =>
        platform.query('select 1 from kernel.event_pending where organization_id = $1', [owner.organizationId]),
      )
      .toEqual([])
    const expected = [
      ['custom_object.site_visit.created', id],
      ['custom_object.site_visit.deleted', id],
    ]
    expect(await eventsOf(seller)).toEqual(expected)
    expect(await eventsOf(other)).toEqual([])
    expect(await eventsOf(member)).toEqual(expected)
  })
})

describe('the deletion of a master', () => {
  beforeEach(() => visitsAndFindings(platform, owner))

  it('deletes its details on all levels with events, and the restoration brings back those that were deleted with it', async () => {
    const target = await account(member)
    const [first, second, gone] = [await visitOf(target.id), await visitOf(target.id), await visitOf(target.id)]
    const [finding, removed, ofGone] = [await findingOf(first.id), await findingOf(first.id), await findingOf(gone.id)]
    await removeOne(removed.id, 'finding')
    await removeOne(gone.id)
    expect((await removeAccount(target.id)).status).toBe(204)
    expect([await listed(), await listed(member, {}, 'finding')]).toEqual([
      [0, []],
      [0, []],
    ])
    expect(await deletedCount('site_visit')).toBe(3)
    expect((await restoreOne(first.id)).status).toBe(404)
    expect((await restoreAccount(target.id)).status).toBe(200)
    expect(await listed()).toEqual([2, [first.id, second.id].sort()])
    expect(await listed(member, {}, 'finding')).toEqual([1, [finding.id]])
    const prefix = 'custom_object.finding.'
    expect(await typesOf(finding.id)).toEqual([`${prefix}created`, `${prefix}deleted`, `${prefix}restored`])
    expect((await one(first.id)).body).toMatchObject({ version: 3, deletedAt: null, updatedById: member.userId })
    expect((await restoreOne(gone.id)).status).toBe(200)
    expect(
      await statusesOf([
        ['finding', ofGone.id],
        ['finding', removed.id],
      ]),
    ).toEqual([200, 404])
  })

  it('changes rollups, clears lookups of details and keeps lookups between details of one deletion', async () => {
    await field(owner, { entity: visits, name: 'previous', fieldType: 'LOOKUP', ...ofVisit })
    await field(owner, { name: 'lastVisit', fieldType: 'LOOKUP', ...ofVisit })
    await field(
      owner,
      rollup('visits', { childObject: visits, relationField: 'customFields.account', aggregate: 'COUNT' }),
    )
    await field(owner, {
      entity: visits,
      ...rollup('findings', { childObject: 'custom:finding', relationField: 'customFields.visit', aggregate: 'COUNT' }),
    })
    await settleFieldChanges(platform)
    const target = await account(member)
    const first = await visitOf(target.id)
    const second = await visitOf(target.id, { previous: first.id })
    await findingOf(first.id)
    const naming = await account(member, { customFields: { lastVisit: first.id } })
    const values = async (id: string) => (await member.rest['account']!({ id })).body.customFields as object
    expect(await values(target.id)).toEqual({ visits: 2 })
    expect((await one(first.id)).body.customFields).toMatchObject({ findings: 1 })
    await removeAccount(target.id)
    expect(await values(naming.id)).toEqual({ visits: 0 })
    await restoreAccount(target.id)
    expect(await values(target.id)).toEqual({ visits: 2 })
    expect((await one(second.id)).body.customFields).toMatchObject({ previous: first.id })
    expect((await one(first.id)).body.customFields).toMatchObject({ findings: 1 })
  })

  it('leaves a detail deleted whose unique value another record has by now', async () => {
    await field(owner, { entity: visits, name: 'code', fieldType: 'TEXT', isUnique: true })
    await settleFieldChanges(platform)
    const [target, other] = [await account(member), await account(member)]
    const [taken, free] = [await visitOf(target.id, { code: 'A' }), await visitOf(target.id, { code: 'B' })]
    const named = await visit(member, { subject: 'Pump', account: target.id }, { externalId: 'ERP-1' })
    await removeAccount(target.id)
    const next = await visit(member, { subject: 'Pump', account: other.id, code: 'a' }, { externalId: 'ERP-1' })
    expect((await restoreAccount(target.id)).status).toBe(200)
    expect(await listed()).toEqual([2, [free.id, next.id].sort()])
    expect(problemsOf(await restoreOne(named.id))).toContain('409 UNIQUE_VIOLATION')
    expect(problemsOf(await restoreOne(taken.id))).toContain('409 UNIQUE_VIOLATION')
    await removeOne(next.id)
    expect((await restoreOne(taken.id)).status).toBe(200)
  })

  it('with more than 5,000 details hides them at once, deletes them in the background, and so does the restoration', async () => {
    const target = await account(member)
    const { id } = await visitOf(target.id)
    await detailCopies(platform, id, 5_200, 'account')
    await findingOf(id)
    expect((await removeAccount(target.id)).status).toBe(204)
    expect([await listed(), await deletedCount('site_visit')]).toEqual([[0, []], 0])
    await settleDetails(platform)
    expect([await deletedCount('site_visit'), await deletedCount('finding')]).toEqual([5_201, 1])
    expect((await restoreAccount(target.id)).status).toBe(200)
    expect((await listed(member, { limit: 1 }))[0]).toBe(0)
    await settleDetails(platform)
    expect([await deletedCount('site_visit'), await deletedCount('finding')]).toEqual([0, 0])
    expect((await listed(member, { limit: 1 }))[0]).toBe(5_201)
    expect((await typesOf(id)).length).toBe(3)
  }, 240_000)

  it('that is taken back before its details are deleted keeps them', async () => {
    const target = await account(member)
    const { id } = await visitOf(target.id)
    await detailCopies(platform, id, 5_000, 'account')
    await removeAccount(target.id)
    await restoreAccount(target.id)
    await settleDetails(platform)
    expect((await listed(member, { limit: 1 }))[0]).toBe(5_001)
    expect(await typesOf(id)).toEqual(['custom_object.site_visit.created'])
  }, 120_000)

  it('and the creation of details do not miss each other', async () => {
    for (let round = 0; round < 8; round++) {
      const target = await account(member)
      const above = await visitOf(target.id)
      const create = (name: string, customFields: object) =>
        member.rest['customRecordCreate']!({ name, body: { customFields } } as never)
      const answers = await Promise.all([
        create('site_visit', { account: target.id }),
        create('finding', { visit: above.id }),
        removeAccount(target.id),
        create('site_visit', { account: target.id }),
        create('finding', { visit: above.id }),
      ])
      expect(answers[2].status).toBe(204)
      for (const { status } of answers) expect([201, 204, 400]).toContain(status)
    }
    const live = await platform.query(
      'select from extensions.custom_record where organization_id = $1 and deleted_at is null',
      [owner.organizationId],
    )
    expect(live).toEqual([])
  })

  it('is refused while the index by which its details are found is built', async () => {
    const target = await account(member)
    await field(owner, { entity: 'custom:finding', ...master('lead', { lookupEntity: 'LEAD' }) })
    const { id } = await lead(member)
    const refused = await member.rest['leadDelete']!({ id })
    expect([problemsOf(refused), (await removeAccount(target.id)).status]).toEqual(['409 INVALID_STATE', 204])
    await settleFieldChanges(platform)
    expect((await member.rest['leadDelete']!({ id })).status).toBe(204)
  })

  it('waits for a detail that is being created', async () => {
    const target = await account(member)
    const above = await visitOf(target.id)
    let deletion: Promise<{ status: number }> | undefined
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('select from extensions.custom_record where id = $1 for key share', [above.id])
      deletion = removeAccount(target.id)
      await vi.waitFor(async () => expect(await platform.waitingForLocks()).toBe(1), { timeout: 10_000 })
    })
    expect((await deletion!).status).toBe(204)
    expect(await deletedCount('site_visit')).toBe(1)
  })
})

describe('a detail that can get another master', () => {
  it('moves to one that the caller sees, with its visibility and its totals', async () => {
    await visitsAndFindings(platform, owner, { isReparentable: true })
    const [seller, other] = [await own(), await own()]
    const [mine, theirs, second] = [await account(seller), await account(other), await account(seller)]
    const { id } = await visitOf(mine.id, {}, seller)
    expect(problemsOf(await change(id, { customFields: { account: theirs.id } }, seller))).toBe(
      '400 VALIDATION_FAILED customFields.account UNKNOWN_REFERENCE',
    )
    expect((await change(id, { customFields: { account: second.id } }, seller)).status).toBe(200)
    expect((await change(id, { customFields: { account: theirs.id } })).status).toBe(200)
    expect([await listed(seller), await listed(other)]).toEqual([
      [0, []],
      [1, [id]],
    ])
    await removeAccount(second.id)
    expect(await listed(other)).toEqual([1, [id]])
    await settleClearings(platform)
  })
})

describe('a deleted object with details', () => {
  it('is restored without those whose masters were deleted meanwhile', async () => {
    await visitsAndFindings(platform, owner)
    const [gone, kept] = [await account(member), await account(member)]
    const [lost, other] = [await visitOf(gone.id), await visitOf(kept.id)]
    const { body } = await owner.rest['customObjectList']!({})
    const idOf = (wanted: string) =>
      (body.data as { id: string; name: string }[]).find(({ name }) => name === wanted)!.id
    for (const name of ['finding', 'site_visit'])
      expect((await owner.rest['customObjectDelete']!({ id: idOf(name) })).status).toBe(204)
    expect((await removeAccount(gone.id)).status).toBe(204)
    expect((await owner.rest['customObjectRestore']!({ id: idOf('site_visit') })).status).toBe(200)
    await settleDetails(platform)
    const stored = await platform.query(
      `select id, deleted_with_id as "deletedWithId" from extensions.custom_record where id = any($1::uuid[])
       order by deleted_at nulls last`,
      [[lost.id, other.id]],
    )
    expect(stored).toEqual([
      { id: lost.id, deletedWithId: gone.id },
      { id: other.id, deletedWithId: null },
    ])
    expect((await restoreAccount(gone.id)).status).toBe(200)
    expect((await one(lost.id)).status).toBe(200)
  })
})

describe('details of records that are merged', () => {
  const merge = (id: string, other: string) => owner.rest['accountMerge']!({ id, body: { ids: [other] } } as never)

  it.each([1, 5_200])(
    'follow the record that stays, %d of them',
    async (count) => {
      await visitsAndFindings(platform, owner)
      const [stays, gone] = [await account(member), await account(member)]
      const above = await visitOf(gone.id)
      const below = await findingOf(above.id)
      await detailCopies(platform, above.id, count - 1, 'account')
      expect((await merge(stays.id, gone.id)).status).toBe(count === 1 ? 200 : 202)
      await settleDetails(platform)
      await settleMerges(platform)
      expect(await deletedCount('site_visit')).toBe(0)
      expect((await listed(member, { limit: 1 }))[0]).toBe(count)
      expect((await one(above.id)).body.customFields).toMatchObject({ account: stays.id })
      expect((await one(below.id, member, 'finding')).status).toBe(200)
      const [left] = await platform.query(
        `select count(*)::int as n from extensions.custom_record where custom_fields ->> 'account' = $1`,
        [gone.id],
      )
      expect(left).toEqual({ n: 0 })
    },
    120_000,
  )
})
