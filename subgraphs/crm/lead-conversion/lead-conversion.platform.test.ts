import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, contact, each, lead, opportunity } from '../../../test/builders.ts'
import { expectValidEvents, refused, refusedInputs, unchanged } from '../../../test/expectations.ts'
import { mailsTo } from '../../../test/mailbox.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { systemContext } from '../../kernel/request.ts'
import { lead as leadRecord } from '../lead/lead.record.ts'
import type { Lead } from '../lead/lead.ts'
import type { LeadConvertInput } from './conversion.ts'
import { findTargets } from './targets.ts'
import { InMemoryDefinitions } from '../../kernel/record/custom-fields.fixture.ts'

const definitions = new InMemoryDefinitions()
const platform = usePlatform({}, definitions)
let member: Member

beforeAll(async () => {
  member = await platform.member()
})
afterAll(() => expectValidEvents(platform))

const convert = (id: string, body: object = {}, by: Member = member) => by.rest.leadConvert!({ id, body })
let companies = 0
/** A company of which no other test has a record. */
const aCompany = () => {
  const name = `Company${++companies}`
  return {
    company: `${name} AS`,
    email: `jonas@${name.toLowerCase()}.example`,
    domain: `${name.toLowerCase()}.example`,
  }
}
const aLeadOf = ({ company, email }: { company: string; email: string }, values: object = {}, by: Member = member) =>
  lead(by, { company, email, ...values })
const read = async (kind: 'lead' | 'account' | 'contact' | 'opportunity', id: string) =>
  (await member.rest[kind]!({ id })).body
/** The events of the organization that were written after the call began, in order. */
async function eventsDuring<T>(call: () => Promise<T>): Promise<[T, string[]]> {
  const count = 'select count(*)::int as count from kernel.event'
  const [{ count: before }] = (await platform.query(count)) as [{ count: number }]
  const result = await call()
  const rows = await platform.query<{ type: string }>('select type from kernel.event order by id offset $1', [before])
  return [result, rows.map(({ type }) => type)]
}

describe('leadConvert', () => {
  it('creates an account, a contact and an opportunity with the values of the lead', async () => {
    const company = aCompany()
    const given = {
      website: 'https://www.x.example',
      industry: 'Logistics',
      numberOfEmployees: 85,
      annualRevenue: 9_200_000.25,
      phone: '+46 31 1',
      mobilePhone: '+46 70 1',
      title: 'Terminal Manager',
      street: 'Hamngatan 3',
      city: 'Gothenburg',
      postalCode: '411 14',
      country: 'Sweden',
      description: 'Asked for checklists.',
      leadSource: 'WEBINAR',
      leadScore: 75,
      emailOptOut: true,
      customFields: { tier: 'gold' },
    }
    const { id } = await aLeadOf(company, given)
    const [{ status, body }, events] = await eventsDuring(() => convert(id))
    expect([status, events]).toEqual([
      200,
      ['account.created', 'contact.created', 'opportunity.created', 'lead.converted'],
    ])
    expect(body).toMatchObject({
      created: { account: true, contact: true, opportunity: true },
      matchedBy: { account: null, contact: null },
    })
    const now = platform.now.toISOString()
    expect(body.lead).toMatchObject({
      status: 'CONVERTED',
      convertedAt: now,
      convertedById: member.userId,
      convertedAccountId: body.account.id,
      convertedContactId: body.contact.id,
      convertedOpportunityId: body.opportunity.id,
      version: 2,
    })
    expect(body.account).toMatchObject({
      name: company.company,
      website: given.website,
      domain: company.domain,
      industry: 'Logistics',
      phone: given.phone,
      numberOfEmployees: 85,
      annualRevenue: 9_200_000.25,
      billingStreet: 'Hamngatan 3',
      billingCity: 'Gothenburg',
      billingPostalCode: '411 14',
      billingCountry: 'Sweden',
      rating: 'HOT',
      customFields: { tier: 'gold' },
    })
    expect(body.contact).toMatchObject({
      name: 'Jonas Lindqvist',
      email: company.email,
      phone: given.phone,
      mobilePhone: given.mobilePhone,
      title: given.title,
      accountId: body.account.id,
      leadSource: 'WEBINAR',
      mailingCity: 'Gothenburg',
      emailOptOut: true,
      convertedFromLeadId: id,
      customFields: { tier: 'gold' },
    })
    expect(body.opportunity).toMatchObject({
      name: `${company.company} - `,
      accountId: body.account.id,
      primaryContactId: body.contact.id,
      amount: 0,
      closeDate: new Date(platform.now.getTime() + 90 * 86_400_000).toISOString(),
      description: given.description,
      customFields: { tier: 'gold' },
    })
    for (const kind of ['lead', 'account', 'contact', 'opportunity'] as const)
      expect(await read(kind, body[kind].id)).toEqual(body[kind])
    const event = (await platform.eventsOf(id)).at(-1)!
    expect(event.data).toMatchObject({
      record: body.lead,
      previous: { status: 'NEW', convertedAccountId: null },
      convertedAccountId: body.account.id,
      convertedContactId: body.contact.id,
      convertedOpportunityId: body.opportunity.id,
    })
  })

  it('creates the opportunity as the input says, or none', async () => {
    const first = await aLeadOf(aCompany())
    const wanted = { opportunityName: 'Cranes', amount: 18_000.5, closeDate: '2027-09-01T00:00:00.000Z' }
    const { body } = await convert(first.id, { ...wanted, stage: 'PROPOSAL' })
    expect(body.opportunity).toMatchObject({
      name: 'Cranes',
      amount: 18_000.5,
      closeDate: wanted.closeDate,
      stage: 'PROPOSAL',
      probability: 55,
    })
    const second = await aLeadOf(aCompany())
    const [without, events] = await eventsDuring(() => convert(second.id, { createOpportunity: false }))
    expect([without.body.opportunity, without.body.created.opportunity]).toEqual([null, false])
    expect(events).toEqual(['account.created', 'contact.created', 'lead.converted'])
  })

  it('names the account of a person without a company after the person', async () => {
    const { id } = await lead(member, { firstName: 'Solo', lastName: 'Person' })
    const { body } = await convert(id)
    expect([body.account.name, body.account.domain, body.opportunity.name]).toEqual([
      'Solo Person',
      null,
      'Solo Person - ',
    ])
  })

  it('gives the new records the owner of the lead, the caller if that user left, or the given one', async () => {
    const [one, other] = [await platform.member(), await platform.member()]
    const owners = async (ownerId: string, input: object = {}) => {
      const { id } = await aLeadOf(aCompany(), { ownerId })
      if (ownerId === other.userId && !('ownerId' in input))
        await platform.query('update identity.app_user set is_active = false where id = $1', [ownerId])
      const { body } = await convert(id, input)
      return ['account', 'contact', 'opportunity'].map((kind) => body[kind].ownerId)
    }
    expect(await owners(one.userId)).toEqual(Array(3).fill(one.userId))
    expect(await owners(one.userId, { ownerId: other.userId })).toEqual(Array(3).fill(other.userId))
    expect(await owners(other.userId)).toEqual(Array(3).fill(member.userId))
  })
})

describe('notifyOwner', () => {
  it('mails the owner once the lead is converted, and nobody in a dry run or if the caller is the owner', async () => {
    const owner = await platform.member()
    const [{ email }] = (await platform.query('select email from identity.admin_user where id = $1', [
      owner.userId,
    ])) as [{ email: string }]
    const { id } = await aLeadOf(aCompany(), { ownerId: owner.userId })
    const own = await aLeadOf(aCompany())
    await convert(id, { notifyOwner: true, dryRun: true })
    await convert(own.id, { notifyOwner: true })
    expect(await platform.query('select 1 from kernel.mail')).toEqual([])
    await convert(id, { notifyOwner: true })
    const mails = await mailsTo(platform, email)
    expect(mails.map(({ subject }) => subject)).toEqual(['A lead of yours was converted'])
  })
})

describe('the matching of leadConvert', () => {
  it('finds the contact by its normalized email and the account by its domain, and fills only empty fields', async () => {
    const { company, email, domain } = aCompany()
    const known = await account(member, { name: 'Other name', domain: `WWW.${domain}`, industry: 'Shipping' })
    const person = await contact(member, {
      lastName: 'Berg',
      email: email.toUpperCase(),
      title: 'CEO',
      leadSource: 'EVENT',
      customFields: { tier: 'silver' },
    })
    const { id } = await lead(member, {
      company,
      email,
      phone: '+46 1',
      title: 'Buyer',
      industry: 'Logistics',
      city: 'Oslo',
      leadSource: 'WEB',
      customFields: { tier: 'gold', route: 'R7' },
    })
    const [{ body }, events] = await eventsDuring(() => convert(id))
    expect(body).toMatchObject({
      created: { account: false, contact: false, opportunity: true },
      matchedBy: { account: 'DOMAIN', contact: 'EMAIL' },
      account: { id: known.id, name: 'Other name', industry: 'Shipping', billingCity: 'Oslo', phone: '+46 1' },
      contact: {
        id: person.id,
        lastName: 'Berg',
        firstName: 'Jonas',
        name: 'Jonas Berg',
        title: 'CEO',
        phone: '+46 1',
        leadSource: 'EVENT',
        accountId: known.id,
        convertedFromLeadId: null,
        customFields: { tier: 'silver', route: 'R7' },
      },
    })
    expect(events).toEqual(['account.updated', 'contact.updated', 'opportunity.created', 'lead.converted'])
  })

  it.each([
    ['Nordkaj Terminal AB', 'NORDKAJ  terminal'],
    ['Smith & Sons Ltd.', 'Smith, Sons'],
    ['Søndergård A/S', 'søndergård a-s'],
    ['Meyer GmbH & Co. KG', 'Meyer'],
  ])('finds the account %s by the company %s', async (name, company) => {
    const known = await account(member, { name })
    const { id } = await lead(member, { company, email: 'someone@gmail.com' })
    const { body } = await convert(id, { createOpportunity: false })
    expect([body.account.id, body.matchedBy.account]).toEqual([known.id, 'NAME'])
    await member.rest.accountDelete!({ id: known.id })
  })

  it('skips domains of public mail providers, and uses the website instead', async () => {
    await account(member, { name: 'A mail customer', domain: 'gmail.com' })
    const { company, domain } = aCompany()
    const { id } = await lead(member, { company, email: 'jonas.l@gmail.com' })
    const { body } = await convert(id)
    expect([body.created.account, body.account.domain]).toEqual([true, null])
    const known = await account(member, { name: 'By website', website: `https://${domain}/about` })
    const second = await lead(member, { company: 'Else', email: 'j.l@gmail.com', website: `http://www.${domain}` })
    const answer = await convert(second.id)
    expect([answer.body.account.id, answer.body.matchedBy.account]).toEqual([known.id, 'DOMAIN'])
  })

  it('uses the account of the contact if no account is found', async () => {
    const { company, email } = aCompany()
    const known = await account(member, { name: 'Quite another name' })
    await contact(member, { email, accountId: known.id })
    const { id } = await lead(member, { company, email })
    const { body } = await convert(id)
    expect([body.account.id, body.matchedBy]).toEqual([known.id, { account: 'CONTACT', contact: 'EMAIL' }])
  })

  it('finds no record that the caller does not see, and no deleted one', async () => {
    const own = await platform.member({ visibility: 'OWN' })
    const company = aCompany()
    await account(member, { name: company.company, domain: company.domain })
    const deleted = await contact(own, { email: company.email })
    await own.rest.contactDelete!({ id: deleted.id })
    const { id } = await aLeadOf(company, {}, own)
    const { body } = await convert(id, {}, own)
    expect(body.created).toEqual({ account: true, contact: true, opportunity: true })
  })

  it('uses the records that the input names', async () => {
    const known = await account(member)
    const person = await contact(member)
    const deal = await opportunity(member, { accountId: known.id })
    const { id } = await aLeadOf(aCompany())
    const { body } = await convert(id, { contactId: person.id, opportunityId: deal.id.toUpperCase() })
    expect(body).toMatchObject({
      account: { id: known.id },
      contact: { id: person.id, accountId: known.id },
      opportunity: { id: deal.id, primaryContactId: person.id },
      created: { account: false, contact: false, opportunity: false },
      matchedBy: { account: 'OPPORTUNITY', contact: 'ID' },
    })
  })

  it('refuses records that do not exist or do not belong together', async () => {
    const { id } = await aLeadOf(aCompany())
    const unknown = '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26'
    for (const path of ['accountId', 'contactId', 'opportunityId', 'ownerId'])
      expect(await refusedInputs(platform, () => convert(id, { [path]: unknown }))).toEqual([
        400,
        'VALIDATION_FAILED',
        `${path} UNKNOWN_REFERENCE`,
      ])
    const input = { accountId: (await account(member)).id, opportunityId: (await opportunity(member)).id }
    expect(await refusedInputs(platform, () => convert(id, input))).toEqual([
      400,
      'VALIDATION_FAILED',
      'opportunityId NOT_ALLOWED',
    ])
  })

  it('overwrites the lead source only if asked to', async () => {
    const { company, email } = aCompany()
    await contact(member, { email, leadSource: 'EVENT' })
    const { id } = await lead(member, { company, email, leadSource: 'WEB' })
    expect((await convert(id, { overwriteLeadSource: true })).body.contact.leadSource).toBe('WEB')
  })

  it('creates new records or refuses, if the strategy says so', async () => {
    const { company, email, domain } = aCompany()
    const known = await account(member, { domain })
    const person = await contact(member, { email })
    const { id } = await lead(member, { company, email })
    const { status, body } = await unchanged(platform, () => convert(id, { duplicateStrategy: 'FAIL' }))
    expect([status, body.code]).toEqual([409, 'DUPLICATE_DETECTED'])
    expect(body.errors.map(({ path, conflictingId }: Record<string, string>) => [path, conflictingId])).toEqual([
      ['accountId', known.id],
      ['contactId', person.id],
    ])
    const created = await convert(id, { duplicateStrategy: 'CREATE_NEW' })
    expect(created.body.created).toEqual({ account: true, contact: true, opportunity: true })
  })
})

describe('the custom fields of a converted lead', () => {
  it('are copied to the field with the same API name if it accepts the value', async () => {
    const organizationId = await platform.organization('Defined')
    definitions.define(organizationId, {
      lead: [
        { name: 'tier', kind: 'enum', members: ['HOT', 'COLD'] },
        { name: 'seats', kind: 'money' },
        { name: 'onlyLead', kind: 'text' },
      ],
      account: [
        { name: 'tier', kind: 'enum', members: ['HOT'] },
        { name: 'seats', kind: 'text' },
      ],
      contact: [{ name: 'tier', kind: 'enum', members: ['COLD'] }],
      opportunity: [{ name: 'seats', kind: 'money', maximum: 40 }],
    })
    const user = await platform.member({ organizationId })
    const customFields = { tier: 'HOT', seats: 40, onlyLead: 'x' }
    const { id } = await aLeadOf(aCompany(), { customFields }, user)
    const { body } = await convert(id, {}, user)
    expect(['account', 'contact', 'opportunity'].map((kind) => body[kind].customFields)).toEqual([
      { tier: 'HOT' },
      {},
      { seats: 40 },
    ])
  })
})

describe('the tasks and activities of a converted lead', () => {
  it('move to the contact, with their other records, also those that the caller does not see', async () => {
    const own = await platform.member({ visibility: 'OWN' })
    const { id } = await aLeadOf(aCompany(), {}, own)
    const related = { relatedToType: 'LEAD', relatedToId: id }
    const task = (await member.rest.taskCreate!({ body: { subject: 'Call', ...related } })).body
    const call = { type: 'CALL', direction: 'OUTBOUND', subject: 'Intro', ...related }
    const activity = (await own.rest.activityCreate!({ body: call })).body
    expect([task.leadId, activity.leadId]).toEqual([id, id])
    const { body } = await convert(id, {}, own)
    const links = {
      relatedToType: 'CONTACT',
      relatedToId: body.contact.id,
      contactId: body.contact.id,
      leadId: null,
      accountId: body.account.id,
      opportunityId: body.opportunity.id,
    }
    expect((await member.rest.task!({ id: task.id })).body).toMatchObject(links)
    expect((await member.rest.activity!({ id: activity.id })).body).toMatchObject(links)
    expect(await platform.eventTypesOf(task.id)).toEqual(['task.created', 'task.updated'])
  })

  it('move together, each with its version and its event, and the dates of all records follow', async () => {
    const { id } = await aLeadOf(aCompany())
    const { id: otherAccount } = await account(member)
    const related = { relatedToType: 'LEAD', relatedToId: id }
    const tasks = await each(
      Array.from({ length: 60 }, (_, index) => index),
      async (index) => {
        const named = index % 2 === 0 ? related : { relatedToType: 'ACCOUNT', relatedToId: otherAccount, leadId: id }
        const body = { subject: `Call ${index}`, dueDate: '2027-03-01T00:00:00.000Z', ...named }
        return (await member.rest.taskCreate!({ body })).body
      },
    )
    const before = await read('lead', id)
    expect(before.nextActivityDate).toBe('2027-03-01T00:00:00.000Z')
    const { body } = await convert(id)
    const rows = await platform.query<{ type: string; data: { changedFields: string[]; previous: object } }>(
      `select type, data from kernel.event where record_id = any($1::uuid[]) and type = 'task.updated'`,
      [tasks.map((one) => one.id)],
    )
    expect(rows).toHaveLength(60)
    expect(rows.filter(({ data }) => data.changedFields.includes('leadId'))).toHaveLength(60)
    const moved = await each([tasks[0], tasks[1]], async (one) => (await member.rest.task!({ id: one.id })).body)
    expect(moved).toMatchObject([
      { version: 2, relatedToType: 'CONTACT', leadId: null, accountId: body.account.id, contactId: body.contact.id },
      { version: 2, relatedToType: 'ACCOUNT', leadId: null, accountId: otherAccount, contactId: body.contact.id },
    ])
    expect((await read('contact', body.contact.id)).nextActivityDate).toBe('2027-03-01T00:00:00.000Z')
    expect((await read('lead', id)).nextActivityDate).toBe(null)
  })

  it('wait for no transaction that names the lead and the account of its conversion, and it waits for no conversion', async () => {
    const company = aCompany()
    const { id: accountId } = await account(member, { name: company.company, domain: company.domain })
    for (let round = 0; round < 4; round++) {
      const { id: leadId } = await aLeadOf({ ...company, email: `round${round}.${company.email}` })
      const call = { type: 'CALL', direction: 'OUTBOUND', subject: 'Intro', leadId, accountId }
      await member.rest.activityCreate!({ body: call })
      const answers = await Promise.all([
        ...Array.from({ length: 6 }, () => member.rest.activityCreate!({ body: call })),
        convert(leadId, { accountId }),
        ...Array.from({ length: 6 }, () => member.rest.activityCreate!({ body: call })),
      ])
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
      expect(answers[6]!.status).toBe(200)
    }
  })
})

describe('the plan of the matching', () => {
  it('finds the domain, the name and the email through their indexes', async () => {
    const { id } = await aLeadOf(aCompany())
    const ctx = systemContext(platform.services, member.organizationId)
    const statements: (readonly [string, readonly unknown[]])[] = []
    const db = {
      ...ctx.db,
      query: <R>(text: string, values: readonly unknown[] = []) => {
        statements.push([text, values])
        return platform.services.tenants.of(member.organizationId).query<R>(text, values)
      },
    } as typeof ctx.db
    const input = { createOpportunity: true, duplicateStrategy: 'MATCH_EXISTING' } as LeadConvertInput
    await findTargets({ ...ctx, db }, (await requireRecord(ctx, leadRecord, id)) as Lead, input)
    const [text, values] = statements.at(-1)!
    const plan = await platform.services.tenants.of(member.organizationId).transaction(async (sql) => {
      await sql.query('set local enable_seqscan = off')
      return sql.query<Record<string, string>>(`explain (costs off) ${text}`, values)
    })
    const conditions = plan.map((row) => Object.values(row)[0]!).filter((line) => line.includes('Index Cond'))
    for (const column of ['normalized_domain = given.domain', 'normalized_name = given.name', 'normalized_email = '])
      expect(conditions.filter((line) => line.includes(column)).length).toBe(1)
  })
})

describe('the states of leadConvert', () => {
  it('answers a second call with 409 and the three ids', async () => {
    const { id } = await aLeadOf(aCompany())
    const { body: first } = await convert(id)
    const { status, body } = await unchanged(platform, () => convert(id))
    expect([status, body]).toMatchObject([
      409,
      {
        code: 'INVALID_STATE',
        allowed: [],
        convertedAccountId: first.account.id,
        convertedContactId: first.contact.id,
        convertedOpportunityId: first.opportunity.id,
      },
    ])
  })

  it('makes the lead read-only', async () => {
    const { id } = await aLeadOf(aCompany())
    await convert(id)
    const { rest } = member
    const changes = [
      () => rest.leadUpdate!({ id, body: { title: 'CEO' } }),
      () => rest.leadUpdate!({ id, body: { status: 'NEW' } }),
      () => rest.leadDelete!({ id }),
    ]
    for (const call of changes) expect(await refused(platform, call)).toEqual([409, 'INVALID_STATE'])
    const bulk = await unchanged(platform, () => rest.leadBulkDelete!({ body: { ids: [id] } }))
    expect(bulk.body.results[0].code).toBe('INVALID_STATE')
  })

  it('refuses an UNQUALIFIED lead', async () => {
    const { id } = await aLeadOf(aCompany(), { status: 'UNQUALIFIED' })
    const { status, body } = await unchanged(platform, () => convert(id))
    expect([status, body.code, body.allowed]).toEqual([409, 'INVALID_STATE', ['NEW']])
  })

  it('refuses another version than the expected one', async () => {
    const { id } = await aLeadOf(aCompany())
    const call = () => member.rest.leadConvert!({ id, body: {}, headers: { 'If-Match': '"2"' } })
    expect(await refused(platform, call)).toEqual([409, 'VERSION_CONFLICT'])
  })

  it('converts once when twenty requests arrive at once', async () => {
    const { id } = await aLeadOf(aCompany())
    const [answers, events] = await eventsDuring(() => Promise.all(Array.from({ length: 20 }, () => convert(id))))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(19).fill(409)])
    const won = answers.find(({ status }) => status === 200)!.body
    for (const { status, body } of answers) if (status === 409) expect(body.convertedContactId).toBe(won.contact.id)
    expect(events).toEqual(['account.created', 'contact.created', 'opportunity.created', 'lead.converted'])
  })

  it('answers what would happen and changes nothing in a dry run', async () => {
    const { id } = await aLeadOf(aCompany())
    const { status, body } = await unchanged(platform, () => convert(id, { dryRun: true, amount: 5 }))
    expect([status, body]).toMatchObject([
      200,
      {
        lead: { id, status: 'CONVERTED' },
        opportunity: { amount: 5 },
        created: { account: true, contact: true, opportunity: true },
      },
    ])
    expect((await read('lead', id)).status).toBe('NEW')
    expect((await convert(id)).body.created).toEqual(body.created)
  })

  it('takes everything back when the opportunity is refused', async () => {
    const { id } = await aLeadOf(aCompany())
    const { status } = await unchanged(platform, () => convert(id, { stage: 'NO_SUCH_STAGE' }))
    expect(status).toBe(400)
  })

  it('replays the answer under an Idempotency-Key', async () => {
    const { id } = await aLeadOf(aCompany())
    const call = () => member.rest.leadConvert!({ id, body: {}, headers: { 'Idempotency-Key': `convert-${id}` } })
    const [first, second] = await each([1, 2], call)
    expect([first!.status, second!.status]).toEqual([200, 200])
    expect(second!.body).toEqual(first!.body)
  })

  it('is an edge of the account, the contact and the opportunity', async () => {
    const { id } = await aLeadOf(aCompany())
    const { body } = await convert(id)
    const { body: graph } = await member.graphql(
      `query ($id: ID!, $account: ID!, $contact: ID!, $opportunity: ID!) {
        lead(id: $id) { convertedAccount { id } convertedContact { id } convertedOpportunity { id } convertedBy { id } }
        account(id: $account) { convertedLeads { nodes { id } } }
        contact(id: $contact) { convertedLeads { nodes { id } } }
        opportunity(id: $opportunity) { convertedLeads { nodes { id } } }
        leadList(filter: { convertedAccount: { id: { eq: $account } } }) { data { id } }
      }`,
      { id, account: body.account.id, contact: body.contact.id, opportunity: body.opportunity.id },
    )
    const leads = { convertedLeads: { nodes: [{ id }] } }
    expect(graph).toEqual({
      data: {
        lead: {
          convertedAccount: { id: body.account.id },
          convertedContact: { id: body.contact.id },
          convertedOpportunity: { id: body.opportunity.id },
          convertedBy: { id: member.userId },
        },
        account: leads,
        contact: leads,
        opportunity: leads,
        leadList: { data: [{ id }] },
      },
    })
  })
})
