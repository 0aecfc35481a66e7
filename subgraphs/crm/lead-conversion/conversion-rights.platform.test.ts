import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, contact, lead, opportunity } from '../../../test/builders.ts'
import { expectValidEvents, refusedInputs, unchanged } from '../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { systemContext } from '../../kernel/request.ts'

const platform = usePlatform()
let admin: Member
let own: Member

beforeAll(async () => {
  admin = await platform.member({ role: 'ADMIN' })
  own = await platform.member({ visibility: 'OWN' })
})
afterAll(() => expectValidEvents(platform))

const convert = (by: Member, id: string, body: object) => by.rest.leadConvert!({ id, body })

describe('a conversion by a user who sees only his own records', () => {
  it.each([true, false])(
    'neither answers nor changes the account, out of sight, of an opportunity that he sees (dryRun: %s)',
    async (dryRun) => {
      const hidden = await account(admin, { name: 'Out of sight' })
      const deal = await opportunity(admin, { accountId: hidden.id, ownerId: own.userId })
      expect((await own.rest.opportunity!({ id: deal.id })).status).toBe(200)
      expect((await own.rest.account!({ id: hidden.id })).status).toBe(404)
      const { id } = await lead(own, { company: 'Fjordline', website: 'https://fjordline.example', phone: '+47 1' })
      const call = () => convert(own, id, { opportunityId: deal.id, dryRun })
      expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', 'opportunityId NOT_ALLOWED'])
      expect((await admin.rest.account!({ id: hidden.id })).body).toMatchObject({ version: 1, phone: null })
    },
  )

  it('leaves the account, out of sight, of a contact that he sees', async () => {
    const hidden = await account(admin, { name: 'Of the contact' })
    const person = await contact(admin, { accountId: hidden.id, ownerId: own.userId, email: 'of@contact.example' })
    const { id } = await lead(own, { company: 'Nordkaj', email: 'of@contact.example', phone: '+47 2' })
    const { status, body } = await convert(own, id, {})
    expect([status, body.contact.id, body.created.account]).toEqual([200, person.id, true])
    expect((await admin.rest.account!({ id: hidden.id })).body).toMatchObject({ version: 1, phone: null })
  })

  it('creates records for another owner, which refer to each other', async () => {
    const { id } = await lead(own, { company: 'For a colleague', email: 'x@for-a-colleague.example' })
    const { status, body } = await convert(own, id, { ownerId: admin.userId })
    expect([status, body.opportunity.accountId, body.opportunity.primaryContactId, body.account.ownerId]).toEqual([
      200,
      body.account.id,
      body.contact.id,
      admin.userId,
    ])
    expect((await own.rest.account!({ id: body.account.id })).status).toBe(404)
  })
})

describe('the rights to the fields that a conversion writes for its input', () => {
  it.each([
    ['opportunity', 'closeDate', {}],
    ['opportunity', 'amount', { amount: 5 }],
    ['opportunity', 'ownerId', 'OWNER'],
    ['account', 'ownerId', 'OWNER'],
    ['contact', 'ownerId', 'OWNER'],
    ['contact', 'leadSource', { overwriteLeadSource: true }],
  ] as const)('to %s.%s are checked before the state of the lead', async (object, field, given) => {
    const member = await platform.member()
    const ctx = systemContext(platform.services, member.organizationId)
    const fields = { [object]: { [field]: 'READ' as const } }
    const profile = await createProfile(ctx, { name: `No ${object} ${field}`, fields })
    await assignProfile(ctx, member.userId, profile.id)
    const body = given === 'OWNER' ? { ownerId: admin.userId } : given
    const converted = (await lead(admin, { company: 'Converted' })).id
    expect((await convert(admin, converted, {})).status).toBe(200)
    const open = (await lead(admin, { company: `Open ${object} ${field}` })).id
    for (const id of [converted, open])
      for (const dryRun of [true, false]) {
        const call = () => convert(member, id, { ...body, dryRun })
        expect((await refusedInputs(platform, call)).slice(0, 2)).toEqual([403, 'FIELD_NOT_WRITABLE'])
      }
    // Without what needs the right, the state counts.
    const { status } = await convert(member, converted, { createOpportunity: false })
    expect(status).toBe(409)
  })
})

describe('a dry run by a user whose profile hides fields of leads', () => {
  it('shows none of their values, in no record of the answer', async () => {
    const member = await platform.member()
    const ctx = systemContext(platform.services, member.organizationId)
    const names = ['email', 'phone', 'company', 'website', 'annualRevenue', 'city', 'description', 'customFields.tier']
    const fields = { lead: Object.fromEntries(names.map((name) => [name, 'HIDDEN'])) }
    const profile = await createProfile(ctx, { name: 'No details of leads', fields })
    await assignProfile(ctx, member.userId, profile.id)
    await contact(admin, { email: 'Secret@Needle.example' })
    await account(admin, { domain: 'needle.example' })
    const { id } = await lead(admin, {
      firstName: 'Jonas',
      lastName: 'Berg',
      title: 'Manager',
      email: 'secret@needle.example',
      phone: 'needle-phone',
      company: 'needle-company',
      website: 'https://needle.example',
      annualRevenue: 987_654_321,
      city: 'needle-city',
      description: 'needle-text',
      customFields: { tier: 'needle-tier', size: 'L' },
    })
    const { status, body } = await unchanged(platform, () => convert(member, id, { dryRun: true }))
    expect([status, body.contact.title, body.contact.customFields, body.account.name]).toEqual([
      200,
      'Manager',
      { size: 'L' },
      'Jonas Berg',
    ])
    expect(JSON.stringify(body)).not.toMatch(/needle|987654321/i)
    // The conversion itself takes over everything.
    const { id: contactId } = (await convert(member, id, { duplicateStrategy: 'CREATE_NEW' })).body.contact
    expect((await admin.rest.contact!({ id: contactId })).body).toMatchObject({
      phone: 'needle-phone',
      mailingCity: 'needle-city',
      customFields: { tier: 'needle-tier', size: 'L' },
    })
  })
})

describe('conversions at the same time', () => {
  it.each([
    ['one company and one email', () => ({ company: 'Twenty AS', email: 'ann@twenty.example' }), [1, 1]],
    ['one company by its name', (n: number) => ({ company: 'Name Ltd.', email: `n${n}@gmail.com` }), [1, 20]],
    ['one domain', (n: number) => ({ company: `C${n}`, email: `d${n}@domain-of-all.example` }), [1, 20]],
    [
      'companies and domains that meet crosswise',
      (n: number) => ({ company: `Cross ${n % 2}`, email: `x@cross${(n >> 1) % 2}.example` }),
      null,
    ],
  ] as const)('of twenty leads of %s make one of each', async (_what, valuesOf, expected) => {
    const user = await platform.member({ organizationId: await platform.organization('Twenty') })
    const leads = []
    for (let n = 0; n < 20; n++) leads.push(await lead(user, valuesOf(n)))
    const answers = await Promise.all(leads.map(({ id }) => convert(user, id, {})))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const distinct = (kind: string) => new Set(answers.map(({ body }) => body[kind].id)).size
    const created = (kind: string) => answers.filter(({ body }) => body.created[kind]).length
    if (expected) expect([distinct('account'), distinct('contact')]).toEqual(expected)
    else expect([distinct('account') <= 2, distinct('contact')]).toEqual([true, 2])
    expect([created('account'), created('contact')]).toEqual([distinct('account'), distinct('contact')])
    expect(new Set(answers.map(({ body }) => body.opportunity.id)).size).toBe(20)
  })
})
