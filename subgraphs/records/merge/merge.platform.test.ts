import { beforeEach, describe, expect, it } from 'vitest'
import { account, activity, contact, lead, opportunity, task } from '../../../test/builders.ts'
import { refused, refusedInputs, unchanged } from '../../../test/expectations.ts'
import { anOrganization } from '../../../test/extensions/custom-fields.fixture.ts'
import { object, visit } from '../../../test/extensions/custom-objects.fixture.ts'
import { copiesOf, settleFieldChanges } from '../../../test/extensions/field-changes.fixture.ts'
import { lookup, visitsOfAccounts } from '../../../test/extensions/lookups.fixture.ts'
import { aSequence } from '../../../test/outreach/sequence.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { newId } from '../../kernel/ids.ts'
import { movedMax } from '../../kernel/record/merge/merge-records.ts'
import { losersOf } from '../../kernel/record/merge/merged-records.ts'
import { moveRows } from '../../kernel/record/merge/move-references.ts'
import { inTransaction, systemContext } from '../../kernel/request.ts'
import { settleMerges } from './merge.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

type Body = Readonly<Record<string, unknown>>
const merge = (id: string, ids: readonly string[], body: object = {}, by = member, operation = 'accountMerge') =>
  by.rest[operation]!({ id, body: { ids, ...body } } as never)
const byKey = (value: string, by = member) => by.rest['accountByKey']!({ field: 'externalId', value } as never)
const read = async (id: string, operation = 'account', by = member) =>
  (await by.rest[operation]!({ id } as never)).body as Body
const aUser = (options: object = {}) => platform.member({ organizationId: owner.organizationId, ...options })

describe('a merge', () => {
  it('keeps the values of the record that stays, fills its blank fields and unites its lists', async () => {
    const stays = await account(member, {
      name: 'Halvorsen',
      phone: '',
      tags: ['a', 'b'],
      customFields: { tier: 'gold' },
    })
    const first = await account(member, {
      name: 'Halvorsen AS',
      industry: 'Rail',
      tags: ['b', 'c'],
      customFields: { tier: 'tin', zone: 4 },
    })
    const second = await account(member, {
      phone: '+47 1',
      industry: 'Sea',
      tags: ['d'],
      metadata: { a: 1 },
      isStrategic: true,
    })
    const { status, body } = await merge(stays.id, [first.id, second.id])
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ mergedIds: [first.id, second.id], isComplete: true, references: [] })
    expect(body.record).toMatchObject({
      id: stays.id,
      version: 2,
      name: 'Halvorsen',
      phone: '+47 1',
      industry: 'Rail',
      tags: ['a', 'b', 'c', 'd'],
      customFields: { tier: 'gold', zone: 4 },
      metadata: { a: 1 },
      isStrategic: false,
    })
    expect(await read(stays.id)).toEqual(body.record)
  })

  it('takes the chosen fields from the named records, also blank ones', async () => {
    const stays = await account(member, { name: 'One', industry: 'Rail', tags: ['a'], customFields: { tier: 'gold' } })
    const other = await account(member, { name: 'Two', tags: ['b'], customFields: { tier: 'tin' } })
    const fields = {
      name: other.id,
      industry: other.id,
      tags: other.id,
      'customFields.tier': other.id,
      phone: stays.id,
    }
    const { body } = await merge(stays.id, [other.id], { fields })
    expect(body.record).toMatchObject({ name: 'Two', industry: null, tags: ['b'], customFields: { tier: 'tin' } })
  })

  it('keeps an opt-out of one of the records', async () => {
    const stays = await contact(member, { email: 'ida@yard.example' })
    const other = await contact(member, { emailOptOut: true, doNotCall: true })
    const { body } = await merge(stays.id, [other.id], {}, member, 'contactMerge')
    expect(body.record).toMatchObject({ emailOptOut: true, doNotCall: true })
  })

  it('moves references with their versions and events, those that the caller does not see included', async () => {
    const colleague = await aUser()
    const [stays, gone] = [await account(member), await account(member)]
    const person = await contact(colleague, { accountId: gone.id })
    const own = await aUser({ visibility: 'OWN' })
    const [mine, other] = [await account(own), await account(own)]
    const unseen = await contact(colleague, { accountId: other.id })
    const { body } = await merge(stays.id, [gone.id])
    expect(body.references).toEqual([{ object: 'contact', field: 'accountId', count: 1 }])
    expect(await read(person.id, 'contact')).toMatchObject({
      accountId: stays.id,
      version: 2,
      updatedById: member.userId,
    })
    const [, moved] = await platform.eventsOf(person.id)
    expect(moved).toMatchObject({ type: 'contact.updated', actorId: member.userId })
    expect(moved!.data).toMatchObject({ changedFields: ['accountId'], previous: { accountId: gone.id } })
    expect((await merge(mine.id, [other.id], {}, own)).status).toBe(200)
    expect(await read(unseen.id, 'contact')).toMatchObject({ accountId: mine.id })
  })

  it('has an event of the record that stays with the ids of the others, which are deleted', async () => {
    const [stays, gone] = [await account(member), await account(member, { industry: 'Rail' })]
    await merge(stays.id, [gone.id])
    expect(await platform.eventTypesOf(stays.id)).toEqual(['account.created', 'account.updated', 'account.merged'])
    expect(await platform.eventTypesOf(gone.id)).toEqual(['account.created', 'account.deleted'])
    const { data } = (await platform.eventsOf(stays.id)).at(-1)!
    expect(data).toMatchObject({
      id: stays.id,
      mergedIds: [gone.id],
      changedFields: ['industry'],
      record: { version: 2 },
    })
  })

  it('gives the record that stays a new version and one event, if none of its fields changes', async () => {
    const [stays, gone] = [await account(member), await account(member)]
    expect((await merge(stays.id, [gone.id])).body.record.version).toBe(2)
    expect(await platform.eventTypesOf(stays.id)).toEqual(['account.created', 'account.merged'])
  })

  it('changes nothing as a dry run, and answers the record and the references as they would be', async () => {
    const stays = await account(member)
    const gone = await account(member, { industry: 'Rail' })
    await contact(member, { accountId: gone.id })
    await task(member, { relatedToType: 'ACCOUNT', relatedToId: gone.id })
    const { status, body } = await unchanged(platform, () => merge(stays.id, [gone.id], { dryRun: true }))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      record: { id: stays.id, industry: 'Rail', version: 2 },
      isComplete: true,
      references: [
        { object: 'contact', field: 'accountId', count: 1 },
        { object: 'task', field: 'accountId', count: 1 },
        { object: 'task', field: 'relatedToId', count: 1 },
      ],
    })
  })

  it('sets the activity dates of the record that stays', async () => {
    const [stays, gone] = [await account(member), await account(member)]
    await activity(member, {
      type: 'NOTE',
      relatedToType: 'ACCOUNT',
      relatedToId: gone.id,
      occurredAt: '2027-01-20T09:00:00.000Z',
    })
    await merge(stays.id, [gone.id])
    expect(await read(stays.id)).toMatchObject({ lastActivityDate: '2027-01-20T09:00:00.000Z' })
  })

  it('leaves a deal one role for the contact that stays, which is primary if one of them was', async () => {
    const [stays, gone] = [await contact(member), await contact(member)]
    const deal = await opportunity(member, {
      contactRoles: [
        { contactId: gone.id, role: 'CHAMPION', isPrimary: true },
        { contactId: stays.id, role: 'INFLUENCER', isPrimary: false },
      ],
    })
    const only = await opportunity(member, {
      contactRoles: [{ contactId: gone.id, role: 'CHAMPION', isPrimary: false }],
    })
    await merge(stays.id, [gone.id], {}, member, 'contactMerge')
    expect(await read(deal.id, 'opportunity')).toMatchObject({
      primaryContactId: stays.id,
      contactIds: [stays.id],
      contactRoles: [{ contactId: stays.id, role: 'INFLUENCER', isPrimary: true }],
    })
    expect(await read(only.id, 'opportunity')).toMatchObject({
      contactIds: [stays.id],
      contactRoles: [{ contactId: stays.id, role: 'CHAMPION', isPrimary: false }],
    })
  })

  it('moves the values of lookups, of custom records too, and those that restrict a deletion', async () => {
    await lookup(platform, owner, { lookupDeleteBehavior: 'RESTRICT' })
    await visitsOfAccounts(owner)
    const [stays, gone] = [await account(member), await account(member)]
    const naming = await account(member, { customFields: { partner: gone.id } })
    const aVisit = await visit(member, { subject: 'Pump', account: gone.id })
    await settleFieldChanges(platform)
    const { status, body } = await merge(stays.id, [gone.id])
    expect([status, body.references]).toEqual([
      200,
      [
        { object: 'account', field: 'customFields.partner', count: 1 },
        { object: 'custom:site_visit', field: 'customFields.account', count: 1 },
      ],
    ])
    expect(await read(naming.id)).toMatchObject({ customFields: { partner: stays.id }, version: 2 })
    const { body: visited } = await member.rest['customRecord']!({ name: 'site_visit', id: aVisit.id } as never)
    expect(visited).toMatchObject({ customFields: { account: stays.id }, version: 2 })
  })

  it('ends a running enrollment of the others where the record that stays is in the sequence, and moves all', async () => {
    const [stays, gone] = [
      await contact(member, { email: 'a@yard.example' }),
      await contact(member, { email: 'b@yard.example' }),
    ]
    const step = { type: 'TASK', delayDays: 3, task: { subject: 'Call' } }
    const sequences = [await aSequence(owner, [step]), await aSequence(owner, [step])]
    const enroll = async (sequence: string, entityId: string) => {
      const { status, body } = await member.rest['sequenceEnroll']!({
        id: sequence,
        body: { entityType: 'CONTACT', entityId, allowOtherSequences: true },
      } as never)
      expect(status, JSON.stringify(body)).toBe(201)
      return (body as { id: string }).id
    }
    const kept = await enroll(sequences[0]!.id, stays.id)
    const ends = await enroll(sequences[0]!.id, gone.id)
    const goesOn = await enroll(sequences[1]!.id, gone.id)
    const { status, body } = await merge(stays.id, [gone.id], {}, member, 'contactMerge')
    expect(status, JSON.stringify(body)).toBe(200)
    const stored = await platform.query<{ id: string }>(
      'select id, status, entity_id as entity from outreach.sequence_enrollment where organization_id = $1 order by created_at, id',
      [owner.organizationId],
    )
    expect(stored).toEqual([
      { id: kept, status: 'ACTIVE', entity: stays.id },
      { id: ends, status: 'MERGED', entity: stays.id },
      { id: goesOn, status: 'ACTIVE', entity: stays.id },
    ])
    expect(await platform.eventTypesOf(ends)).toContain('sequence.unenrolled')
  })

  it('merges records of a custom object', async () => {
    await object(owner)
    const [stays, gone] = [
      await visit(member, { subject: 'Pump' }),
      await visit(member, { subject: 'Pump 4', hours: 2 }),
    ]
    const { status, body } = await member.rest['customRecordMerge']!({
      name: 'site_visit',
      id: stays.id,
      body: { ids: [gone.id] },
    } as never)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ record: { id: stays.id, name: 'Pump', customFields: { subject: 'Pump', hours: 2 } } })
    expect(await platform.eventTypesOf(stays.id)).toEqual([
      'custom_object.site_visit.created',
      'custom_object.site_visit.updated',
      'custom_object.site_visit.merged',
    ])
    const found = await member.rest['customRecord']!({ name: 'site_visit', id: gone.id } as never)
    expect([found.status, found.body.mergedIntoId]).toEqual([404, stays.id])
  })
})

describe('a merged record', () => {
  it('answers 404 with the record that it was merged into, if the caller sees that', async () => {
    const own = await aUser({ visibility: 'OWN' })
    const [stays, gone] = [await account(member), await account(member)]
    await merge(stays.id, [gone.id])
    const { status, body } = await member.rest['account']!({ id: gone.id })
    expect([status, body.code, body.mergedIntoId]).toEqual([404, 'NOT_FOUND', stays.id])
    const changed = await member.rest['accountUpdate']!({ id: gone.id, body: { name: 'x' } })
    expect([changed.status, changed.body.mergedIntoId]).toEqual([404, stays.id])
    const unseen = await own.rest['account']!({ id: gone.id })
    expect([unseen.status, unseen.body.mergedIntoId]).toEqual([404, undefined])
    const { body: answer } = await member.graphql(`{ account(id: "${gone.id}") { id } }`)
    expect(answer.errors[0].extensions).toMatchObject({ code: 'NOT_FOUND', mergedIntoId: stays.id })
  })

  it('leads to the end of a chain of merges, by its id and by its external id', async () => {
    const [last, middle, first] = [
      await account(member),
      await account(member),
      await account(member, { externalId: 'ERP-1' }),
    ]
    await merge(middle.id, [first.id])
    await merge(last.id, [middle.id])
    for (const { id } of [middle, first]) expect((await read(id)).mergedIntoId).toBe(last.id)
    const { status, body } = await byKey('ERP-1')
    expect([status, body.id]).toEqual([200, last.id])
  })

  it('leads to the record that stays where its external id is the key of an upsert', async () => {
    const stays = await account(member, { name: 'Stays', externalId: 'ERP-2' })
    const gone = await account(member, { name: 'Gone', externalId: 'ERP-1' })
    await merge(stays.id, [gone.id])
    const put = (body: object, by = member) =>
      by.rest['accountUpsert']!({ field: 'externalId', value: 'ERP-1', body } as never)
    const { status, body } = await put({ industry: 'Rail' })
    expect([status, body.id, body.externalId, body.industry]).toEqual([200, stays.id, 'ERP-2', 'Rail'])
    const items = [{ externalId: 'ERP-1', name: 'Stays here' }]
    const bulk = await member.rest['accountBulkUpsert']!({ body: { items } } as never)
    expect(bulk.body['results']).toMatchObject([{ id: stays.id, status: 'UPDATED', key: 'ERP-1' }])
    const own = await aUser({ visibility: 'OWN' })
    expect((await byKey('ERP-1', own)).status).toBe(404)
    // A live record with the external id comes first.
    await member.rest['accountRestore']!({ id: gone.id })
    expect((await put({ industry: 'Sea' })).body.id).toBe(gone.id)
  })

  it('can be restored as it was, without what named it, and is then merged into nothing', async () => {
    const [stays, gone] = [await account(member), await account(member, { name: 'Gone', industry: 'Rail' })]
    const person = await contact(member, { accountId: gone.id })
    await merge(stays.id, [gone.id])
    const { status, body } = await member.rest['accountRestore']!({ id: gone.id })
    expect([status, body.name, body.industry]).toEqual([200, 'Gone', 'Rail'])
    expect(await read(gone.id)).toMatchObject({ name: 'Gone' })
    expect(await read(person.id, 'contact')).toMatchObject({ accountId: stays.id })
    await settleMerges(platform)
    const again = await contact(member, { accountId: gone.id })
    await settleMerges(platform)
    expect(await read(again.id, 'contact')).toMatchObject({ accountId: gone.id })
  })

  it('is named by the record that stays in records that are restored later', async () => {
    await visitsOfAccounts(owner)
    const [stays, gone] = [await account(member), await account(member)]
    const person = await contact(member, { accountId: gone.id })
    const aVisit = await visit(member, { subject: 'Pump', account: gone.id })
    await member.rest['contactDelete']!({ id: person.id })
    await member.rest['customRecordDelete']!({ name: 'site_visit', id: aVisit.id } as never)
    await settleFieldChanges(platform)
    await merge(stays.id, [gone.id])
    expect((await member.rest['contactRestore']!({ id: person.id })).body).toMatchObject({ accountId: stays.id })
    const restored = await member.rest['customRecordRestore']!({ name: 'site_visit', id: aVisit.id } as never)
    expect(restored.body).toMatchObject({ customFields: { account: stays.id } })
  })

  it('is moved to the record that stays in what a concurrent transaction writes after the merge', async () => {
    const [stays, gone] = [await account(member), await account(member)]
    const person = await contact(member, { accountId: gone.id })
    await merge(stays.id, [gone.id])
    await platform.query('update crm.contact set account_id = $2 where id = $1', [person.id, gone.id])
    await settleMerges(platform)
    expect(await read(person.id, 'contact')).toMatchObject({ accountId: stays.id, updatedById: member.userId })
  })
})

describe('what names a merged record later', () => {
  /** As a transaction that has checked the reference before the merge writes it afterwards. */
  const nameLate = async (naming: string, gone: string): Promise<void> => {
    await platform.query(
      `update crm.account set custom_fields = custom_fields || jsonb_build_object('partner', $2::text) where id = $1`,
      [naming, gone],
    )
    await platform.query(`update kernel.record_value set id_value = $2 where record_id = $1 and field = 'partner'`, [
      naming,
      gone,
    ])
  }
  const merged = async (behavior: object) => {
    await lookup(platform, owner, behavior)
    const [stays, gone] = [await account(member), await account(member)]
    const naming = await account(member, { customFields: { partner: gone.id } })
    expect((await merge(stays.id, [gone.id])).status).toBe(200)
    await nameLate(naming.id, gone.id)
    return { stays, naming }
  }
  const remove = (id: string) => member.rest['accountDelete']!({ id } as never)

  it('is cleared if the record that stays was deleted meanwhile', async () => {
    const { stays, naming } = await merged({})
    expect((await remove(stays.id)).status).toBeLessThan(300)
    await settleMerges(platform)
    expect((await read(naming.id)).customFields).not.toHaveProperty('partner', expect.any(String))
  })

  it('keeps the record that stays from being deleted, if it restricts that', async () => {
    const { stays, naming } = await merged({ lookupDeleteBehavior: 'RESTRICT' })
    expect(await refused(platform, () => remove(stays.id))).toEqual([409, 'HAS_DEPENDENTS'])
    await settleMerges(platform)
    expect(await refused(platform, () => remove(stays.id))).toEqual([409, 'HAS_DEPENDENTS'])
    expect(await read(naming.id)).toMatchObject({ customFields: { partner: stays.id } })
  })

  it('is moved while nobody restores the merged record', async () => {
    const [stays, gone] = [await account(member), await account(member)]
    await merge(stays.id, [gone.id])
    await inTransaction(systemContext(platform.services, owner.organizationId), async (inner) => {
      expect(await losersOf(inner, [stays.id])).toEqual([gone.id])
      const free = 'select record_id from kernel.merged_record where record_id = $1 for update skip locked'
      expect(await platform.query(free, [gone.id])).toEqual([])
    })
  })

  it('is moved some rows at a time where they are no records', async () => {
    const [stays, gone] = [await account(member), await account(member)]
    for (const id of [newId(), newId(), newId()])
      await platform.query(
        'insert into extensions.workflow_once (organization_id, workflow_id, record_id) values ($1, $2, $3)',
        [owner.organizationId, id, gone.id],
      )
    await inTransaction(systemContext(platform.services, owner.organizationId), async (inner) => {
      const some = () => moveRows(inner, { object: 'account', winner: stays.id, losers: [gone.id] }, 2)
      expect([await some(), await some(), await some()]).toEqual([2, 1, 0])
    })
    const rows = await platform.query('select from extensions.workflow_once where record_id = $1', [stays.id])
    expect(rows).toHaveLength(3)
  })
})

describe('a merge of records with more references than one transaction moves', () => {
  it('answers 202, and moves them in the background', async () => {
    const [stays, gone] = [await account(member), await account(member, { industry: 'Rail' })]
    const child = await account(member, { parentAccountId: gone.id })
    await copiesOf(platform, member, child.id, movedMax)
    const { status, body } = await merge(stays.id, [gone.id])
    expect(status, JSON.stringify(body)).toBe(202)
    expect(body).toMatchObject({
      isComplete: false,
      record: { industry: 'Rail' },
      references: [{ object: 'account', field: 'parentAccountId', count: movedMax + 1 }],
    })
    expect((await read(gone.id)).mergedIntoId).toBe(stays.id)
    // What is left is moved in several transactions.
    await platform.query(
      'update crm.account set deleted_at = now() where organization_id = $1 and name > $2 and name ~ $3',
      [owner.organizationId, 'n16', '^n[0-9]+$'],
    )
    const children = 'crm.account where organization_id = $1 and deleted_at is null and parent_account_id = $2'
    const count = async (parent: string): Promise<number> => {
      const [row] = await platform.query<{ n: number }>(`select count(*)::int as n from ${children}`, [
        owner.organizationId,
        parent,
      ])
      return row!.n
    }
    const left = await count(gone.id)
    expect(left).toBeGreaterThan(600)
    await settleMerges(platform)
    expect([await count(gone.id), await count(stays.id)]).toEqual([0, left])
    const [row] = await platform.query<{ n: number }>(
      `select count(distinct record_id)::int as n from kernel.event
       where organization_id = $1 and type = 'account.updated' and actor_id = $2 and data #>> '{previous,parentAccountId}' = $3`,
      [owner.organizationId, member.userId, gone.id],
    )
    expect(row!.n).toBe(left)
  }, 120_000)
})

describe('a merge is refused', () => {
  it('with 404 or 400 for records that the caller does not see', async () => {
    const own = await aUser({ visibility: 'OWN' })
    const [mine, other] = [await account(own), await account(member)]
    expect(await refused(platform, () => merge(other.id, [mine.id], {}, own))).toEqual([404, 'NOT_FOUND'])
    expect(await refusedInputs(platform, () => merge(mine.id, [other.id, newId()], {}, own))).toEqual([
      400,
      'VALIDATION_FAILED',
      'ids.0 UNKNOWN_REFERENCE',
      'ids.1 UNKNOWN_REFERENCE',
    ])
  })

  it('with 403 without the scope, and for a reader', async () => {
    const [stays, gone] = [await account(member), await account(member)]
    const reader = await aUser({ role: 'READ_ONLY' })
    const key = await aUser({ scopes: ['READ_ACCOUNTS', 'WRITE_CONTACTS'] })
    expect(await refused(platform, () => merge(stays.id, [gone.id], {}, reader))).toEqual([403, 'PERMISSION_DENIED'])
    expect(await refused(platform, () => merge(stays.id, [gone.id], {}, key))).toEqual([
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
    ])
  })

  it('with 400 for ids, fields and versions of other records', async () => {
    const [stays, gone] = [await account(member), await account(member)]
    const problems = (body: object, ids = [gone.id]) => refusedInputs(platform, () => merge(stays.id, ids, body))
    expect(await problems({}, [stays.id, gone.id, gone.id])).toEqual([
      400,
      'VALIDATION_FAILED',
      'ids.0 NOT_ALLOWED',
      'ids.2 NOT_UNIQUE',
    ])
    expect(await problems({ fields: { nothing: gone.id, id: gone.id, createdAt: gone.id, name: newId() } })).toEqual([
      400,
      'VALIDATION_FAILED',
      'fields.nothing UNKNOWN_FIELD',
      'fields.id NOT_ALLOWED',
      'fields.createdAt NOT_ALLOWED',
      'fields.name NOT_ALLOWED',
    ])
    expect(await problems({ expectedVersions: { [newId()]: 1, [gone.id]: 'x' } })).toEqual([
      400,
      'VALIDATION_FAILED',
      expect.stringMatching(/^expectedVersions\..* NOT_ALLOWED$/),
      `expectedVersions.${gone.id} WRONG_TYPE`,
    ])
    expect(await problems({ fields: [], expectedVersions: 3 })).toEqual([
      400,
      'VALIDATION_FAILED',
      'fields WRONG_TYPE',
      'expectedVersions WRONG_TYPE',
    ])
  })

  it('with 409 if a record has another version than the caller read', async () => {
    const [stays, gone] = [await account(member), await account(member)]
    await member.rest['accountUpdate']!({ id: gone.id, body: { name: 'Changed' } })
    const expectedVersions = { [stays.id]: 1, [gone.id]: 1 }
    expect(await refused(platform, () => merge(stays.id, [gone.id], { expectedVersions }))).toEqual([
      409,
      'VERSION_CONFLICT',
    ])
    expect((await merge(stays.id, [gone.id], { expectedVersions: { ...expectedVersions, [gone.id]: 2 } })).status).toBe(
      200,
    )
  })

  it('with 409 for a converted lead', async () => {
    const [stays, gone] = [await lead(member), await lead(member)]
    await member.rest['leadConvert']!({ id: gone.id, body: {} })
    const mergeLeads = (id: string, other: string) => merge(id, [other], {}, member, 'leadMerge')
    expect(await refused(platform, () => mergeLeads(stays.id, gone.id))).toEqual([409, 'INVALID_STATE'])
    expect(await refused(platform, () => mergeLeads(gone.id, stays.id))).toEqual([409, 'INVALID_STATE'])
  })

  it('with 400 if a record would be its own ancestor; a parent can be merged into its child', async () => {
    const top = await account(member)
    const parent = await account(member, { parentAccountId: top.id })
    const middle = await account(member, { parentAccountId: parent.id })
    const child = await account(member, { parentAccountId: middle.id })
    expect(await refusedInputs(platform, () => merge(child.id, [parent.id]))).toEqual([
      400,
      'VALIDATION_FAILED',
      'parentAccountId CIRCULAR',
    ])
    const chosen = await merge(child.id, [parent.id], { fields: { parentAccountId: parent.id } })
    expect([chosen.status, chosen.body.record.parentAccountId]).toEqual([200, top.id])
    expect(await read(middle.id)).toMatchObject({ parentAccountId: child.id })
    const { body } = await merge(middle.id, [child.id])
    expect(body.record.parentAccountId).toBe(top.id)
  })
})

describe('a profile that hides or protects fields', () => {
  const restricted = async (fields: Readonly<Record<string, 'HIDDEN' | 'READ'>>) => {
    const user = await aUser()
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: `Profile ${newId()}`, fields: { account: fields } })
    await assignProfile(ctx, user.userId, profile.id)
    return user
  }

  it('lets hidden fields be merged by the default rule, and shows them in no answer', async () => {
    const user = await restricted({ industry: 'HIDDEN' })
    const [stays, gone] = [await account(member), await account(member, { industry: 'Rail' })]
    const preview = await unchanged(platform, () => merge(stays.id, [gone.id], { dryRun: true }, user))
    expect(JSON.stringify(preview.body)).not.toContain('Rail')
    const merged = await merge(stays.id, [gone.id], {}, user)
    expect([merged.status, JSON.stringify(merged.body).includes('Rail')]).toEqual([200, false])
    expect(await read(stays.id)).toMatchObject({ industry: 'Rail' })
  })

  it('refuses to choose a field that may not be written', async () => {
    const user = await restricted({ industry: 'READ' })
    const [stays, gone] = [await account(member), await account(member)]
    const fields = { industry: gone.id }
    expect(await refused(platform, () => merge(stays.id, [gone.id], { fields }, user))).toEqual([
      403,
      'FIELD_NOT_WRITABLE',
    ])
  })
})
