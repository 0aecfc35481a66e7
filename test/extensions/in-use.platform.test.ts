import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'
import { sessionOf } from '../requests/session.ts'
import { workflowsOf } from './workflows.fixture.ts'

const platform = usePlatform()
let flows: ReturnType<typeof workflowsOf>
let owner: Member

beforeAll(() => {
  flows = workflowsOf(platform)
})
beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
})

const created = async (operation: string, body: object): Promise<string> => {
  const answer = await owner.rest[operation]!({ body } as never)
  expect([answer.status, answer.body.errors]).toEqual([201, undefined])
  return answer.body.id as string
}
const source = 'export default () => ({})'
const aFunction = (apiName: string) =>
  created('serverlessFunctionCreate', { apiName, name: apiName, source, language: 'javascript' })
const schemas = { inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }
const anAction = (apiName: string, values: object) =>
  created('customActionCreate', { apiName, label: apiName, ...schemas, ...values })

/** Deletes nothing, and says what uses it. */
async function refused(send: () => Promise<Answer>, usedBy: readonly object[]): Promise<void> {
  const before = await platform.fingerprint(owner.organizationId)
  const { status, body } = await send()
  expect([status, body.code, body.usedBy]).toEqual([409, 'HAS_DEPENDENTS', usedBy])
  expect(await platform.fingerprint(owner.organizationId)).toBe(before)
}

describe('a function and an action that a version of a workflow names', () => {
  it('are not deleted before the last run of this version has ended', async () => {
    const functionId = await aFunction('count')
    const actionId = await anAction('ping', { function: 'count' })
    const steps = [
      { id: 'wait', type: 'DELAY', config: { minutes: 10 }, next: 'action' },
      { id: 'action', type: 'CUSTOM_ACTION', config: { actionApiName: 'ping', input: {} }, next: 'function' },
      { id: 'function', type: 'FUNCTION', config: { functionApiName: 'count' } },
    ]
    const { id } = await flows.activate(owner, { name: 'Old', steps })
    const run = await flows.start(owner, id)
    await flows.work()
    const task = { id: 'task', type: 'CREATE_TASK', config: { subject: 'New' } }
    expect((await owner.rest.workflowUpdate!({ id, body: { steps: [task] } })).body.stepsVersion).toBe(2)
    const usedBy = [{ object: 'workflow', id, name: 'Old' }]
    await refused(() => owner.rest.customActionDelete!({ id: actionId }), usedBy)
    await refused(
      () => owner.rest.serverlessFunctionDelete!({ id: functionId }),
      [{ object: 'custom_action', id: actionId, name: 'ping' }, ...usedBy],
    )
    platform.advanceClock(600_001)
    await flows.pass(600_001)
    await flows.work()
    expect((await flows.read(owner, run)).status).toBe('SUCCEEDED')
    expect((await owner.rest.customActionDelete!({ id: actionId })).status).toBe(204)
    expect((await owner.rest.serverlessFunctionDelete!({ id: functionId })).status).toBe(200)
  })
})

describe('a function and an action that an execution of an AI workflow has planned', () => {
  it('are not deleted before the execution has ended', async () => {
    const functionId = await aFunction('count')
    const actionId = await anAction('ping', { url: 'https://erp.example.com/ping' })
    const task = { type: 'CREATE_TASK', config: { subject: 'Call' } }
    const trigger = { name: 'Qualify', eventType: 'lead.created', prompt: 'Summarize.', actions: [task] }
    const triggerId = await created('aiTriggerCreate', trigger)
    const planned = (type: string, id: string) => ({ type, status: 'PLANNED', values: { id } })
    const execution = newId()
    await platform.query(
      `insert into assistant.ai_execution (organization_id, id, trigger_id, owner_id, status, depth, plan, created_at, expires_at)
       values ($1, $2, $3, $4, 'AWAITING_APPROVAL', 1, $5, now(), now() + interval '1 day')`,
      [
        owner.organizationId,
        execution,
        triggerId,
        owner.userId,
        JSON.stringify([planned('CUSTOM_ACTION', 'ping'), planned('FUNCTION', 'count')]),
      ],
    )
    const usedBy = [{ object: 'ai_execution', id: execution, name: 'Qualify' }]
    await refused(() => owner.rest.customActionDelete!({ id: actionId }), usedBy)
    await refused(() => owner.rest.serverlessFunctionDelete!({ id: functionId }), usedBy)
    expect((await owner.rest.aiExecutionReject!({ id: execution, body: { reason: 'No.' } })).status).toBe(200)
    expect((await owner.rest.customActionDelete!({ id: actionId })).status).toBe(204)
    expect((await owner.rest.serverlessFunctionDelete!({ id: functionId })).status).toBe(200)
  })
})

describe('a named credential', () => {
  const aCredential = async (apiName: string, baseUrl: string) => {
    const authorization = `Bearer ${await sessionOf(platform, owner)}`
    const send = async (method: string, path: string, body?: object): Promise<Answer> => {
      const headers = { authorization, 'content-type': 'application/json' }
      const answer = await fetch(platform.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) }
    }
    const values = { apiName, label: apiName, baseUrl, authType: 'NONE' }
    const { status, body } = await send('POST', '/v1/named-credentials', values)
    expect(status).toBe(201)
    return () => send('DELETE', `/v1/named-credentials/${body.id}`)
  }

  it('is not deleted while a URL lies under it, however the URL is written', async () => {
    const remove = await aCredential('erp', 'https://erp.example.com/api')
    const longer = await aCredential('stock', 'https://ERP.example.com:443/api/v2')
    const other = await aCredential('other', 'https://erp.example.com/ap')
    const action = await anAction('ping', { url: 'https://ERP.example.com:443/api?tenant=1' })
    const url = 'https://erp.example.com/x/../api/decide'
    const hook = await created('beforeSaveHookCreate', { objectType: 'TASK', name: 'Check', url, isActive: false })
    await anAction('stock', { url: 'https://erp.example.com/api/v2/stock' })
    const get = { method: 'GET', url: 'https://erp.example.com/api/{{input.path}}' }
    const steps = ['first', 'second'].map((id, n) => ({
      id,
      type: 'HTTP_REQUEST',
      config: get,
      next: n ? null : 'second',
    }))
    const { id: workflow } = await flows.create(owner, { name: 'Asks', steps })
    await refused(remove, [
      { object: 'custom_action', id: action, name: 'ping' },
      { object: 'before_save_hook', id: hook, name: 'Check' },
      { object: 'workflow', id: workflow, name: 'Asks' },
    ])
    await refused(longer, [{ object: 'custom_action', id: expect.any(String), name: 'stock' }])
    expect((await other()).status).toBe(204)
    expect((await owner.rest.customActionDelete!({ id: action })).status).toBe(204)
    expect((await owner.rest['beforeSaveHookDelete']!({ id: hook })).status).toBe(204)
    expect((await owner.rest.workflowUpdate!({ id: workflow, body: { steps: [] } })).status).toBe(200)
    expect((await remove()).status).toBe(204)
  })
})
