import { beforeAll, describe, expect, it } from 'vitest'
import { lead } from '../../../test/builders.ts'
import { refusedInputs, unchanged } from '../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { storedEvents } from '../../../test/stored-events.ts'

const platform = usePlatform()
let member: Member
beforeAll(async () => {
  member = await platform.member()
})

const missing = [400, 'VALIDATION_FAILED', 'lastName REQUIRED']

describe('a lead needs a last name, a company or an email address', () => {
  it.each<[string, object]>([
    ['lastName', { lastName: 'Lindqvist' }],
    ['company', { company: 'Nordkaj Terminal AB' }],
    ['email', { email: 'jonas@nordkaj.example' }],
  ])('is created with %s only; names that are not given are empty', async (_, given) => {
    const { status, body } = await member.rest.leadCreate!({ body: given })
    expect(status, JSON.stringify(body)).toBe(201)

    const lastName = (given as { lastName?: string }).lastName ?? ''
    expect([body.firstName, body.lastName, body.name]).toEqual(['', lastName, lastName])
    const [event] = await storedEvents<{ data: { record: Record<string, unknown> } }>(
      platform.query.bind(platform),
      `select data from kernel.event where record_id = $1`,
      [body.id],
    )
    expect([event!.data.record['firstName'], event!.data.record['lastName']]).toEqual(['', lastName])
  })

  it.each<[string, object]>([
    ['nothing', {}],
    ['a first name only', { firstName: 'Jonas' }],
    ['white space', { lastName: ' ', company: '  ' }],
  ])('is refused with %s, which names all three', async (_, body) => {
    expect(await refusedInputs(platform, () => member.rest.leadCreate!({ body }))).toEqual(missing)
    expect((await member.rest.leadCreate!({ body })).body.detail).toBe(
      'A lead must have at least one of lastName, company and email.',
    )
  })

  it('keeps the last of the three, and lets the others go', async () => {
    const { id } = await lead(member, { firstName: '', company: 'Nordkaj', email: 'a@nordkaj.example' })
    const { status, body } = await member.rest.leadUpdate!({ id, body: { lastName: '', company: null } })
    expect([status, body.lastName, body.company]).toEqual([200, '', null])
    expect(await refusedInputs(platform, () => member.rest.leadUpdate!({ id, body: { email: null } }))).toEqual(missing)
  })
})

describe('the conversion of a lead without a last name', () => {
  it('is refused where it would create the contact, and changes nothing', async () => {
    const { body } = await member.rest.leadCreate!({ body: { company: 'Nordkaj' } })
    expect(await refusedInputs(platform, () => member.rest.leadConvert!({ id: body.id, body: {} }))).toEqual(missing)
  })

  it('uses the contact with its email address', async () => {
    const email = 'known@nordkaj.example'
    const contact = await member.rest.contactCreate!({ body: { lastName: 'Berg', email } })
    const { body } = await member.rest.leadCreate!({ body: { email: 'Known@Nordkaj.example' } })
    const converted = await member.rest.leadConvert!({ id: body.id, body: {} })
    expect([converted.status, converted.body.contact?.id, converted.body.contact?.lastName]).toEqual([
      200,
      contact.body.id,
      'Berg',
    ])
  })
})

describe('an invalid email address', () => {
  const problems = ['email NOT_AN_EMAIL', 'phone TOO_LONG']
  const values = { lastName: 'Lindqvist', email: 'jonas at nordkaj', phone: '1'.repeat(51) }

  it.each(['lead', 'contact'])('of a %s is reported with the other problems of the input', async (type) => {
    const create = () => member.rest[`${type}Create`]!({ body: values })
    const [status, code, ...found] = await refusedInputs(platform, create)
    expect([status, code, found.toSorted((a, b) => (a < b ? -1 : 1))]).toEqual([400, 'VALIDATION_FAILED', problems])

    const name = type === 'lead' ? 'Lead' : 'Contact'
    const query = `mutation ($input: ${name}CreateInput!) { ${type}Create(input: $input) { id } }`
    const { body } = await unchanged(platform, () => member.graphql(query, { input: values }))
    const errors = body.errors[0].extensions.errors as { path: string; code: string }[]
    expect(errors.map((error) => `${error.path} ${error.code}`).sort()).toEqual(problems)
  })
})
