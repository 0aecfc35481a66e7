import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let owner: Member
let member: Member

beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  member = await platform.member()
})

const schema = {
  type: 'object',
  required: ['machineId', 'minutes'],
  properties: {
    machineId: { type: 'string', minLength: 2, maxLength: 8 },
    minutes: { type: 'integer', minimum: 0, maximum: 100 },
    price: { type: ['number', 'null'], exclusiveMinimum: 0.1 },
    stoppedAt: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    by: { type: 'string', format: 'email' },
    link: { type: 'string', format: 'uri' },
    recordId: { type: 'string', format: 'uuid' },
    code: { type: 'string', pattern: '^[A-Z]{2}-[0-9]+$', examples: ['AB-1'] },
    reason: { type: ['string', 'null'], enum: ['WEAR', 'POWER', null] },
    isPlanned: { type: 'boolean' },
  },
}

async function aType(body: object = {}): Promise<{ id: string; apiName: string; etag: string }> {
  const apiName = `t${newId().replaceAll('-', '')}`
  const created = await owner.rest['customEventTypeCreate']!({
    body: { apiName, label: 'Stopped', schema, publishAccess: 'MEMBERS', ...body },
  })
  expect(created.body).toMatchObject({ apiName, schemaVersion: 1 })
  return { id: (created.body as { id: string }).id, apiName, etag: created.headers.get('etag')! }
}

const publish = (apiName: string, data: unknown, by: Member = member, headers: Record<string, string> = {}) =>
  by.rest['customEventPublish']!({ apiName, body: { data }, headers } as never)

const errorsOf = ({ body }: { body: unknown }) =>
  ((body as { errors?: { path: string; code: string }[] }).errors ?? []).map(({ path, code }) => `${path} ${code}`)

const storedOf = (apiName: string) =>
  platform.query<{
    id: string
    type: string
    version: number
    data: unknown
    object: string
    recordId: string
    actorId: string
  }>(
    `select id, type, version, data, object, record_id as "recordId", actor_id as "actorId" from kernel.event where type = $1 order by id`,
    [`custom.${apiName}`],
  )

describe('a custom event type', () => {
  it('is created, read, listed, changed and deleted', async () => {
    const { id, apiName, etag } = await aType()
    expect((await member.rest['customEventType']!({ id })).body).toMatchObject({
      id,
      apiName,
      label: 'Stopped',
      schema,
    })
    const listed = await member.rest['customEventTypeList']!({ query: { apiName } })
    expect(listed.body).toMatchObject({ total: 1, data: [{ id }] })
    const renamed = await owner.rest['customEventTypeUpdate']!({
      id,
      body: { label: 'Stood still', description: 'x' },
      headers: { 'If-Match': etag },
    } as never)
    expect(renamed.body).toMatchObject({ label: 'Stood still', schemaVersion: 1, version: 2 })
    const stale = await owner.rest['customEventTypeUpdate']!({
      id,
      body: { label: 'y' },
      headers: { 'If-Match': etag },
    } as never)
    expect([stale.status, (stale.body as { code: string }).code]).toEqual([409, 'VERSION_CONFLICT'])
    expect((await owner.rest['customEventTypeDelete']!({ id })).status).toBe(204)
    expect((await owner.rest['customEventType']!({ id })).status).toBe(404)
    expect((await publish(apiName, { machineId: 'p4', minutes: 1 })).status).toBe(404)
    expect(await platform.eventTypesOf(id)).toEqual([
      'custom_event_type.created',
      'custom_event_type.updated',
      'custom_event_type.deleted',
    ])
  })

  it('gets the next version with a changed schema only, and keeps the former ones', async () => {
    const { id, apiName } = await aType()
    const update = async (body: object) =>
      (await owner.rest['customEventTypeUpdate']!({ id, body })).body as { schemaVersion: number }
    expect((await update({ schema, publishAccess: 'ADMINS' })).schemaVersion).toBe(1)
    const next = { type: 'object', properties: { minutes: { type: 'number' } } }
    expect((await update({ schema: next, publishAccess: 'MEMBERS' })).schemaVersion).toBe(2)
    expect((await publish(apiName, { minutes: 1.5 })).body).toMatchObject({ version: 2 })
    const catalog = async (name: string) => (await owner.rest['organizationEventType']!({ type: name })).body
    expect(await catalog(`custom.${apiName}`)).toMatchObject({
      version: 2,
      isCurrent: true,
      schema: { properties: next.properties },
    })
    expect(await catalog(`custom.${apiName}@1`)).toMatchObject({
      version: 1,
      isCurrent: false,
      schema: { required: schema.required },
    })
    await owner.rest['customEventTypeDelete']!({ id })
    expect(await catalog(`custom.${apiName}`)).toMatchObject({ status: 404 })
    expect(await catalog(`custom.${apiName}@2`)).toMatchObject({ version: 2, isCurrent: false, publishAccess: null })
    const again = await owner.rest['customEventTypeCreate']!({ body: { apiName, label: 'Again', schema } })
    expect(again.body).toMatchObject({ schemaVersion: 3, publishAccess: 'ADMINS' })
  })

  it('is unique by its name in the organization', async () => {
    const { id, apiName } = await aType()
    const again = await owner.rest['customEventTypeCreate']!({ body: { apiName, label: 'x', schema } })
    expect([again.status, again.body]).toMatchObject([
      409,
      { code: 'UNIQUE_VIOLATION', errors: [{ path: 'apiName', conflictingId: id }] },
    ])
    const elsewhere = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Else') })
    const there = await elsewhere.rest['customEventTypeCreate']!({ body: { apiName, label: 'x', schema } })
    expect(there.status).toBe(201)
    expect((await elsewhere.rest['customEventType']!({ id })).status).toBe(404)
  })

  it('is changed by owners and admins with the scope * only', async () => {
    const { id } = await aType()
    const admin = await platform.member({ role: 'ADMIN' })
    const scoped = await platform.member({
      role: 'OWNER',
      scopes: ['PUBLISH_EVENTS', 'MANAGE_METADATA', 'WRITE_WEBHOOKS'],
    })
    const body = { apiName: `x${newId().slice(0, 8)}`, label: 'x', schema }
    for (const [who, code] of [
      [member, 'PERMISSION_DENIED'],
      [await platform.member({ role: 'MANAGER' }), 'PERMISSION_DENIED'],
      [scoped, 'API_KEY_SCOPE_INSUFFICIENT'],
    ] as const) {
      const at = await platform.fingerprint()
      for (const answer of [
        await who.rest['customEventTypeCreate']!({ body }),
        await who.rest['customEventTypeUpdate']!({ id, body: { label: 'y' } }),
        await who.rest['customEventTypeDelete']!({ id }),
      ])
        expect([answer.status, (answer.body as { code: string }).code]).toEqual([403, code])
      expect(await platform.fingerprint()).toBe(at)
    }
    expect((await admin.rest['customEventTypeUpdate']!({ id, body: { label: 'y' } })).status).toBe(200)
  })

  it.each([
    ['9lives', 'apiName WRONG_FORMAT'],
    ['Machine', 'apiName WRONG_FORMAT'],
    ['a', 'apiName WRONG_FORMAT'],
    ['a-b', 'apiName WRONG_FORMAT'],
    ['__proto__', 'apiName WRONG_FORMAT'],
    ['ab\n', 'apiName WRONG_FORMAT'],
    [`a${'b'.repeat(48)}`, 'apiName TOO_LONG'],
  ])('is refused with the name %j', async (apiName, problem) => {
    const refused = await owner.rest['customEventTypeCreate']!({ body: { apiName, label: 'x', schema } })
    expect([refused.status, errorsOf(refused)]).toEqual([400, [problem]])
  })

  it('exists at most 100 times in an organization', async () => {
    const crowd = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Crowd') })
    await platform.query(
      `insert into events.custom_event_type (organization_id, id, api_name, label, schema, schema_version, publish_access, custom_fields, version, created_at, updated_at)
       select $1, gen_random_uuid(), 'type_' || n, 'x', '{}', 1, 'ADMINS', '{}', 1, now(), now() from generate_series(1, 99) n`,
      [crowd.organizationId],
    )
    const create = (apiName: string) => crowd.rest['customEventTypeCreate']!({ body: { apiName, label: 'x', schema } })
    const answers = await Promise.all([create('last_one'), create('last_two'), create('last_three')])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400])
    expect(errorsOf(answers.find(({ status }) => status === 400)!)).toEqual(['apiName TOO_MANY'])
  })
})

describe('publishing', () => {
  it('writes one event with the payload, and names it', async () => {
    const { id, apiName } = await aType()
    const data = { machineId: 'p4', minutes: 12, price: 0.11, reason: null, isPlanned: false }
    const answer = await publish(apiName, data)
    expect(answer.status).toBe(200)
    const [event, ...others] = await storedOf(apiName)
    expect(others).toEqual([])
    expect(event).toMatchObject({
      type: `custom.${apiName}`,
      version: 1,
      data,
      object: 'custom_event',
      recordId: id,
      actorId: member.userId,
    })
    expect(answer.body).toEqual({
      id: `evt_${event!.id}`,
      type: `custom.${apiName}`,
      version: 1,
      occurredAt: platform.now.toISOString(),
    })
    const selection = { after: 0, limit: 2, object: 'custom_event', recordId: id }
    const logged = () => platform.services.events.read(member.organizationId, selection)
    await expect.poll(logged).toMatchObject([{ id: event!.id, type: `custom.${apiName}`, data }])
  })

  it('keeps every digit of a number', async () => {
    const { apiName } = await aType()
    const body = `{"data": {"machineId": "p4", "minutes": 1, "price": 12345678901234567.89012345}}`
    const answer = await fetch(`${platform.url}/v1/events/custom/${apiName}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...member.headers },
      body,
    })
    expect(answer.status).toBe(200)
    const [row] = await platform.query<{ price: string }>(
      `select data ->> 'price' as price from kernel.event where type = $1`,
      [`custom.${apiName}`],
    )
    expect(row!.price).toBe('12345678901234567.89012345')
  })

  it.each([
    [{ machineId: 'p4' }, ['data.minutes REQUIRED']],
    [{ machineId: 'p', minutes: 101 }, ['data.machineId TOO_SHORT', 'data.minutes OUT_OF_RANGE']],
    [{ machineId: 'p23456789', minutes: -1 }, ['data.machineId TOO_LONG', 'data.minutes OUT_OF_RANGE']],
    [{ machineId: 4, minutes: 1.5 }, ['data.machineId WRONG_TYPE', 'data.minutes WRONG_TYPE']],
    [{ machineId: 'p4', minutes: '1' }, ['data.minutes WRONG_TYPE']],
    [{ machineId: 'p4', minutes: null }, ['data.minutes WRONG_TYPE']],
    [{ machineId: { a: 1 }, minutes: [1] }, ['data.machineId WRONG_TYPE', 'data.minutes WRONG_TYPE']],
    [{ machineId: 'p4', minutes: 1, color: 'red' }, ['data.color UNKNOWN_FIELD']],
    [{ machineId: 'p4', minutes: 1, price: 0.1 }, ['data.price OUT_OF_RANGE']],
    [{ machineId: 'p4', minutes: 1, stoppedAt: '2026-11-02' }, ['data.stoppedAt WRONG_FORMAT']],
    [{ machineId: 'p4', minutes: 1, stoppedAt: '2026-02-30T10:00:00Z' }, ['data.stoppedAt WRONG_FORMAT']],
    [{ machineId: 'p4', minutes: 1, day: '2026-11-02T00:00:00Z' }, ['data.day WRONG_FORMAT']],
    [{ machineId: 'p4', minutes: 1, by: 'nobody' }, ['data.by WRONG_FORMAT']],
    [{ machineId: 'p4', minutes: 1, link: 'example.com' }, ['data.link WRONG_FORMAT']],
    [{ machineId: 'p4', minutes: 1, recordId: '1' }, ['data.recordId WRONG_FORMAT']],
    [{ machineId: 'p4', minutes: 1, code: 'ab-1' }, ['data.code WRONG_FORMAT']],
    [{ machineId: 'p4', minutes: 1, reason: 'RAIN' }, ['data.reason NOT_ALLOWED']],
    [{ machineId: 'p4', minutes: 1, isPlanned: 0 }, ['data.isPlanned WRONG_TYPE']],
    [{ machineId: 'p4', minutes: 1, constructor: 1 }, ['data.constructor UNKNOWN_FIELD']],
  ])('refuses %j', async (data, problems) => {
    const { apiName } = (shared ??= await aType())
    const refused = await publish(apiName, data)
    expect([refused.status, errorsOf(refused)]).toEqual([400, problems])
    expect(await storedOf(apiName)).toEqual([])
  })
  let shared: { apiName: string } | null = null

  it('refuses a payload that is no object or too long', async () => {
    const { apiName } = await aType({ schema: { type: 'object', properties: { note: { type: 'string' } } } })
    for (const data of [null, [], 'x', 1]) expect((await publish(apiName, data)).status).toBe(400)
    expect((await publish(apiName, { note: 'x'.repeat(32_768 - '{"note":""}'.length) })).status).toBe(200)
    expect(errorsOf(await publish(apiName, { note: 'x'.repeat(32_768) }))).toEqual(['data TOO_LONG'])
    expect(await storedOf(apiName)).toHaveLength(1)
  })

  it('is for the users and credentials that publishAccess and the scopes name', async () => {
    const [open, closed] = [await aType(), await aType({ publishAccess: 'ADMINS' })]
    const data = { machineId: 'p4', minutes: 1 }
    const reader = await platform.member({ role: 'READ_ONLY' })
    const publisher = await platform.member({ scopes: ['PUBLISH_EVENTS'] })
    const watcher = await platform.member({ scopes: ['READ_EVENTS', 'WRITE_WEBHOOKS'] })
    const stranger = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Strange') })
    const statuses = async ({ apiName }: { apiName: string }) => {
      const found: number[] = []
      for (const who of [owner, member, publisher, reader, watcher, stranger])
        found.push((await publish(apiName, data, who)).status)
      return found
    }
    expect(await statuses(open)).toEqual([200, 200, 200, 403, 403, 404])
    expect(await statuses(closed)).toEqual([200, 403, 403, 403, 403, 404])
    // The HTTP client sends `..` as the path of the list of events.
    expect((await publish('..', data, owner)).status).toBe(405)
    for (const apiName of ['%00', "x'y", 'A'.repeat(2000), '__proto__', `${open.apiName} `])
      expect([apiName, (await publish(apiName, data, owner)).status]).toEqual([apiName, 404])
    expect([(await storedOf(open.apiName)).length, (await storedOf(closed.apiName)).length]).toEqual([3, 1])
  })

  it('publishes once with an Idempotency-Key', async () => {
    const { apiName } = await aType()
    const headers = { 'Idempotency-Key': newId() }
    const data = { machineId: 'p4', minutes: 1 }
    const first = await publish(apiName, data, member, headers)
    const again = await publish(apiName, data, member, headers)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const reused = await publish(apiName, { machineId: 'p5', minutes: 1 }, member, headers)
    expect([reused.status, (reused.body as { code: string }).code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await storedOf(apiName)).toHaveLength(1)
  })

  it('is a mutation, too', async () => {
    const { apiName } = await aType()
    const mutation =
      'mutation ($apiName: String!, $data: JSON!) { customEventPublish(apiName: $apiName, data: $data) { id type version } }'
    const { body } = await member.graphql(mutation, { apiName, data: { machineId: 'p4', minutes: 1 } })
    const [event] = await storedOf(apiName)
    expect(body).toEqual({
      data: { customEventPublish: { id: `evt_${event!.id}`, type: `custom.${apiName}`, version: 1 } },
    })
  })
})
