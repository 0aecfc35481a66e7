import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})

const anAccount = (values: object = {}) => ({ name: 'Northwind Traders', ...values })

describe('accountCreate', () => {
  it('answers the whole account and announces it once', async () => {
    const { status, body, headers } = await member.rest.accountCreate!({ body: anAccount({ industry: 'Wholesale', techStack: ['SAP'] }) })

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organizationId: member.organizationId,
      ownerId: member.userId,
      externalId: null,
      tags: [],
      metadata: null,
      customFields: {},
      version: 1,
      createdAt: '2027-02-01T09:00:00.000Z',
      updatedAt: '2027-02-01T09:00:00.000Z',
      createdById: member.userId,
      updatedById: member.userId,
      deletedAt: null,
      name: 'Northwind Traders',
      type: null,
      industry: 'Wholesale',
      website: null,
      domain: null,
      phone: null,
      fax: null,
      description: null,
      parentAccountId: null,
      legacyCrmId: null,
      numberOfEmployees: null,
      annualRevenue: null,
      billingStreet: null,
      billingCity: null,
      billingState: null,
      billingPostalCode: null,
      billingCountry: null,
      shippingStreet: null,
      shippingCity: null,
      shippingState: null,
      shippingPostalCode: null,
      shippingCountry: null,
      accountStatus: 'ACTIVE',
      rating: null,
      healthScore: null,
      lifetimeValue: null,
      churnRisk: null,
      painPoints: [],
      techStack: ['SAP'],
      competitors: [],
      isStrategic: false,
      tier: null,
      region: null,
      lastActivityDate: null,
      nextActivityDate: null,
    })
    expect(headers.get('etag')).toBe('"1"')
    expect(headers.get('location')).toBe(`/v1/accounts/${body.id}`)
    expect(await platform.eventTypesOf(body.id)).toEqual(['account.created'])
    expect((await member.rest.account!({ id: body.id })).body).toEqual(body)
  })
})
