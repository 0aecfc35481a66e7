import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { createApiKey, updateUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account } from '../builders.ts'
import { anApp, aPerson, discovered, tokensOf, withToken, type Person } from '../oauth/oauth.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type RestClient } from '../rest-client.ts'

const platform = usePlatform()
const initialize = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'agent', version: '1' },
  },
}

type Headers = Readonly<Record<string, string>>

const post = (headers: Headers, message: object): Promise<Response> =>
  fetch(`${platform.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })

const calling = (headers: Headers, name: string, args: object): Promise<Response> =>
  post(headers, { method: 'tools/call', params: { name, arguments: args } })

/** The result of a call of a tool whose client cannot ask its user. */
async function call(headers: Headers, name: string, args: object): Promise<Record<string, unknown>> {
  const { result, error } = (await (await calling(headers, name, args)).json()) as {
    readonly result?: { readonly content: readonly [{ readonly text: string }] }
    readonly error?: object
  }
  return result ? (JSON.parse(result.content[0].text) as Record<string, unknown>) : { error }
}

/** Headers of a client that can ask its user. */
const asking = async (headers: Headers): Promise<Headers> => ({
  ...headers,
  'mcp-session-id': (await post(headers, initialize)).headers.get('mcp-session-id')!,
})

interface Question {
  readonly id: string
  readonly params: { readonly message: string }
}

interface Asked {
  /** Null if the call was answered without a question. */
  readonly question: Question | null
  readonly rest: () => Promise<string>
}

/** Calls `confirm_change`, and reads until the question to the user has come. */
async function confirming(headers: Headers, proposalId: unknown): Promise<Asked> {
  const reader = (await calling(headers, 'confirm_change', { proposalId })).body!.getReader()
  let text = ''
  const read = async (): Promise<boolean> => {
    const { done, value } = await reader.read()
    if (value) text += Buffer.from(value).toString()
    return !done
  }
  const question = (): Question | null => {
    const data = text.split('\n').find((line) => line.includes('elicitation/create') && line.endsWith('}'))
    return data === undefined ? null : (JSON.parse(data.slice(data.indexOf('{'))) as Question)
  }
  while (!question() && (await read()));
  const rest = async (): Promise<string> => {
    while (await read());
    return text
  }
  return { question: question(), rest }
}

const answer = (headers: Headers, question: Question, action: string): Promise<Response> =>
  post(headers, { id: question.id, result: { action } })

let ann: Member
let accountId: string
const change = (input: object) => ({ action: 'update', object: 'account', id: accountId, input })
const read = async () => (await ann.rest.account!({ id: accountId })).body

/** A further key of the user. */
async function keyOf(scopes: readonly string[]): Promise<{ id: string; headers: Headers; rest: RestClient }> {
  const { id, secret } = await createApiKey(platform.services, ann.organizationId, {
    ownerId: ann.userId,
    name: 'agent',
    scopes: [...scopes],
  })
  const headers = { 'X-API-Key': secret }
  return { id, headers, rest: restClient(platform.contract, platform.url, headers) }
}

beforeAll(async () => {
  ann = await platform.member()
})
beforeEach(async () => {
  ann = await platform.member({ organizationId: ann.organizationId })
  accountId = (await account(ann, { name: 'Halvorsen Marine', description: 'Old secret' })).id
})

describe('a credential that has lost scopes after a change was proposed', () => {
  const agentScopes = ['WRITE_ACCOUNTS', 'WRITE_CASES', 'READ_CONVERSATIONS']

  it('cannot make it, nor have its user asked for it, and is shown nothing that was read for it', async () => {
    const { id, headers, rest } = await keyOf(agentScopes)
    const mark = await asking(headers)
    const { proposalId } = await call(headers, 'propose_change', change({ description: 'New' }))
    expect((await rest.proposal!({ id: String(proposalId) })).body.before).toEqual({ description: 'Old secret' })
    const before = await read()
    const session = { Authorization: `Bearer ${await sessionOf(platform, ann)}` }
    const owner = restClient(platform.contract, platform.url, session)
    const scopes = ['WRITE_CASES', 'READ_CONVERSATIONS']
    expect((await owner.apiKeyUpdate!({ id, body: { scopes } })).status).toBe(200)
    platform.advanceClock(1_000)
    for (const one of [headers, mark]) {
      const { question, rest: ended } = await confirming(one, proposalId)
      const text = await ended()
      expect([question, text]).toEqual([null, expect.stringContaining('WRITE_ACCOUNTS')])
      expect(text).not.toMatch(/Old secret|Halvorsen/)
    }
    const shown = (await rest.proposal!({ id: String(proposalId) })).body
    expect(shown).toMatchObject({ before: null, summary: 'Update account: description', status: 'PENDING' })
    expect((await rest.proposalList!()).body).toEqual([shown])
    expect(await read()).toEqual(before)
    expect((await ann.rest.proposalConfirm!({ id: String(proposalId) })).body).toMatchObject({
      status: 'CONFIRMED',
      before: { description: 'Old secret' },
    })
  })

  it('is not shown what a profile hides by now, and its user neither', async () => {
    const { headers } = await keyOf(agentScopes)
    const mark = await asking(headers)
    const { proposalId } = await call(headers, 'propose_change', change({ description: 'New' }))
    const ctx = systemContext(platform.services, ann.organizationId)
    const profile = await createProfile(ctx, {
      name: `No description ${randomUUID()}`,
      fields: { account: { description: 'HIDDEN' } } as never,
    })
    await assignProfile(ctx, ann.userId, profile.id)
    platform.advanceClock(1_000)
    const { question, rest } = await confirming(mark, proposalId)
    expect(question!.params.message).toBe('Update account: description?\ndescription: "New"')
    await answer(mark, question!, 'accept')
    expect(await rest()).toContain('description')
    const [row] = await platform.query('select description from crm.account where id = $1', [accountId])
    expect(row).toEqual({ description: 'Old secret' })
  })

  it('that is revoked gets 401 from every method', async () => {
    const { id, headers } = await keyOf(agentScopes)
    const mark = await asking(headers)
    const { proposalId } = await call(headers, 'propose_change', change({ description: 'New' }))
    const session = { Authorization: `Bearer ${await sessionOf(platform, ann)}` }
    expect((await restClient(platform.contract, platform.url, session).apiKeyRevoke!({ id })).status).toBeLessThan(300)
    platform.advanceClock(1_000)
    const answers = [
      await post(headers, initialize),
      await post(headers, { method: 'tools/list' }),
      await calling(mark, 'confirm_change', { proposalId }),
      await post(mark, { id: `confirm-${newId()}`, result: { action: 'accept' } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect((await read()).description).toBe('Old secret')
  })
})

describe('a change whose record has changed since it was proposed', () => {
  it.each<[string, () => Promise<unknown>, RegExp, string]>([
    [
      'by somebody else',
      () => ann.rest.accountUpdate!({ id: accountId, body: { description: 'Theirs' } }),
      /changed|version/i,
      'STALE',
    ],
    ['because it was deleted', () => ann.rest.accountDelete!({ id: accountId }), /not found/, 'FAILED'],
    [
      'because its user does not see it any more',
      async () => {
        await platform.query('update crm.account set owner_id = null where id = $1', [accountId])
        await updateUser(platform.services, ann.organizationId, ann.userId, { visibility: 'OWN' })
        platform.advanceClock(1_000)
      },
      /not found/,
      'FAILED',
    ],
  ])('%s, is not made, although its user accepts', async (_, happen, words, status) => {
    const { headers } = await keyOf(['*'])
    const mark = await asking(headers)
    const { proposalId } = await call(headers, 'propose_change', change({ description: 'Mine' }))
    await happen()
    const stored = () =>
      platform.query('select description, version, deleted_at from crm.account where id = $1', [accountId])
    const before = await stored()
    const { question, rest } = await confirming(mark, proposalId)
    await answer(mark, question!, 'accept')
    expect(await rest()).toMatch(words)
    expect(await stored()).toEqual(before)
    expect((await ann.rest.proposal!({ id: String(proposalId) })).body.status).toBe(status)
  })
})

describe('a question to a user', () => {
  it('has all of what will be written, however long it is, and the page too', async () => {
    const description = `${'Nothing of note. '.repeat(600)}Pay to account 7.`
    const mark = await asking(ann.headers)
    const { proposalId } = await call(ann.headers, 'propose_change', change({ description }))
    const { question, rest } = await confirming(mark, proposalId)
    expect(question!.params.message).toBe(
      `Update account Halvorsen Marine: description?\ndescription: "Old secret" → "${description}"`,
    )
    await answer(mark, question!, 'decline')
    await rest()
    const cookie = `access_token=${await sessionOf(platform, ann)}; csrf_token=x`
    const page = await fetch(`${platform.url}/proposals/${String(proposalId)}`, { headers: { cookie } })
    expect(await page.text()).toContain('Pay to account 7.')
  })

  it('is answered by that user only, whoever knows its id', async () => {
    const mark = await asking(ann.headers)
    const { proposalId } = await call(ann.headers, 'propose_change', change({ description: 'Mine' }))
    const { question, rest } = await confirming(mark, proposalId)
    const others = [
      await platform.member({ organizationId: ann.organizationId, role: 'OWNER' }),
      await platform.member({ organizationId: await platform.organization('Other') }),
    ]
    for (const other of others)
      for (const headers of [other.headers, { ...other.headers, 'mcp-session-id': mark['mcp-session-id']! }])
        expect((await answer(headers, question!, 'accept')).status).toBe(202)
    expect((await read()).description).toBe('Old secret')
    await answer(mark, question!, 'decline')
    await answer(mark, question!, 'accept')
    expect(await rest()).toContain('NOT_CONFIRMED')
    expect((await read()).description).toBe('Old secret')
  })
})

describe('a token of an app', () => {
  let person: Person
  beforeAll(async () => {
    person = await aPerson(platform, { role: 'OWNER' })
  })

  it('gets nothing of another organization from any tool, and a session is no credential here', async () => {
    const { proposalId } = await call(ann.headers, 'propose_change', change({ description: 'Mine' }))
    const app = await anApp(person, { scopes: ['WRITE_ACCOUNTS', 'WRITE_CONVERSATIONS'] })
    const { access_token: token } = await tokensOf(
      platform,
      await discovered(platform.url, app),
      person,
      'WRITE_ACCOUNTS WRITE_CONVERSATIONS',
    )
    const headers = { Authorization: `Bearer ${token}` }
    const filters = [{ field: 'id', operator: 'eq', value: accountId }]
    const told = [
      await call(headers, 'get', { object: 'account', id: accountId }),
      await call(headers, 'search', { text: 'Halvorsen' }),
      await call(headers, 'search_documents', { query: 'Halvorsen', recordId: accountId }),
      await call(headers, 'ask', { intent: 'RECORD', object: 'account', filters }),
      await call(headers, 'query', { document: `{ account(id: "${accountId}") { name } }` }),
      await call(headers, 'propose_change', change({ description: 'Theirs' })),
      await call(headers, 'confirm_change', { proposalId }),
    ]
    expect(JSON.stringify(told)).not.toMatch(/Halvorsen Marine|Old secret/)
    const rest = withToken(platform, token)
    expect((await rest.proposalConfirm!({ id: String(proposalId) })).status).toBe(404)
    expect((await rest.proposalList!()).body).toEqual([])
    expect((await read()).description).toBe('Old secret')
    const session = await sessionOf(platform, ann)
    expect((await post({ Authorization: `Bearer ${session}` }, { method: 'tools/list' })).status).toBe(401)
  })
})
