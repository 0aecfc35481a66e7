import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { fillLongAccounts } from './isolation.fixture.ts'
import { longestTurnDuring } from './longest-turn.ts'

const platform = usePlatform()
let attacker: Member
let other: Member
let otherAccount: string

beforeAll(async () => {
  attacker = await platform.member()
  other = await platform.member({ organizationId: await platform.organization('Elsewhere') })
  otherAccount = (await account(other, { name: 'Fjordline' })).id as string
})

const send = (member: Member, message: object, more: RequestInit & { mark?: string } = {}): Promise<Response> =>
  fetch(`${platform.url}/mcp`, {
    method: 'POST',
    headers: {
      ...member.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(more.mark !== undefined && { 'mcp-session-id': more.mark }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    ...more,
  })

const call = (member: Member, name: string, args: object, more: RequestInit & { mark?: string } = {}) =>
  send(member, { method: 'tools/call', params: { name, arguments: args } }, more)

interface Listed {
  readonly name: string
  readonly inputSchema: { readonly properties: Readonly<Record<string, unknown>> }
}

const toolsOf = async (member: Member): Promise<readonly Listed[]> =>
  ((await (await send(member, { method: 'tools/list' })).json()) as { result: { tools: Listed[] } }).result.tools

const propose = async (member: Member, id: string): Promise<string> => {
  const change = { action: 'update', object: 'account', id, input: { description: 'Secret plan' } }
  const { result } = (await (await call(member, 'propose_change', change)).json()) as {
    result: { content: [{ text: string }] }
  }
  return (JSON.parse(result.content[0].text) as { proposalId: string }).proposalId
}

/** Arguments of each tool that aim at a record of another organization. */
const aimed = (proposalId: string): Readonly<Record<string, unknown>> => ({
  object: 'account',
  id: otherAccount,
  recordId: otherAccount,
  proposalId,
  text: 'Fjordline',
  intent: 'RECORD',
  filters: [{ field: 'id', operator: 'eq', value: otherAccount }],
  document: `{ account(id: "${otherAccount}") { name } accountList(filter: {id: {eq: "${otherAccount}"}}) { total data { name } } }`,
  action: 'update',
  input: { description: 'Mine' },
})

describe('a hostile client of MCP', () => {
  it('gets nothing of another organization from any tool, and changes nothing there', async () => {
    const proposalId = await propose(other, otherAccount)
    const before = (await other.rest['account']!({ id: otherAccount })).body
    const tools = await toolsOf(attacker)
    expect(tools.length).toBeGreaterThanOrEqual(8)
    for (const { name, inputSchema } of tools) {
      const all = Object.entries(aimed(proposalId))
      const args = Object.fromEntries(all.filter(([key]) => key in inputSchema.properties))
      const answer = await call(attacker, name, args)
      const text = await answer.text()
      expect([name, answer.status, /Fjordline|Secret plan|"total\\*":[1-9]/.test(text)]).toEqual([name, 200, false])
    }
    expect((await other.rest['account']!({ id: otherAccount })).body).toEqual(before)
    expect((await other.rest['proposal']!({ id: proposalId })).body.status).toBe('PENDING')
  })

  it('with a key for something else reads no record of its own organization either', async () => {
    const limited = await platform.member({ organizationId: other.organizationId, scopes: ['READ_EVENTS'] })
    for (const { name, inputSchema } of await toolsOf(limited)) {
      const all = Object.entries(aimed(newId()))
      const args = Object.fromEntries(all.filter(([key]) => key in inputSchema.properties))
      const text = await (await call(limited, name, args)).text()
      expect([name, text.includes('Fjordline')]).toEqual([name, false])
    }
  })

  it('gets no result above its bound, and with 100 calls at once no long turn of the process', async () => {
    const parent = await account(attacker, { name: 'Parent' })
    await fillLongAccounts(platform, attacker, 200, parent.id as string)
    const lists = '{ accountList(limit: 100) { data { id description billingCity } } }'
    for (const [name, args] of [
      ['query', { document: lists }],
      ['ask', { intent: 'LIST', object: 'account', limit: 50 }],
      ['search', { text: 'Account' }],
    ] as const) {
      const text = await (await call(attacker, name, args)).text()
      expect([name, text.length < 40_000]).toEqual([name, true])
    }
    const statuses = new Set<number>()
    const turnMs = await longestTurnDuring(async () => {
      const answers = Array.from({ length: 100 }, () => call(attacker, 'get', { object: 'account', id: 'x' }))
      for (const answer of await Promise.all(answers)) {
        statuses.add(answer.status)
        await answer.arrayBuffer()
      }
    })
    expect([...statuses]).toEqual([200])
    expect(turnMs).toBeLessThan(60)
  })

  it('has at most 50 questions waiting, and leaves those of others alone', async () => {
    const initialize = {
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'x', version: '1' },
      },
    }
    const markOf = async (member: Member) => (await send(member, initialize)).headers.get('mcp-session-id')!
    const [mark, otherMark] = [await markOf(attacker), await markOf(other)]
    const { id } = await account(attacker, { name: 'Asked' })
    const [proposalId, otherProposal] = [await propose(attacker, id as string), await propose(other, otherAccount)]
    const leaving = new AbortController()
    const { signal } = leaving
    const kind = ({ headers }: Response) => headers.get('content-type')!.split(';')[0]
    const ask = () => call(attacker, 'confirm_change', { proposalId }, { mark, signal })
    const asked = await Promise.all(Array.from({ length: 50 }, ask))
    expect(new Set(asked.map(kind))).toEqual(new Set(['text/event-stream']))
    const further = await ask()
    expect([kind(further), await further.text()]).toEqual([
      'application/json',
      expect.stringContaining('CONFIRMATION_NEEDED'),
    ])
    const theirs = await call(other, 'confirm_change', { proposalId: otherProposal }, { mark: otherMark, signal })
    expect(kind(theirs)).toBe('text/event-stream')
    leaving.abort()
    await expect
      .poll(async () => {
        const again = new AbortController()
        const answer = await call(attacker, 'confirm_change', { proposalId }, { mark, signal: again.signal })
        again.abort()
        return kind(answer)
      })
      .toBe('text/event-stream')
  })
})
