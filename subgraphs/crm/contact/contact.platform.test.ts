import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, aContact, contact, each, supportCase } from '../../../test/builders.ts'
import { expectValidEvents, refused, refusedInputs, values } from '../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { statementsOf } from '../../../test/statements.ts'
import { contactOptOuts } from './contact.migrations.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})
afterAll(() => expectValidEvents(platform))

const read = async (id: string) => (await member.rest.contact!({ id })).body
const patch = (id: string, body: object) => member.rest.contactUpdate!({ id, body })
const edges = (connection: { nodes: { name: string }[] }) => connection.nodes.map(({ name }) => name)

describe('contactCreate', () => {
  it('derives the name from the first and the last name', async () => {
    const { id, name, salutation } = await contact(member, { firstName: ' Ingrid ', salutation: 'Ms.' })
    expect([name, salutation]).toEqual(['Ingrid Halvorsen', 'Ms.'])
    expect((await patch(id, { firstName: null, lastName: 'Berg' })).body).toMatchObject({ name: 'Berg', version: 2 })
    const [, updated] = await platform.eventsOf(id)
    expect(updated!.data.changedFields).toEqual(['name', 'firstName', 'lastName'])
  })

  it('stores emails as they were entered', async () => {
    const given = { email: 'Ingrid@Halvorsen.Example', secondaryEmails: ['I.H@mail.example'] }
    expect(await contact(member, given)).toMatchObject(given)
  })

  it.each<[string, object, string]>([
    ['a text that is no email', { email: 'ingrid' }, 'email NOT_AN_EMAIL'],
    ['a further email that is none', { secondaryEmails: ['a@b.example', 'b'] }, 'secondaryEmails.1 NOT_AN_EMAIL'],
    ['an unknown time zone', { timezone: 'Nowhere/Land' }, 'timezone NOT_A_TIMEZONE'],
    ['a primary contact without an account', { isPrimary: true }, 'isPrimary REQUIRED'],
    ['an unknown account', { accountId: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26' }, 'accountId UNKNOWN_REFERENCE'],
    ['an unknown consent', { consent: { status: 'MAYBE' } }, 'consent.status NOT_ALLOWED'],
  ])('refuses %s', async (_, given, problem) => {
    const create = () => member.rest.contactCreate!({ body: aContact(given) })
    const answer = await refusedInputs(platform, create)
    expect(answer.slice(0, 2)).toEqual([400, 'VALIDATION_FAILED'])
    expect(String(answer[2]).split(' ')[0]).toBe(problem.split(' ')[0])
  })
})

describe('consent', () => {
  it('records when its status is set to another value, and only then', async () => {
    const first = platform.now.toISOString()
    const { id, consent } = await contact(member, { consent: { status: 'GRANTED', source: 'Fair' } })
    expect(consent).toEqual({ status: 'GRANTED', lawfulBasis: null, source: 'Fair', recordedAt: first })
    platform.advanceClock(60_000)
    expect((await patch(id, { consent: { status: 'GRANTED', source: 'Form' } })).body.consent).toEqual({
      ...consent,
      source: 'Form',
    })
    const { body } = await patch(id, { consent: { status: 'DENIED' } })
    expect(body.consent).toEqual({
      status: 'DENIED',
      lawfulBasis: null,
      source: null,
      recordedAt: platform.now.toISOString(),
    })
  })
})

describe('reportsToId', () => {
  it('refuses a cycle and changes nothing', async () => {
    const boss = await contact(member)
    const manager = await contact(member, { reportsToId: boss.id })
    const worker = await contact(member, { reportsToId: manager.id })
    for (const reportsToId of [boss.id, manager.id, worker.id])
      expect(await refusedInputs(platform, () => patch(boss.id, { reportsToId }))).toEqual([
        400,
        'VALIDATION_FAILED',
        'reportsToId CIRCULAR',
      ])
  })

  it('refuses a cycle that two concurrent changes would form', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, other] = await each([1, 2], () => contact(member))
      const answers = await Promise.all([
        patch(one.id, { reportsToId: other.id }),
        patch(other.id, { reportsToId: one.id }),
      ])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    }
  })

  it('refuses a cycle in a bulk update', async () => {
    const [one, other] = await each([1, 2], () => contact(member))
    const items = [
      { id: one.id, reportsToId: other.id },
      { id: other.id, reportsToId: one.id },
    ]
    const { body } = await member.rest.contactBulkUpdate!({ body: { items } })
    expect([body.succeeded, body.failed]).toEqual([1, 1])
  })
})

describe('isPrimary', () => {
  it('moves from the former primary contact of the account, which gets an event', async () => {
    const { id: accountId } = await account(member)
    const former = await contact(member, { accountId, isPrimary: true })
    const next = await contact(member, { accountId })
    expect((await patch(next.id, { isPrimary: true })).body.isPrimary).toBe(true)
    expect(await read(former.id)).toMatchObject({ isPrimary: false, version: 2, updatedById: member.userId })
    const [, event] = await platform.eventsOf(former.id)
    expect([event!.type, event!.data.changedFields]).toEqual(['contact.updated', ['isPrimary']])
  })

  it('moves from a contact that the caller does not see', async () => {
    const own = await platform.member({ visibility: 'OWN' })
    const { id: accountId } = await account(own)
    const former = await contact(member, { accountId, isPrimary: true })
    const next = await contact(own, { accountId, isPrimary: true })
    expect([next.isPrimary, (await read(former.id)).isPrimary]).toEqual([true, false])
  })

  it('ends when the contact is deleted or moves to another account', async () => {
    const accounts = await each([1, 2], () => account(member))
    const body = { accountId: accounts[0]!.id, isPrimary: true }
    const { id } = await contact(member, body)
    expect((await patch(id, { accountId: accounts[1]!.id })).body.isPrimary).toBe(false)
    expect((await patch(id, body)).body.isPrimary).toBe(true)
    await member.rest.contactDelete!({ id })
    const other = await contact(member, body)
    expect((await member.rest.contactRestore!({ id })).body.isPrimary).toBe(false)
    expect((await read(other.id)).isPrimary).toBe(true)
  })

  it('belongs to exactly one contact after concurrent changes, in single and in bulk requests', async () => {
    const { id: accountId } = await account(member)
    const contacts = await each(Array.from({ length: 8 }), () => contact(member, { accountId }))
    const items = contacts.toReversed().map(({ id }) => ({ id, isPrimary: true }))
    const answers = await Promise.all([
      ...contacts.map(({ id }) => patch(id, { isPrimary: true })),
      member.rest.contactBulkUpdate!({ body: { items } }),
      ...contacts.map(({ id }) => patch(id, { title: 'Buyer' })),
      member.rest.contactCreate!({ body: aContact({ accountId, isPrimary: true }) }),
    ])
    expect(answers.filter(({ status }) => status >= 300).map(({ body }) => body)).toEqual([])
    const primary = await member.rest.contactList!({ query: { accountId, isPrimary: 'true' } })
    expect(primary.body.total).toBe(1)
  })
})

describe('the number of contacts that are not primary', () => {
  let all: Member
  let own: Member

  beforeAll(async () => {
    const organizationId = await platform.organization()
    all = await platform.member({ organizationId })
    own = await platform.member({ organizationId, visibility: 'OWN' })
    for (const owner of [all, all, own]) {
      const { id: accountId } = await account(owner)
      await contact(owner, { accountId, isPrimary: true, emailStatus: 'VALID' })
      await contact(owner, { accountId, emailStatus: 'VALID', seniority: 'VP' })
      await contact(owner, { accountId, title: 'Buyer' })
    }
    const { id } = await contact(all, {})
    await all.rest.contactDelete!({ id })
    await contact(member, {})
  })

  it.each<[query: Readonly<Record<string, string>>, ofAll: number, ofOwn: number]>([
    [{ isPrimary: 'false' }, 6, 2],
    [{ isPrimary: 'true' }, 3, 1],
    [{ isPrimary: 'false', emailStatus: 'VALID' }, 3, 1],
    [{ isPrimary: 'false', emailStatus: 'VALID', seniority: 'VP' }, 3, 1],
    [{ isPrimary: 'false', seniority: 'C_LEVEL' }, 0, 0],
    [{ isPrimary: 'false', search: 'buyer' }, 3, 1],
    [{ isPrimary: 'false', page: '100' }, 6, 2],
  ])('is exact with %j', async (query, ofAll, ofOwn) => {
    expect((await all.rest.contactList!({ query })).body.total).toBe(ofAll)
    expect((await own.rest.contactList!({ query })).body.total).toBe(ofOwn)
  })

  it('is the maintained total less the primary contacts', async () => {
    const statements = await statementsOf(platform, () => all.rest.contactList!({ query: { isPrimary: 'false' } }))
    expect(statements).toHaveLength(1)
    expect(statements[0]).toContain('contact_totals t')
    expect(statements[0]).toContain(' - (select count(*) from tenant.crm_contact t ')
  })
})

describe('uniqueContactEmail', () => {
  const setting = (organizationId: string, isUnique: boolean) =>
    platform.query('update identity.organization set settings = $2 where id = $1', [
      organizationId,
      JSON.stringify({ uniqueContactEmail: isUnique }),
    ])

  it('is off by default', async () => {
    for (const email of ['ann@default.example', 'ANN@default.example']) await contact(member, { email })
  })

  it('refuses an email that another live contact has, and names that contact if the caller sees it', async () => {
    const organizationId = await platform.organization('Unique')
    const [all, own] = [
      await platform.member({ organizationId }),
      await platform.member({ organizationId, visibility: 'OWN' }),
    ]
    await setting(organizationId, true)
    const { id } = await contact(all, { email: 'Ann@Unique.example' })
    const create = (creator: Member) => () =>
      creator.rest.contactCreate!({ body: aContact({ email: ' ann@unique.EXAMPLE' }) })
    expect(await refused(platform, create(all))).toEqual([409, 'UNIQUE_VIOLATION'])
    expect((await create(all)()).body.errors).toEqual([
      { path: 'email', code: 'NOT_UNIQUE', message: 'Another contact already has this email.', conflictingId: id },
    ])
    expect((await create(own)()).body.errors[0].conflictingId).toBeUndefined()
    expect((await all.rest.contactUpdate!({ id, body: { email: 'ANN@unique.example' } })).status).toBe(200)

    await all.rest.contactDelete!({ id })
    expect((await create(own)()).status).toBe(201)
    expect(await refused(platform, () => all.rest.contactRestore!({ id }))).toEqual([409, 'UNIQUE_VIOLATION'])
  })

  it('accepts one of twenty concurrent contacts with the same email', async () => {
    const organizationId = await platform.organization('Twenty')
    const creator = await platform.member({ organizationId })
    await setting(organizationId, true)
    const create = () => creator.rest.contactCreate!({ body: aContact({ email: 'ann@twenty.example' }) })
    const answers = await Promise.all(Array.from({ length: 20 }, create))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'UNIQUE_VIOLATION')).toHaveLength(19)
  })
})

describe('emails that change at the same time', () => {
  it('with the same If-Match change once; the others are told the current version', async () => {
    const { id } = await contact(member, { email: 'ann@first.example' })
    const change = (index: number) =>
      member.rest.contactUpdate!({ id, body: { email: `ann@${index}.example` }, headers: { 'If-Match': '"1"' } })
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => change(index)))
    const [changed, ...others] = answers.toSorted((a, b) => a.status - b.status)
    expect(changed!.status).toBe(200)
    expect(others.map(({ body }) => [body.code, body.currentVersion])).toEqual(
      others.map(() => ['VERSION_CONFLICT', 2]),
    )
    expect(await read(id)).toMatchObject({ email: changed!.body.email, version: 2 })
  })
})

describe('relations of contacts', () => {
  let ids: Record<'account' | 'boss' | 'worker' | 'case', string>
  beforeAll(async () => {
    const { id: accountId } = await account(member, { name: 'Relations AS' })
    const boss = await contact(member, { lastName: 'Boss', accountId })
    const worker = await contact(member, { lastName: 'Worker', accountId, reportsToId: boss.id })
    const { id } = await supportCase(member, { contactId: worker.id, subject: 'Relations' })
    ids = { account: accountId, boss: boss.id, worker: worker.id, case: id }
  })

  it('are edges in both directions to accounts, cases and contacts', async () => {
    const { body } = await member.graphql(
      `query ($account: ID!, $worker: ID!, $boss: ID!, $case: ID!) {
        account(id: $account) { contacts(orderBy: [{ field: name, direction: ASC }]) { nodes { name account { name } } } }
        worker: contact(id: $worker) { account { name } reportsTo { name } owner { id } cases { nodes { subject } } }
        boss: contact(id: $boss) { directReports { nodes { name } } }
        case(id: $case) { contact { name } }
      }`,
      ids,
    )
    const { data, errors } = body
    expect(errors).toBeUndefined()
    expect(data.account.contacts.nodes).toEqual(
      ['Boss', 'Worker'].map((name) => ({ name, account: { name: 'Relations AS' } })),
    )
    expect(data.worker).toEqual({
      account: { name: 'Relations AS' },
      reportsTo: { name: 'Boss' },
      owner: { id: member.userId },
      cases: { nodes: [{ subject: 'Relations' }] },
    })
    expect(edges(data.boss.directReports)).toEqual(['Worker'])
    expect(data.case.contact).toEqual({ name: 'Worker' })
  })

  it('are conditions of filters', async () => {
    const { body } = await member.graphql(`{
      accountList(filter: { contacts: { some: { lastName: { eq: "Boss" } } } }) { data { name } }
      caseList(filter: { contact: { reportsTo: { lastName: { eq: "Boss" } } } }) { data { subject } }
      contactList(filter: { cases: { some: { subject: { eq: "Relations" } } } }) { data { name } }
      reports: contactList(filter: { directReports: { some: { account: { name: { eq: "Relations AS" } } } } }) { data { name } }
    }`)
    expect(body).toEqual({
      data: {
        accountList: { data: [{ name: 'Relations AS' }] },
        caseList: { data: [{ subject: 'Relations' }] },
        contactList: { data: [{ name: 'Worker' }] },
        reports: { data: [{ name: 'Boss' }] },
      },
    })
  })

  it('are checked: a case must be about a contact that the caller sees', async () => {
    const own = await platform.member({ visibility: 'OWN' })
    const create = () => own.rest.caseCreate!({ body: { subject: 'Hidden', contactId: ids.worker } })
    expect(await refusedInputs(platform, create)).toEqual([400, 'VALIDATION_FAILED', 'contactId UNKNOWN_REFERENCE'])
  })

  it('are filters of the REST list', async () => {
    const answer = await member.rest.contactList!({ query: { reportsToId: ids.boss } })
    expect(values(answer, 'name')).toEqual(['Worker'])
  })
})

describe('a contact who has unsubscribed', () => {
  const unsubscribed = { emailStatus: 'UNSUBSCRIBED', emailOptOut: true }

  it('says so in both fields, however that became known', async () => {
    const { id } = await contact(member, { emailStatus: 'VALID' })
    const { id: other } = await contact(member)
    await member.rest.contactBulkUpdate!({ body: { items: [{ id: other, emailStatus: 'UNSUBSCRIBED' }] } })
    expect([
      await contact(member, { emailStatus: 'UNSUBSCRIBED' }),
      await contact(member, { emailStatus: 'UNSUBSCRIBED', emailOptOut: false }),
      (await patch(id, { emailStatus: 'UNSUBSCRIBED' })).body,
      (await patch(id, { emailStatus: 'UNSUBSCRIBED', emailOptOut: false })).body,
      (await patch(id, { title: 'Buyer' })).body,
      await read(other as string),
    ]).toMatchObject(Array.from({ length: 6 }, () => unsubscribed))
    const [, updated] = await platform.eventsOf(id)
    expect(updated!.data.changedFields).toEqual(['emailStatus', 'emailOptOut'])
  })

  it('says neither after the opt-out was taken back', async () => {
    const { id } = await contact(member, { emailStatus: 'UNSUBSCRIBED' })
    expect((await patch(id, { emailOptOut: false })).body).toMatchObject({ emailStatus: 'UNKNOWN', emailOptOut: false })
  })

  it('says so after an update of the platform, too', async () => {
    const [{ id }, { id: valid }] = [await contact(member), await contact(member, { emailStatus: 'VALID' })]
    await platform.query(`update crm.contact set email_status = 'UNSUBSCRIBED' where id = $1`, [id])
    await platform.query(contactOptOuts.sql)
    expect(await read(id)).toMatchObject({ ...unsubscribed, version: 2 })
    expect(await read(valid)).toMatchObject({ emailOptOut: false, version: 1 })
  })
})

describe('contactStats', () => {
  it('counts the live contacts that the caller sees', async () => {
    const reader = await platform.member({ organizationId: await platform.organization('Stats') })
    const { id: accountId } = await account(reader)
    await contact(reader, { accountId, status: 'INACTIVE', leadSource: 'WEB', emailOptOut: true })
    await contact(reader, { lifecycleStage: 'CUSTOMER', emailStatus: 'VALID', doNotCall: true })
    const { id } = await contact(reader)
    await reader.rest.contactDelete!({ id })
    expect((await reader.rest.contactStats!()).body).toMatchObject({
      total: 2,
      byStatus: { ACTIVE: 1, INACTIVE: 1 },
      byEmailStatus: { UNKNOWN: 1, VALID: 1 },
      byLifecycleStage: { CUSTOMER: 1 },
      byLeadSource: { WEB: 1, OTHER: 0 },
      emailOptOut: 1,
      doNotCall: 1,
      withoutAccount: 1,
    })
  })
})
