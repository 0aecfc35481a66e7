import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'

interface Entry {
  readonly name: string
  readonly type: string
  readonly version: number
  readonly object: string | null
  readonly isCustom: boolean
  readonly schema: object
  readonly sample: object
}

const platform = usePlatform()
let owner: Member

beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
})

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${platform.url}${path}`, { headers })
const json = async (path: string, headers?: Record<string, string>) =>
  (await (await get(path, headers)).json()) as Record<string, never>

describe('the public catalog', () => {
  it('needs no credential and has every type with version, description, schema and sample', async () => {
    const { data, total, page, totalPages } = (await json('/v1/events/catalog')) as unknown as {
      data: Entry[]
      total: number
      page: number
      totalPages: number
    }
    expect([total, page, totalPages]).toEqual([data.length, 1, 1])
    const types = data.map(({ type }) => type)
    expect(types).toEqual(types.toSorted())
    expect(types).toEqual(
      expect.arrayContaining(['lead.created', 'opportunity.stage_changed', 'opportunity.won', 'case.sla_breached']),
    )
    for (const { name, type, version, object, schema, sample } of data) {
      expect(name).toBe(`${type}@${version}`)
      expect(schema, name).toMatchObject({
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { object: { const: object } },
      })
      // `events.test.ts` validates every sample by its schema.
      expect(sample, name).toMatchObject({ object })
    }
  })

  it('has one type by its name and by its version', async () => {
    const current = await json('/v1/events/catalog/lead.updated')
    expect(current).toMatchObject({
      name: 'lead.updated@1',
      isCurrent: true,
      isCustom: false,
      label: null,
      publishAccess: null,
    })
    expect(await json('/v1/events/catalog/lead.updated@1')).toEqual(current)
    for (const unknown of [
      'lead.vanished',
      'lead.updated@2',
      'lead',
      'custom.machine_stopped',
      '..%2f..',
      '__proto__',
    ]) {
      const answer = await get(`/v1/events/catalog/${unknown}`)
      expect([unknown, answer.status]).toEqual([unknown, 404])
    }
  })

  it('is not sent again with If-None-Match, is compressed, and answers HEAD', async () => {
    for (const path of ['/v1/events/catalog', '/v1/events/catalog/lead.created']) {
      const first = await get(path, { 'Accept-Encoding': 'br' })
      expect([first.status, first.headers.get('content-encoding')]).toEqual([200, 'br'])
      expect(first.headers.get('cache-control')).toBe('public, max-age=300')
      const etag = first.headers.get('etag')!
      const again = await get(path, { 'If-None-Match': etag })
      expect([again.status, await again.text()]).toEqual([304, ''])
      const head = await fetch(platform.url + path, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
    }
  })

  it('is the same with every credential, also a key without scopes, and for GraphQL', async () => {
    const bare = await platform.member({ scopes: ['READ_LEADS'] })
    expect((await get('/v1/events/catalog', bare.headers)).status).toBe(200)
    const query =
      '{ eventCatalog { total data { name type version isCurrent object isCustom label description publishAccess schema sample } } }'
    const anonymous = await fetch(`${platform.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const { data } = (await anonymous.json()) as { data: { eventCatalog: { total: number; data: Entry[] } } }
    const rest = (await json('/v1/events/catalog')) as unknown as { data: Entry[] }
    expect(data.eventCatalog.data).toEqual(rest.data)
    const one = await bare.graphql('query ($type: String!) { eventType(type: $type) { name sample } }', {
      type: 'lead.created',
    })
    expect(one.body).toMatchObject({ data: { eventType: { name: 'lead.created@1' } } })
  })
})

describe('the specified event types', () => {
  const dataSchemaOf = async (type: string) =>
    (
      (await json(`/v1/events/catalog/${type}`)) as unknown as {
        schema: { properties: Record<string, { properties: Record<string, { type: unknown }> }> }
      }
    ).schema

  it.each(['lead.created', 'lead.updated'])('%s has the shape of the specification', async (type) => {
    const schema = await dataSchemaOf(type)
    expect(schema).toMatchObject({
      type: 'object',
      required: ['object', 'id', 'record'],
      additionalProperties: false,
      properties: {
        object: { const: 'lead' },
        id: { type: 'string' },
        record: { type: 'object', required: ['id'], additionalProperties: true },
        previous: { type: ['object', 'null'] },
        changedFields: { type: ['array', 'null'], items: { type: 'string' } },
        actorId: { type: ['string', 'null'] },
      },
    })
    const { properties } = schema.properties['record']!
    for (const name of ['firstName', 'lastName', 'status', 'leadSource'])
      expect([name, properties[name]!.type]).toEqual([name, 'string'])
    for (const name of [
      'email',
      'phone',
      'company',
      'title',
      'rating',
      'convertedAccountId',
      'convertedContactId',
      'convertedOpportunityId',
    ])
      expect([name, properties[name]!.type]).toEqual([name, ['string', 'null']])
    expect(properties['leadScore']!.type).toEqual(['integer', 'null'])
    expect(properties['customFields']).toMatchObject({ type: 'object', additionalProperties: true })
  })

  it('opportunity.stage_changed adds previousStage and stage to the shape of the opportunity', async () => {
    const schema = await dataSchemaOf('opportunity.stage_changed')
    expect(schema.properties).toMatchObject({ previousStage: { type: 'string' }, stage: { type: 'string' } })
    const { properties } = schema.properties['record']!
    for (const [name, kind] of [
      ['id', 'string'],
      ['name', 'string'],
      ['stage', 'string'],
      ['currency', 'string'],
      ['isClosed', 'boolean'],
      ['isWon', 'boolean'],
    ])
      expect([name, properties[name!]!.type]).toEqual([name, kind])
    for (const name of ['amount', 'probability', 'closeDate', 'accountId', 'ownerId', 'customFields'])
      expect(properties).toHaveProperty(name)
  })
})

describe('the catalog of the organization', () => {
  it('needs READ_EVENTS, which PUBLISH_EVENTS implies', async () => {
    for (const path of ['/v1/events/org-catalog', '/v1/events/org-catalog/lead.created']) {
      expect((await get(path)).status).toBe(401)
      const without = await platform.member({ scopes: ['READ_LEADS', 'WRITE_WEBHOOKS'] })
      expect((await get(path, { ...without.headers })).status).toBe(403)
      for (const scope of ['READ_EVENTS', 'PUBLISH_EVENTS', '*']) {
        const reader = await platform.member({ scopes: [scope] })
        expect([scope, (await get(path, { ...reader.headers })).status]).toEqual([scope, 200])
      }
    }
  })

  it('has the custom types of this organization only', async () => {
    const other = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Other') })
    const schema = { type: 'object', properties: { minutes: { type: 'integer', minimum: 0 } } }
    const created = await owner.rest['customEventTypeCreate']!({
      body: {
        apiName: 'yard_closed',
        label: 'Yard closed',
        description: 'The yard is closed.',
        schema,
        publishAccess: 'MEMBERS',
      },
    })
    expect(created.status).toBe(201)
    const ofOwner = (await json('/v1/events/org-catalog', { ...owner.headers })) as unknown as { data: Entry[] }
    const published = {
      ...schema,
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'custom.yard_closed',
      additionalProperties: false,
    }
    const entry = {
      name: 'custom.yard_closed@1',
      type: 'custom.yard_closed',
      version: 1,
      isCurrent: true,
      object: null,
      isCustom: true,
      label: 'Yard closed',
      description: 'The yard is closed.',
      publishAccess: 'MEMBERS',
      schema: { ...published, description: 'The yard is closed.' },
      sample: { minutes: 1 },
    }
    expect(ofOwner.data.at(-1)).toEqual(entry)
    expect(await json('/v1/events/org-catalog/custom.yard_closed', { ...owner.headers })).toEqual(entry)
    const [fields, isCustom] = [
      'total data { name type version isCurrent object isCustom label description publishAccess schema sample }',
      true,
    ]
    const query = `query ($isCustom: Boolean) { organizationEventCatalog(isCustom: $isCustom) { ${fields} } }`
    const ofGraph = async (variables: object) =>
      ((await owner.graphql(query, variables)).body as { data: { organizationEventCatalog: object } }).data
        .organizationEventCatalog
    expect(await ofGraph({})).toEqual({ total: ofOwner.data.length, data: ofOwner.data })
    expect(await ofGraph({ isCustom })).toEqual({ total: 1, data: [entry] })
    const etag = async () => (await get('/v1/events/org-catalog', { ...owner.headers })).headers.get('etag')!
    const before = await etag()
    expect((await get('/v1/events/org-catalog', { ...owner.headers, 'If-None-Match': before })).status).toBe(304)
    await owner.rest['customEventTypeUpdate']!({
      id: (created.body as { id: string }).id,
      body: { label: 'Yard closed early' },
    })
    expect(await etag()).not.toBe(before)
    const ofOther = (await json('/v1/events/org-catalog', { ...other.headers })) as unknown as { data: Entry[] }
    expect(ofOther.data).toEqual(ofOwner.data.slice(0, -1))
    expect((await get('/v1/events/org-catalog/custom.yard_closed', { ...other.headers })).status).toBe(404)
  })
})
