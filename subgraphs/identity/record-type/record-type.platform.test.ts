import { beforeAll, describe, expect, it } from 'vitest'
import { anAccount } from '../../../test/builders.ts'
import { usePlatform, type Member, type MemberOptions } from '../../../test/platform.ts'
import { sessionOf } from '../../../test/requests/session.ts'
import { restClient } from '../../../test/rest-client.ts'
import { recordNamed, recordTypeNames } from '../../kernel/record/record-registry.ts'
import { systemContext } from '../../kernel/request.ts'
import { assignProfile, createProfile } from '../profile/profile.actions.ts'
import type { FieldDescription, RecordTypeDescription } from './record-type.types.ts'

const platform = usePlatform()
let organizationId: string
let member: Member
const memberWith = (options: MemberOptions = {}) => platform.member({ organizationId, ...options })

beforeAll(async () => {
  organizationId = await platform.organization()
  member = await memberWith()
})

async function described(object: string, who = member): Promise<RecordTypeDescription> {
  const { status, body } = await who.rest.recordType!({ object })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as RecordTypeDescription
}

const fieldOf = ({ fields }: RecordTypeDescription, name: string): FieldDescription =>
  fields.find((field) => field.name === name)!

const refusals = ({ operations }: RecordTypeDescription) =>
  Object.fromEntries(operations.map(({ name, refusedBy }) => [name, refusedBy]))

describe('recordType', () => {
  it('describes every field with its kind, bounds and values', async () => {
    const opportunity = await described('opportunity')
    expect(opportunity).toMatchObject({
      object: 'opportunity',
      type: 'Opportunity',
      isReadable: true,
      isDeletable: true,
    })
    expect(opportunity.fields.map(({ name }) => name)).toEqual(
      recordNamed('opportunity')!.columns.shown.map(({ name }) => name),
    )
    expect(fieldOf(opportunity, 'amount')).toMatchObject({
      kind: 'MONEY',
      isNullable: false,
      isRequired: false,
      isUpdatable: true,
    })
    expect(fieldOf(opportunity, 'name')).toMatchObject({
      kind: 'TEXT',
      isRequired: true,
      maxLength: 255,
      references: null,
    })
    expect(fieldOf(opportunity, 'accountId')).toMatchObject({ kind: 'ID', references: 'account' })
    expect(fieldOf(opportunity, 'ownerId')).toMatchObject({ references: 'user' })
    expect(fieldOf(opportunity, 'version')).toMatchObject({ isReadable: true, isCreatable: false, isUpdatable: false })
    expect(fieldOf(await described('case'), 'priority')).toMatchObject({
      kind: 'ENUM',
      values: expect.arrayContaining(['LOW', 'URGENT']) as unknown,
    })
  })

  it.each([
    ['opportunity', 'contactIds', 'contact'],
    ['email', 'templateId', 'email_template'],
    ['reply_draft', 'threadId', 'email_thread'],
    ['reply_draft', 'fileIds', 'file'],
    ['credit_note', 'contactId', 'contact'],
    ['payment', 'refundedPaymentId', 'payment'],
    ['email_thread', 'caseId', 'case'],
    ['forecast', 'submittedById', 'user'],
    ['task', 'relatedToId', null],
    ['account', 'legacyCrmId', null],
  ])('says of %s which record type %s names: %s', async (object, name, type) => {
    expect(fieldOf(await described(object), name).references).toBe(type)
  })

  it('has the operations of the record type and of no other', async () => {
    const names = (await described('case')).operations.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['case', 'caseList', 'caseCreate', 'caseAssign']))
    expect(names.filter((name) => name.startsWith('caseComment'))).toEqual([])
    const convert = (await described('lead')).operations.find(({ name }) => name === 'leadConvert')
    expect(convert).toEqual({
      name: 'leadConvert',
      summary: expect.any(String) as unknown,
      method: 'POST',
      path: '/v1/leads/{id}/convert',
      scopes: expect.arrayContaining(['WRITE_LEADS']) as unknown,
      roles: null,
      isAllowed: true,
      refusedBy: null,
    })
  })

  it('says what the scopes of a key permit', async () => {
    const reader = await memberWith({ scopes: ['READ_ACCOUNTS'] })
    const accounts = await described('account', reader)
    expect(accounts).toMatchObject({ isReadable: true, isCreatable: false, isUpdatable: false, isDeletable: false })
    expect(refusals(accounts)).toMatchObject({ accountList: null, accountCreate: 'SCOPE' })
    expect(fieldOf(accounts, 'name')).toMatchObject({ isReadable: true, isCreatable: false, isUpdatable: false })
    expect(await described('contact', reader)).toMatchObject({ isReadable: false })
  })

  it('says what the role permits', async () => {
    expect(refusals(await described('account', await memberWith({ role: 'READ_ONLY' })))).toMatchObject({
      account: null,
      accountCreate: 'ROLE',
    })
    const reader = await memberWith({ role: 'READ_ONLY' })
    expect(refusals(await described('notification', reader))).toMatchObject({
      notificationRead: null,
      notificationDelete: null,
    })
    expect(refusals(await described('scenario', reader))).toMatchObject({
      scenarioCompare: null,
      scenarioCreate: 'ROLE',
    })
    expect(refusals(await described('pipeline'))).toMatchObject({ pipelineList: null, pipelineCreate: 'ROLE' })
    expect(refusals(await described('pipeline', await memberWith({ role: 'ADMIN' })))).toMatchObject({
      pipelineCreate: null,
    })
  })

  it('says what the profile permits, and the operations agree', async () => {
    const agent = await memberWith()
    const ctx = systemContext(platform.services, organizationId)
    const fields = { account: { annualRevenue: 'HIDDEN', rating: 'READ' } }
    const profile = await createProfile(ctx, { name: 'Agents', fields })
    await assignProfile(ctx, agent.userId, profile.id)
    const accounts = await described('account', agent)
    expect(fieldOf(accounts, 'annualRevenue')).toMatchObject({
      isReadable: false,
      isCreatable: false,
      isUpdatable: false,
    })
    expect(fieldOf(accounts, 'rating')).toMatchObject({ isReadable: true, isCreatable: false, isUpdatable: false })
    expect(fieldOf(accounts, 'phone')).toMatchObject({ isReadable: true, isCreatable: true, isUpdatable: true })
    const { status } = await agent.rest.accountCreate!({ body: anAccount({ annualRevenue: 5 }) })
    expect(status).toBe(403)
  })

  it('says that a profile which hides what records consist of lets nobody read them, and the operations agree', async () => {
    const agent = await memberWith()
    const ctx = systemContext(platform.services, organizationId)
    const profile = await createProfile(ctx, { name: 'Without payments', fields: { invoice: { payments: 'HIDDEN' } } })
    await assignProfile(ctx, agent.userId, profile.id)
    const payments = await described('payment', agent)
    expect([payments.isReadable, fieldOf(payments, 'amount').isReadable]).toEqual([false, false])
    expect(refusals(payments)).toMatchObject({ payment: 'PROFILE', paymentList: 'PROFILE' })
    expect((await agent.rest.paymentList!()).status).toBe(403)
    expect((await described('payment')).isReadable).toBe(true)
  })

  it('names operations that no key can call', async () => {
    const session = restClient(platform.contract, platform.url, {
      Authorization: `Bearer ${await sessionOf(platform, member)}`,
    })
    const { body } = await session.recordType!({ object: 'account' })
    expect(refusals(body as RecordTypeDescription)).toMatchObject({ accountCreate: null })
  })

  it('refuses a record type that does not exist', async () => {
    const { status, body } = await member.rest.recordType!({ object: 'invoic' })
    expect([status, (body as { code: string }).code]).toEqual([404, 'NOT_FOUND'])
  })
})

describe('recordTypes', () => {
  it('lists every record type with what the caller may do', async () => {
    const reader = await memberWith({ scopes: ['READ_ACCOUNTS', 'WRITE_LEADS'] })
    const { body } = await reader.rest.recordTypes!()
    const types = body as { object: string; isReadable: boolean; isCreatable: boolean }[]
    expect(types.map(({ object }) => object)).toEqual(recordTypeNames())
    expect(types.filter(({ isReadable }) => isReadable).map(({ object }) => object)).toEqual(['account', 'lead'])
    expect(types.filter(({ isCreatable }) => isCreatable).map(({ object }) => object)).toEqual(['lead'])
  })

  it('lets a key of an owner read every record type but credentials', async () => {
    const { body } = await (await memberWith({ role: 'OWNER' })).rest.recordTypes!()
    const unreadable = (body as { object: string; isReadable: boolean }[]).filter(({ isReadable }) => !isReadable)
    expect(unreadable.map(({ object }) => object)).toEqual(['named_credential'])
  })
})
