import type { ServerResponse } from 'node:http'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countCpu } from '../../subgraphs/extensions/function/function-limits.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { allow, useHookReceiver, type HookRequest } from './hook-receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()

let owner: Member

/** Each test has an organization of its own, so that it has only its own hooks. */
async function anOrganization(): Promise<void> {
  const organizationId = await platform.organization('Failing hooks')
  owner = await platform.member({ organizationId, role: 'OWNER' })
}

beforeAll(anOrganization)
beforeEach(() => receiver.reset())

async function aHook(given: object): Promise<string> {
  const body = { objectType: 'ACCOUNT', name: 'Failing', url: receiver.url, timeoutMs: 250, ...given }
  const answer = await owner.rest['beforeSaveHookCreate']!({ body } as never)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id as string
}

const create = (name = 'A') => owner.rest['accountCreate']!({ body: { name } })
const errorOf = async (id: string) => {
  const { body } = await owner.rest['beforeSaveHook']!({ id })
  return [body.consecutiveFailures, body.lastError]
}

type Answering = (request: HookRequest, response: ServerResponse) => unknown

const withText =
  (text: string): Answering =>
  (_request, response) =>
    void response.writeHead(200).end(text)

/** Ways not to decide, and what the administrators of the hook read about them. */
const hostile: readonly (readonly [string, Answering, string])[] = [
  ['no answer', () => undefined, 'There was no complete answer within 250 ms.'],
  [
    'a body without end',
    (_request, response) => {
      response.writeHead(200)
      const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), more))
      more()
    },
    '',
  ],
  ['no JSON', withText('{"results": ['), 'The answer is not valid: it is no JSON.'],
  ['JSON that is too deep', withText('['.repeat(100_000)), 'The answer is not valid: it has more than 64 levels.'],
  ['another form', withText('[]'), 'The answer is not valid: it must be an object with the list results.'],
  [
    'another number of results',
    () => ({ results: [] }),
    'The answer is not valid: results must have one item for each of the 1 records.',
  ],
  ['no decision', () => ({ results: [{}] }), 'The answer is not valid: results.0.decision must be ALLOW or REJECT.'],
  [
    'changes that are no object',
    () => ({ results: [{ decision: 'ALLOW', changes: [1] }] }),
    'The answer is not valid: results.0.changes must be an object.',
  ],
  [
    'a redirect',
    (_request, response) => void response.writeHead(307, { Location: `${receiver.url}/other` }).end(),
    'The address answered with the redirect 307; redirects are not followed.',
  ],
  ['an error', (_request, response) => void response.writeHead(500).end(), 'The address answered with status 500.'],
  [
    'a closed connection',
    (_request, response) => void response.destroy(),
    'The connection was closed before the answer was complete.',
  ],
]

describe('a hook that cannot decide', () => {
  it.each(hostile)(
    'with %s lets the change go on if it fails open, and refuses it if it fails closed',
    async (_, answering, message) => {
      await anOrganization()
      const id = await aHook({ failureMode: 'FAIL_OPEN' })
      receiver.decide = answering
      expect((await create()).status).toBe(201)
      const [failures, error] = await errorOf(id)
      expect(failures).toBe(1)
      if (message) expect(error).toBe(message)
      const change = { id, body: { failureMode: 'FAIL_CLOSED' } }
      expect((await owner.rest['beforeSaveHookUpdate']!(change)).status).toBe(200)
      const refused = await create('B')
      expect([refused.status, refused.body.code, refused.body.hook]).toEqual([503, 'HOOK_UNAVAILABLE', 'Failing'])
      expect((await owner.rest['accountList']!({})).body.total).toBe(1)
      // More than two, where this process learned of the change of the hook by its write only, which was decided again.
      expect((await errorOf(id))[0]).toBeGreaterThanOrEqual(2)
      expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/decide']))
    },
  )

  it('does not keep another organization waiting', async () => {
    await anOrganization()
    const other = await platform.member({ organizationId: await platform.organization('Other') })
    await aHook({ timeoutMs: 5_000, failureMode: 'FAIL_CLOSED' })
    const held: ServerResponse[] = []
    receiver.decide = (_request, response) => void held.push(response)
    const waiting = Array.from({ length: 20 }, () => create())
    await expect.poll(() => held.length).toBe(20)
    for (let n = 0; n < 20; n++) expect((await account(other)).id).toBeDefined()
    const results = JSON.stringify(allow({ records: [{}] } as never))
    for (const response of held) response.writeHead(200).end(results)
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(20).fill(201))
  })
})

describe('a hook that failed five times in a row', () => {
  it('is not called for 30 s by any process, then again, and one success ends it', async () => {
    await anOrganization()
    const id = await aHook({ failureMode: 'FAIL_CLOSED' })
    receiver.decide = (_request, response) => void response.writeHead(500).end()
    for (let n = 0; n < 5; n++) expect((await create()).status).toBe(503)
    platform.now = new Date(platform.now.getTime() + 10_000)
    const paused = await create()
    expect([paused.status, paused.headers.get('retry-after'), receiver.received.length]).toEqual([503, '20', 5])
    platform.now = new Date(platform.now.getTime() + 20_000)
    expect((await create()).status).toBe(503)
    expect(receiver.received).toHaveLength(6)
    expect((await create()).status).toBe(503)
    expect(receiver.received).toHaveLength(6)
    platform.now = new Date(platform.now.getTime() + 30_000)
    receiver.reset()
    expect((await create()).status).toBe(201)
    expect(await errorOf(id)).toEqual([0, null])
    const rows = await platform.query('select 1 from extensions.before_save_hook_failure where hook_id = $1', [id])
    expect(rows).toEqual([])
  })
})

describe('a function that decides', () => {
  const source = (body: string) => `export default async (input) => { ${body} }`
  const decided = 'return { results: input.records.map(() => ({ decision: "ALLOW" })) }'

  async function aFunction(apiName: string, body: string, given: object = {}): Promise<string> {
    const settings = { apiName, name: 'Decide', language: 'javascript', source: source(body), ...given }
    const { status, body: made } = await owner.rest['serverlessFunctionCreate']!({ body: settings })
    expect(status).toBe(201)
    return made.id as string
  }

  it('has the smaller of both timeouts, and its failures are those of the hook', async () => {
    await anOrganization()
    await aFunction('endless', 'for (;;) {}', { timeoutMs: 30_000 })
    const id = await aHook({ url: null, function: 'endless', failureMode: 'FAIL_CLOSED' })
    expect((await create()).body.code).toBe('HOOK_UNAVAILABLE')
    expect((await errorOf(id))[1]).toMatch(/^The function ended with TIMEOUT/)
    const [row] = await platform.query(
      `select trigger, status, duration_ms as "durationMs" from extensions.function_invocation where organization_id = $1`,
      [owner.organizationId],
    )
    expect(row).toMatchObject({ trigger: 'HOOK', status: 'TIMEOUT' })
    expect(row!.durationMs).toBeLessThan(1_500)
  })

  it('that may not run now is no failure of the hook, and says when the change may be sent again', async () => {
    await anOrganization()
    await aFunction('busy', decided)
    const id = await aHook({ url: null, function: 'busy', timeoutMs: 5_000, failureMode: 'FAIL_CLOSED' })
    for (const ms of [29_999, 29_999, 29_999]) await countCpu(platform.services, owner.organizationId, ms)
    const { status, body, headers } = await create()
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'HOOK_UNAVAILABLE', '60'])
    expect((await errorOf(id))[0]).toBe(0)
  })

  it('cannot decide while it is turned off, or has no version', async () => {
    await anOrganization()
    const functionId = await aFunction('off', decided, { isActive: false })
    const id = await aHook({ url: null, function: 'off', timeoutMs: 5_000, failureMode: 'FAIL_CLOSED' })
    expect((await create()).status).toBe(503)
    expect((await errorOf(id))[1]).toBe('The function off is turned off.')
    expect((await owner.rest['serverlessFunctionUpdate']!({ id: functionId, body: { isActive: true } })).status).toBe(
      200,
    )
    expect((await create()).status).toBe(201)
    await platform.query('update extensions.function set deployed_version_id = null where id = $1', [functionId])
    expect((await create()).status).toBe(503)
    expect((await errorOf(id))[1]).toBe('The function off has no version that is deployed.')
  })

  it('is not deleted while a hook names it', async () => {
    await anOrganization()
    const functionId = await aFunction('needed', decided)
    const id = await aHook({ url: null, function: 'needed', isActive: false })
    const refused = await owner.rest['serverlessFunctionDelete']!({ id: functionId })
    expect([refused.status, refused.body.code, refused.body.usedBy]).toEqual([
      409,
      'HAS_DEPENDENTS',
      [{ object: 'before_save_hook', id, name: 'Failing' }],
    ])
    expect((await owner.rest['serverlessFunction']!({ id: functionId })).body.apiName).toBe('needed')
    expect((await owner.rest['beforeSaveHookDelete']!({ id })).status).toBe(204)
    expect((await owner.rest['serverlessFunctionDelete']!({ id: functionId })).status).toBe(200)
  })
})
