import { beforeEach, describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'
import { problemsOf } from './custom-fields.fixture.ts'
import { object, visit, withSiteVisits, type Stored } from './custom-objects.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member
let own: Member
let siteVisit: Stored
beforeEach(async () => {
  ;({ owner, member, siteVisit } = await withSiteVisits(platform))
  own = await platform.member({ organizationId: owner.organizationId, visibility: 'OWN' })
})

const about = (relatedToId: string, type = 'custom:site_visit') => ({ relatedToType: type, relatedToId })
const creating = (values: object, by: Member) => by.rest['fileCreate']!({ body: { name: 'Plan.txt', ...values } })
const add = async (values: object = {}, by = own): Promise<string> => {
  const { status, body } = await creating(values, by)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id as string
}
const content = (id: string, by: Member, init: object = {}) =>
  fetch(`${platform.url}/v1/files/${id}/content`, { ...init, headers: { ...by.headers, ...contentType } })
const contentType = { 'Content-Type': 'application/octet-stream' }
const uploaded = async (text: string, values: object, by = own): Promise<string> => {
  const id = await add(values, by)
  expect((await content(id, by, { method: 'PUT', body: text })).status).toBe(200)
  return id
}
const statusOf = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status
const linkTo = async (id: string, by = own): Promise<string> => {
  const { body } = await by.rest['fileDownloadLink']!({ id })
  return `${platform.url}${new URL(body.downloadUrl as string).pathname}`
}
const listed = async (by: Member, query: object): Promise<string[]> =>
  ((await by.rest['fileList']!({ query } as never)).body.data as { id: string }[]).map(({ id }) => id)
const removeVisit = (id: string) => owner.rest['customRecordDelete']!({ name: 'site_visit', id } as never)
const restoreVisit = (id: string) => owner.rest['customRecordRestore']!({ name: 'site_visit', id } as never)

describe('a file of a record of a custom object', () => {
  it('is attached, listed, downloaded, moved to another record and detached', async () => {
    const [one, two] = [await visit(own, { subject: 'Pump' }), await visit(own, { subject: 'Tank' })]
    const id = await uploaded('plan', about(one.id.toUpperCase()))
    expect((await own.rest['file']!({ id })).body).toMatchObject({ ...about(one.id), status: 'READY', size: 4 })
    expect(await (await content(id, own)).text()).toBe('plan')
    expect(await (await fetch(await linkTo(id))).text()).toBe('plan')
    const other = await add({ relatedToType: 'ACCOUNT', relatedToId: (await account(own)).id })
    expect(await listed(own, { relatedToId: one.id })).toEqual([id])
    expect(await listed(own, { relatedToType: 'custom:site_visit' })).toEqual([id])
    expect(await listed(own, { relatedToType: 'ACCOUNT,custom:site_visit' })).toEqual([other, id])
    const moved = await own.rest['fileUpdate']!({ id, body: { relatedToId: two.id } })
    expect(moved.body).toMatchObject(about(two.id))
    expect([await listed(own, { relatedToId: one.id }), await listed(own, { relatedToId: two.id })]).toEqual([[], [id]])
    const detached = await own.rest['fileUpdate']!({ id, body: { relatedToType: null, relatedToId: null } })
    expect(detached.body).toMatchObject({ relatedToType: null, relatedToId: null })
    expect([await statusOf(content(id, own)), await statusOf(content(id, owner))]).toEqual([200, 404])
  })

  it('is beside the record, and the record beside the file, in GraphQL and REST', async () => {
    const { id: recordId } = await visit(own, { subject: 'Pump', hours: 2 })
    const id = await uploaded('plan', about(recordId))
    const document = `query ($id: ID!) { customRecord(object: "site_visit", id: $id) {
      files { nodes { name relatedTo { __typename } relatedCustomRecord { object name customFields } } } } }`
    const { body } = await own.graphql(document, { id: recordId })
    const customFields = { subject: 'Pump', hours: 2 }
    expect(body.data.customRecord.files.nodes).toEqual([
      {
        name: 'Plan.txt',
        relatedTo: null,
        relatedCustomRecord: { object: 'site_visit', name: 'Pump', customFields },
      },
    ])
    const expanded = await own.rest['file']!({ id, query: { expand: 'relatedCustomRecord' } } as never)
    expect(expanded.body.relatedCustomRecord).toMatchObject({ id: recordId, name: 'Pump' })
    expect((await own.rest['fileStats']!()).body).toMatchObject({ total: 1, totalSize: 4 })
  })

  it('is seen by exactly those who see the record, whoever owns the file', async () => {
    await object(owner, { name: 'ship' })
    const { id: recordId } = await visit(own, { subject: 'Pump' })
    const { id: theirs } = await visit(member, { subject: 'Tank' })
    const { id: shipId } = await visit(own, { subject: 'Nordlys' }, {}, 'ship')
    const [id, hidden, ofShip] = [
      await uploaded('plan', about(recordId), member),
      await uploaded('secret', about(theirs), member),
      await uploaded('mast', about(shipId, 'custom:ship'), member),
    ]
    const foreign = await withSiteVisits(platform)
    for (const by of [own, owner, member]) expect(await statusOf(content(id, by))).toBe(200)
    for (const by of [own, foreign.owner]) {
      expect(await statusOf(content(hidden, by))).toBe(404)
      expect(await statusOf(by.rest['file']!({ id: hidden }))).toBe(404)
      expect(await statusOf(by.rest['fileDownloadLink']!({ id: hidden }))).toBe(404)
      expect(await statusOf(by.rest['fileDelete']!({ id: hidden }))).toBe(404)
    }
    expect((await listed(own, {})).toSorted()).toEqual([id, ofShip].toSorted())
    expect((await own.rest['fileStats']!()).body).toMatchObject({ total: 2, totalSize: 8 })
    expect(await listed(foreign.owner, {})).toEqual([])
    const given = await owner.rest['customRecordUpdate']!({
      name: 'site_visit',
      id: recordId,
      body: { ownerId: member.userId },
    } as never)
    expect(given.status).toBe(200)
    expect([await statusOf(content(id, own)), await statusOf(content(id, member))]).toEqual([404, 200])
  })

  it('is seen by nobody while the record or the object is deleted, also with a link', async () => {
    const { id: recordId } = await visit(own, { subject: 'Pump' })
    const id = await uploaded('plan', about(recordId))
    const link = await linkTo(id)
    const all = async () => [
      await statusOf(content(id, own)),
      await statusOf(content(id, owner)),
      await statusOf(fetch(link)),
      await statusOf(own.rest['file']!({ id })),
      (await listed(owner, {})).length,
    ]
    expect(await all()).toEqual([200, 200, 200, 200, 1])
    expect((await removeVisit(recordId)).status).toBe(204)
    expect(await all()).toEqual([404, 404, 404, 404, 0])
    expect((await restoreVisit(recordId)).status).toBe(200)
    expect(await all()).toEqual([200, 200, 200, 200, 1])
    expect((await owner.rest['customObjectDelete']!({ id: siteVisit.id })).status).toBe(204)
    expect(await all()).toEqual([404, 404, 404, 404, 0])
    expect((await owner.rest['customObjectRestore']!({ id: siteVisit.id })).status).toBe(200)
    expect(await all()).toEqual([200, 200, 200, 200, 1])
  })

  it('is attached only to a live record that the caller sees, of the object that it names', async () => {
    await object(owner, { name: 'ship' })
    const { id } = await visit(member, { subject: 'Pump' })
    const { id: mine } = await visit(own, { subject: 'Tank' })
    const foreign = await withSiteVisits(platform)
    const theirs = await visit(foreign.owner, { subject: 'Theirs' })
    const before = await platform.fingerprint(owner.organizationId)
    const refused = (path: string, code: string) => `400 VALIDATION_FAILED ${path} ${code}`
    const unknownId = refused('relatedToId', 'UNKNOWN_REFERENCE')
    expect(problemsOf(await creating(about(id), own))).toBe(unknownId)
    expect(problemsOf(await creating(about(mine, 'custom:ship'), own))).toBe(unknownId)
    expect(problemsOf(await creating(about(mine, 'ACCOUNT'), own))).toBe(unknownId)
    expect(problemsOf(await creating(about(theirs.id), own))).toBe(unknownId)
    expect(problemsOf(await creating(about(mine, 'custom:yard'), own))).toBe(
      refused('relatedToType', 'UNKNOWN_REFERENCE'),
    )
    for (const type of ['custom:Site', 'LEADS', 'site_visit'])
      expect(problemsOf(await creating(about(mine, type), own))).toBe(refused('relatedToType', 'NOT_ALLOWED'))
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    expect((await removeVisit(mine)).status).toBe(204)
    expect(problemsOf(await creating(about(mine), own))).toBe(unknownId)
  })

  it('has events that those receive who see the record', async () => {
    const { id: recordId } = await visit(member, { subject: 'Pump' })
    const { id: mine } = await visit(own, { subject: 'Tank' })
    const [hidden, id] = [await add(about(recordId), member), await add(about(mine), member)]
    await platform.query('select kernel.assign_event_positions(10000)')
    const seen = async (by: Member) => {
      const { status, body } = await by.rest['eventList']!({ query: { types: 'file.created', limit: 100 } } as never)
      expect(status, JSON.stringify(body)).toBe(200)
      return (body.data as { data: { id: string } }[]).map(({ data }) => data.id)
    }
    expect([await seen(own), await seen(member)]).toEqual([[id], [hidden, id]])
  })

  it('explains who sees it by its record', async () => {
    const { id: recordId } = await visit(member, { subject: 'Pump' })
    const id = await add(about(recordId), member)
    const query = { actor: own.userId, object: 'file', id, operation: 'READ' }
    const headers = { Authorization: `Bearer ${await sessionOf(platform, owner)}` }
    const { body } = await restClient(platform.contract, platform.url, headers)['explainAccess']!({ query } as never)
    expect(body).toMatchObject({ allowed: false, rule: 'VISIBILITY' })
    expect(JSON.stringify(body.reasons)).toContain(`users who can see custom:site_visit ${recordId}`)
  })
})
