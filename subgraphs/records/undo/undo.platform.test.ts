import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  account,
  activity,
  aLine,
  contact,
  creditNote,
  invoice,
  lead,
  opportunity,
  order,
  product,
  quote,
  supportCase,
  task,
} from '../../../test/builders.ts'
import { anOrganization } from '../../../test/extensions/custom-fields.fixture.ts'
import { object, visit } from '../../../test/extensions/custom-objects.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import type { Answer } from '../../../test/rest-client.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { newId } from '../../kernel/ids.ts'
import { recordTypeNames } from '../../kernel/record/record-registry.ts'
import { systemContext, type RequestContext } from '../../kernel/request.ts'
import { undoableNamed } from './undoable.ts'

const platform = usePlatform()
let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await platform.services.vault.load(owner.organizationId)
  platform.advanceClock(1000)
})

const assignPositions = () => platform.query('select kernel.assign_event_positions(100000)')

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const found = await answer
  expect(found.status, JSON.stringify(found.body)).toBeLessThan(300)
  return found
}

/** The operation of a successful request. */
const operationOf = async (answer: Promise<Answer>): Promise<string> => {
  const { headers } = await ok(answer)
  platform.advanceClock(1000)
  return headers.get('x-request-id')!
}

const undo = (by: Member, body: object) => by.rest['undo']!({ body } as never)
const undone = async (by: Member, body: object) => (await ok(undo(by, body))).body
const read = (id: string, type = 'account') => member.rest[type]!({ id } as never)
const update = (by: Member, id: string, body: object) => by.rest['accountUpdate']!({ id, body } as never)

/** Runs work that must change nothing in the organization. */
const unchanged = async <T>(work: () => Promise<T>): Promise<T> => {
  const before = await platform.fingerprint(owner.organizationId)
  const result = await work()
  expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  return result
}

describe('an undo', () => {
  it('gives changed fields back their values, with version and event, and can be undone itself', async () => {
    const one = await account(member, { name: 'One', industry: 'SHIPPING', tags: ['a'], customFields: { a: 1, b: 2 } })
    const operationId = await operationOf(
      update(member, one.id, { name: 'Two', industry: null, tags: [], customFields: { a: null, c: 3 } }),
    )
    const { body } = await ok(undo(owner, { operationId }))
    const fields = ['customFields.a', 'customFields.c', 'industry', 'name', 'tags']
    expect(
      body.undone.map((record: { fields: string[] }) => ({ ...record, fields: record.fields.toSorted() })),
    ).toEqual([{ object: 'account', recordId: one.id, action: 'UPDATED', fields }])
    expect(body).toMatchObject({ dryRun: false, notUndone: [] })
    expect((await read(one.id)).body).toMatchObject({
      name: 'One',
      industry: 'SHIPPING',
      tags: ['a'],
      customFields: { a: 1, b: 2 },
      version: 3,
      updatedById: owner.userId,
    })
    expect(await platform.eventTypesOf(one.id)).toEqual(['account.created', 'account.updated', 'account.updated'])
    await undone(member, { operationId: body.operationId })
    expect((await read(one.id)).body).toMatchObject({
      name: 'Two',
      industry: null,
      tags: [],
      customFields: { b: 2, c: 3 },
    })
    // What is as before the operation is left as it is.
    await undone(owner, { operationId })
    expect(await undone(owner, { operationId })).toMatchObject({ undone: [], notUndone: [] })
  })

  it('deletes what was created, restores what was deleted, and deletes what was restored', async () => {
    const created = await member.rest['accountCreate']!({ body: { name: 'New' } } as never)
    const { id } = created.body as { id: string }
    await assignPositions()
    const one = await undone(member, { operationId: created.headers.get('x-request-id') })
    expect(one.undone).toEqual([{ object: 'account', recordId: id, action: 'DELETED', fields: [] }])
    expect((await read(id)).status).toBe(404)
    const restoring = await operationOf(member.rest['accountRestore']!({ id } as never))
    expect((await undone(member, { operationId: restoring })).undone).toMatchObject([{ action: 'DELETED' }])
    await ok(member.rest['accountRestore']!({ id } as never))
    const deleting = await operationOf(member.rest['accountDelete']!({ id } as never))
    expect((await undone(member, { operationId: deleting })).undone).toMatchObject([{ action: 'RESTORED' }])
    expect((await read(id)).body.name).toBe('New')
  })

  it('takes back all that one request did, children before their parents, and what refers to them first', async () => {
    const [accountId, contactId] = [newId(), newId()]
    const other = await contact(member)
    const document = `mutation($a: ID!, $c: ID!, $o: ID!) {
      accountCreate(input: { id: $a, name: "New" }) { id }
      contactCreate(input: { id: $c, lastName: "Child", accountId: $a }) { id }
      contactUpdate(id: $o, input: { accountId: $a }) { id } }`
    const operationId = await operationOf(member.graphql(document, { a: accountId, c: contactId, o: other.id }))
    const answer = await undone(member, { operationId })
    expect(answer.undone).toMatchObject([
      { recordId: other.id, action: 'UPDATED', fields: ['accountId'] },
      { recordId: contactId, action: 'DELETED' },
      { recordId: accountId, action: 'DELETED' },
    ])
    expect((await read(other.id, 'contact')).body.accountId).toBeNull()
  })

  it('of a conversion is refused, because only the conversion sets what the lead refers to', async () => {
    const one = await lead(member, { company: 'Nordlys', email: 'mail@nordlys.example' })
    const converted = await ok(member.rest['leadConvert']!({ id: one.id, body: {} } as never))
    platform.advanceClock(1000)
    const operationId = converted.headers.get('x-request-id')
    const { status, body } = await unchanged(() => undo(member, { operationId }))
    expect([status, body.errors.map(({ code }: { code: string }) => code)]).toEqual([
      409,
      expect.arrayContaining(['HAS_RECORDS']),
    ])
    const skipped = await undone(member, { operationId, onConflict: 'SKIP' })
    expect(skipped.notUndone).toContainEqual(
      expect.objectContaining({ object: 'lead', recordId: one.id, reason: 'REFUSED' }),
    )
  })

  it('is found by an idempotency key of the caller, and by user and time', async () => {
    const key = newId()
    const body = { name: 'Keyed' }
    const created = await ok(member.rest['accountCreate']!({ body, headers: { 'Idempotency-Key': key } } as never))
    platform.advanceClock(1000)
    expect((await undo(owner, { idempotencyKey: key })).status).toBe(404)
    expect((await undone(member, { idempotencyKey: key })).undone).toMatchObject([{ recordId: created.body.id }])
    platform.advanceClock(1000)
    const from = platform.now.toISOString()
    const [one, two] = [await account(member, { name: 'One' }), await account(owner, { name: 'Two' })]
    const other = await contact(member)
    platform.advanceClock(1000)
    const to = platform.now.toISOString()
    const three = await account(member, { name: 'Three' })
    await assignPositions()
    const answer = await undone(owner, { userId: member.userId, from, to, objects: ['account'] })
    expect(answer.undone).toMatchObject([{ recordId: one.id, action: 'DELETED' }])
    const live = await Promise.all([one, two, three].map(async ({ id }) => (await read(id)).status))
    expect([...live, (await read(other.id, 'contact')).status]).toEqual([404, 200, 200, 200])
  })

  it('of a dry run, or tried by Prefer, changes nothing', async () => {
    const { id } = await account(member, { name: 'One' })
    const operationId = await operationOf(update(member, id, { name: 'Two' }))
    const tried = await unchanged(() => undone(member, { operationId, dryRun: true }))
    expect(tried).toMatchObject({ dryRun: true, undone: [{ recordId: id, fields: ['name'] }] })
    const headers = { Prefer: 'dry-run' }
    const preferred = await unchanged(() => member.rest['undo']!({ body: { operationId }, headers } as never))
    expect(preferred.body).toMatchObject({ dryRun: true, undone: [{ recordId: id, fields: ['name'] }] })
    expect(preferred.headers.get('dry-run-events')).toBe(`"account.updated";id="${id}"`)
  })

  it('undoes records of custom objects', async () => {
    await object(owner)
    await platform.services.shapes.load(owner.organizationId)
    const one = await visit(member, { subject: 'Pump', hours: 2 })
    const body = { customFields: { hours: 5, outcome: 'DONE' } }
    const call = { name: 'site_visit', id: one.id }
    const operationId = await operationOf(member.rest['customRecordUpdate']!({ ...call, body } as never))
    await undone(member, { operationId })
    const found = await member.rest['customRecord']!(call as never)
    expect(found.body.customFields).toEqual(one.customFields)
  })

  it('leaves what follows from other fields to the rules', async () => {
    const { id: accountId } = await account(member)
    const deal = await opportunity(member, { accountId, stage: 'PROSPECTING' })
    const operationId = await operationOf(
      member.rest['opportunityUpdate']!({ id: deal.id, body: { stage: 'PROPOSAL' } } as never),
    )
    const answer = await undone(member, { operationId })
    expect(answer.undone[0].fields).toContain('stage')
    const after = (await read(deal.id, 'opportunity')).body
    expect([after.stage, after.probability]).toEqual(['PROSPECTING', 10])
  })
})

describe('an undo of an update', () => {
  const server = { smtpHost: 'smtp.fjordline.example', smtpUser: 'ann', smtpPassword: 'secret' }
  const mailbox = (values: object = {}) =>
    member.rest['mailboxCreate']!({ body: { name: 'Ann', email: `${newId()}@fjordline.example`, ...values } } as never)
  const created: Readonly<Record<string, () => Promise<Answer['body']>>> = {
    account: () => account(member),
    activity: () => activity(member),
    case: () => supportCase(member),
    contact: () => contact(member),
    credit_note: () => creditNote(member),
    email_template: async () =>
      (
        await ok(
          member.rest['emailTemplateCreate']!({
            body: { name: newId(), subject: 'Slots', bodyHtml: '<p>Hello</p>' },
          } as never),
        )
      ).body,
    file: async () => (await ok(member.rest['fileCreate']!({ body: { name: 'Plan.txt' } } as never))).body,
    invoice: () => invoice(member),
    lead: () => lead(member),
    mailbox: async () => (await ok(mailbox(server))).body,
    opportunity: () => opportunity(member),
    order: () => order(member, { lineItems: [aLine()] }),
    product: () => product(member),
    quote: () => quote(member, { lineItems: [aLine()] }),
    smart_email_draft: async () =>
      (await ok(member.rest['smartEmailCompose']!({ body: { toEmails: ['ida@customer.example'] } } as never))).body,
    task: () => task(member),
  }
  const lineItems = [aLine({ name: 'Another' }), aLine()]
  /** What of a record is changed, where that is not `name`. */
  const changes: Readonly<Record<string, object>> = {
    activity: { tags: ['won back'] },
    case: { subject: 'Other' },
    contact: { lastName: 'Other' },
    credit_note: { lineItems },
    invoice: { lineItems },
    lead: { lastName: 'Other' },
    order: { lineItems },
    quote: { lineItems },
    smart_email_draft: { subject: 'Other', bodyHtml: '<p>Other</p>' },
    task: { subject: 'Other' },
  }

  it('is known for every type', () => {
    const types = recordTypeNames().filter((object) => undoableNamed({ shapes: null } as RequestContext, object))
    expect(Object.keys(created)).toEqual(types)
  })

  it.each(Object.keys(created))('of type %s gives all values back', async (object) => {
    const prefix = object.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    const { id } = await created[object]!()
    const before = (await read(id, prefix)).body
    const body = changes[object] ?? { name: 'Other' }
    const operationId = await operationOf(member.rest[`${prefix}Update`]!({ id, body } as never))
    const answer = await undone(member, { operationId })
    expect(answer).toMatchObject({ undone: [{ object, recordId: id, action: 'UPDATED' }], notUndone: [] })
    const own = new Set(['version', 'updatedAt', 'updatedById'])
    const after = (await read(id, prefix)).body
    const others = (record: object) => Object.entries(record).filter(([name]) => !own.has(name))
    expect(others(after)).toEqual(others(before))
  })

  it('tells that a mail stays sent', async () => {
    const body = { to: ['ann@yard.example'], subject: 'Offer', bodyHtml: '<p>Here it is.</p>' }
    const answer = await ok(member.rest['emailSend']!({ body } as never))
    platform.advanceClock(1000)
    const operationId = answer.headers.get('x-request-id')!
    const found = await undone(owner, { operationId })
    expect(found.undone).toEqual([])
    const { id, threadId } = answer.body
    const stays = (object: string, recordId: string, name: string) => ({
      object,
      recordId,
      field: null,
      reason: 'NOT_A_RECORD',
      message: `Changes of the ${name} are not undone.`,
      changedById: null,
      changedAt: null,
    })
    expect(found.notUndone).toEqual([stays('email_thread', threadId, 'email thread'), stays('email', id, 'email')])
    const mails = 'select status from outreach.email_message where id = $1 and deleted_at is null'
    expect(await platform.query(mails, [id])).toEqual([{ status: 'QUEUED' }])
  })

  it('tells that a password stays removed, because no event has it', async () => {
    const { id } = (await ok(mailbox(server))).body
    const operationId = await operationOf(
      member.rest['mailboxUpdate']!({ id, body: { name: 'Other', smtpPassword: null } } as never),
    )
    const answer = await undone(member, { operationId })
    expect(answer.undone).toEqual([{ object: 'mailbox', recordId: id, action: 'UPDATED', fields: ['name'] }])
    expect(answer.notUndone).toMatchObject([{ recordId: id, reason: 'NOT_WRITABLE', field: 'smtpPassword' }])
    expect((await read(id, 'mailbox')).body).toMatchObject({ name: 'Ann', smtpPassword: null })
  })
})

describe('a conflict', () => {
  it('is a change that another transaction makes meanwhile; until then the undo holds no later record', async () => {
    const [first, second] = [await account(member, { name: 'One' }), await account(member, { name: 'One' })]
    const document = `mutation($a: ID!, $b: ID!) { a: accountUpdate(id: $a, input: { name: "Two" }) { id }
      b: accountUpdate(id: $b, input: { name: "Two" }) { id } }`
    const operationId = await operationOf(member.graphql(document, { a: first.id, b: second.id }))
    let late: Promise<Answer> | undefined
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query(`update crm.account set name = 'Three', version = version + 1 where id = $1`, [first.id])
      late = undo(member, { operationId })
      await expect.poll(() => platform.waitingForLocks(), { interval: 1, timeout: 4000 }).toBe(1)
      await sql.query('select from crm.account where id = $1 for update nowait', [second.id])
    })
    const { status, body } = await late!
    expect([status, body.errors]).toMatchObject([409, [{ path: 'name', code: 'CHANGED', recordId: first.id }]])
    expect((await read(first.id)).body.name).toBe('Three')
  })

  it('is told with the field, the user and the time, and nothing is undone; with SKIP the rest is', async () => {
    const { id } = await account(member, { name: 'One', industry: 'SHIPPING' })
    const operationId = await operationOf(update(member, id, { name: 'Two', industry: 'RETAIL' }))
    const changedAt = platform.now.toISOString()
    await operationOf(update(owner, id, { name: 'Three' }))
    const refused = await unchanged(() => undo(member, { operationId }))
    expect([refused.status, refused.body.code]).toEqual([409, 'UNDO_CONFLICT'])
    const conflict = { recordId: id, object: 'account', changedById: owner.userId, changedAt }
    expect(refused.body.errors).toMatchObject([{ path: 'name', code: 'CHANGED', ...conflict }])
    const { undone: done, notUndone } = await undone(member, { operationId, onConflict: 'SKIP' })
    expect(done).toMatchObject([{ recordId: id, fields: ['industry'] }])
    expect(notUndone).toMatchObject([{ field: 'name', reason: 'CHANGED', ...conflict }])
    expect((await read(id)).body).toMatchObject({ name: 'Three', industry: 'SHIPPING' })
  })

  it('is no conflict if a later change has given the same value', async () => {
    const { id } = await account(member, { name: 'One' })
    const operationId = await operationOf(update(member, id, { name: 'Two' }))
    await operationOf(update(owner, id, { name: 'Three' }))
    await operationOf(update(owner, id, { name: 'Two' }))
    await undone(member, { operationId })
    expect((await read(id)).body.name).toBe('One')
  })

  it('is a created record that was changed since, or to which others refer', async () => {
    const creating = await member.rest['accountCreate']!({ body: { name: 'New' } } as never)
    const { id } = creating.body as { id: string }
    const operationId = creating.headers.get('x-request-id')
    platform.advanceClock(1000)
    const child = await contact(owner, { accountId: id })
    const refused = await unchanged(() => undo(member, { operationId }))
    expect([refused.status, refused.body.errors]).toMatchObject([409, [{ code: 'HAS_RECORDS', recordId: id }]])
    await ok(owner.rest['contactDelete']!({ id: child.id } as never))
    await operationOf(update(owner, id, { industry: 'RETAIL' }))
    const changed = await unchanged(() => undo(member, { operationId }))
    expect(changed.body.errors).toMatchObject([{ code: 'CHANGED', recordId: id, changedById: owner.userId }])
  })

  it('is a record that was deleted since, and a parent that was', async () => {
    const [first, second] = [await account(member), await account(member)]
    const person = await contact(member, { accountId: first.id })
    const body = { accountId: second.id }
    const operationId = await operationOf(member.rest['contactUpdate']!({ id: person.id, body } as never))
    await ok(owner.rest['accountDelete']!({ id: first.id } as never))
    const parent = await unchanged(() => undo(member, { operationId }))
    expect([parent.status, parent.body.errors]).toMatchObject([409, [{ path: 'accountId', code: 'REFUSED' }]])
    await ok(owner.rest['contactDelete']!({ id: person.id } as never))
    const gone = await unchanged(() => undo(member, { operationId }))
    expect(gone.body.errors).toMatchObject([{ code: 'CHANGED', recordId: person.id, changedById: owner.userId }])
  })

  it('does not disclose a hidden field, and a profile that may not change it refuses', async () => {
    const reader = await platform.member({ organizationId: owner.organizationId })
    const { id } = await contact(member, { title: 'Buyer', department: 'Secret' })
    const body = { title: 'Chief', department: 'Other' }
    const operationId = await operationOf(member.rest['contactUpdate']!({ id, body } as never))
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: `P ${newId()}`, fields: { contact: { department: 'HIDDEN' } } })
    await assignProfile(ctx, reader.userId, profile.id)
    await vi.waitFor(async () =>
      expect((await reader.rest['contact']!({ id } as never)).body).not.toHaveProperty('department'),
    )
    const refused = await unchanged(() => undo(reader, { operationId }))
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([409, expect.not.stringContaining('department')])
    expect(refused.body.errors).toMatchObject([{ path: 'recordId', code: 'REFUSED', recordId: id }])
    const skipped = await undone(reader, { operationId, onConflict: 'SKIP' })
    expect(skipped.undone).toMatchObject([{ fields: ['title'] }])
    expect((await read(id, 'contact')).body).toMatchObject({ title: 'Buyer', department: 'Other' })
  })
})

describe('an undo is refused', () => {
  it('for what the caller does not see, does not exist or may not write', async () => {
    const { id } = await account(member, { name: 'One' })
    const operationId = await operationOf(update(member, id, { name: 'Two' }))
    const { organizationId } = owner
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const stranger = await platform.member({ organizationId: await platform.organization() })
    const readOnly = await platform.member({ organizationId, role: 'READ_ONLY' })
    const scoped = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS', 'WRITE_CONTACTS'] })
    const outcome = async (by: Member, body: object) => {
      const { status, body: answer } = await unchanged(() => undo(by, body))
      return `${status} ${answer.code}`
    }
    expect(await outcome(own, { operationId })).toBe('404 NOT_FOUND')
    expect(await outcome(stranger, { operationId })).toBe('404 NOT_FOUND')
    expect(await outcome(member, { operationId: 'req_none' })).toBe('404 NOT_FOUND')
    expect(await outcome(readOnly, { operationId })).toBe('403 PERMISSION_DENIED')
    expect(await outcome(scoped, { operationId })).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
  })

  it('if it does not say exactly what to undo', async () => {
    const from = platform.now.toISOString()
    const { userId } = member
    for (const body of [
      {},
      { operationId: 'req_1', idempotencyKey: 'k' },
      { operationId: 'req_1', from },
      { userId },
      { userId, from, to: from },
      { userId, from, objects: ['no_such_type'] },
    ]) {
      const { status, body: answer } = await unchanged(() => undo(member, body))
      expect([JSON.stringify(body), status, answer.code]).toEqual([JSON.stringify(body), 400, 'VALIDATION_FAILED'])
    }
  })
})
