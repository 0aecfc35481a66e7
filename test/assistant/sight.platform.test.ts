import { beforeAll, describe, expect, it } from 'vitest'
import type { Answering } from '../../subgraphs/assistant/answer/answering.ts'
import { search } from '../../subgraphs/assistant/tool/read-tools.ts'
import { runTool } from '../../subgraphs/assistant/tool/registry.ts'
import { answerLocally, askQuestion } from '../../subgraphs/assistant/question/public.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, opportunity, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { contextOf } from './organization.fixture.ts'

const platform = usePlatform()
let member: Member
let caller: Caller
let ownedId: string

beforeAll(async () => {
  member = await platform.member()
  const other = await platform.member({ organizationId: member.organizationId })
  const owned = await account(member, { name: 'Halvorsen Marine', annualRevenue: 1000.25 })
  ownedId = owned.id
  await account(other, { name: 'Northwind Traders', annualRevenue: 500.5 })
  const stranger = await platform.member({ organizationId: await platform.organization('Other') })
  await account(stranger, { name: 'Zephyr Secrets', annualRevenue: 9_999_999 })
  await supportCase(member, { accountId: ownedId })
  caller = {
    kind: 'API_KEY',
    organizationId: member.organizationId,
    userId: member.userId,
    role: 'MEMBER',
    visibility: 'ALL',
    ownerIds: null,
    fields: null,
    entitlements: [],
    scopes: ['*'],
    credentialId: member.keyId,
    ip: '127.0.0.1',
    userAgent: 'test',
  }
})

const answer = (message: string, more: Partial<Caller> = {}) =>
  answerLocally(contextOf(platform, { ...caller, ...more }), { message, context: null, zone: 'UTC' })

describe('what a caller may see', () => {
  it('counts the records of a caller with the visibility OWN', async () => {
    expect((await answer('How many accounts are there?')).content).toBe('**2** accounts.')
    const own = await answer('How many accounts are there?', { visibility: 'OWN', ownerIds: [member.userId] })
    expect(own.content).toBe('**1** account.')
  })

  it('has no sum of a hidden field and says so', async () => {
    const question = 'What is the total annual revenue of all accounts?'
    const { content } = await answer(question)
    expect(content).toContain('**1,500.75**')
    const hidden = await answer(question, { fields: { account: { annualRevenue: 'HIDDEN' } } })
    expect(hidden.content).toMatch(/^You may not read a field/)
    expect(hidden.content).not.toMatch(/\*\*|1,500/)
    expect(hidden.toolCalls).toMatchObject([{ status: 'ERROR', output: { error: expect.any(String) } }])
  })

  it('names the scope that is missing', async () => {
    const { content, citations } = await answer('How many cases are there?', { scopes: ['READ_ACCOUNTS'] })
    expect(content).toContain('READ_CASES')
    expect([content.includes('**'), citations]).toEqual([false, []])
  })

  it('does not understand names of another organization, like names that do not exist', async () => {
    const [foreign, missing] = [await answer('Who owns Zephyr Secrets?'), await answer('Who owns Zephyr Nothing?')]
    expect(foreign.notUnderstood).toEqual(['Zephyr Secrets'])
    expect(foreign.content).toBe(missing.content.replace('Nothing', 'Secrets'))
    expect((await answer('Who owns Halvorsen Marine?')).citations).toMatchObject([{ entityId: ownedId }])
  })

  it('refuses changes and changes nothing', async () => {
    const before = await platform.fingerprint(member.organizationId)
    for (const message of [
      'Delete all accounts',
      'Please update Halvorsen Marine',
      'List the accounts and delete them',
    ])
      expect((await answer(message)).content).toContain('nothing was changed')
    expect(await platform.fingerprint(member.organizationId)).toBe(before)
  })

  it('gives no number when a word is not understood', async () => {
    const { content, notUnderstood } = await answer('How many accounts are purple?')
    expect([content.includes('**'), notUnderstood]).toEqual([false, ['purple']])
  })

  it('names every problem of a question', async () => {
    const question = {
      intent: 'SUM',
      object: 'account',
      measure: 'name',
      filters: [{ field: 'type', operator: 'eq', value: 'X' }],
    }
    await expect(askQuestion(platform.services, caller, question, newId())).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extensions: { errors: [{ path: 'filters.0.value' }, { path: 'measure' }] },
    })
  })

  it.each(['a '.repeat(2000), '"'.repeat(4000), 'Ab'.repeat(2000), '1,'.repeat(2000), '"a '.repeat(1300)])(
    'ends at once with a hostile message',
    async (message) => {
      const startedMs = performance.now()
      const { content } = await answer(message)
      expect(content).not.toMatch(/\*\*/)
      expect(performance.now() - startedMs).toBeLessThan(2000)
    },
  )
})

describe('a search in all record types', () => {
  it('is one read for every limit of the caller', async () => {
    const organizationId = await platform.organization('Searched')
    const searcher = await platform.member({ organizationId })
    const { id } = await account(searcher, { name: 'Findable Marine' })
    await opportunity(searcher, { name: 'Findable pumps', accountId: id })
    const searching = { ...caller, organizationId, userId: searcher.userId }
    const { graph } = platform.services
    let reads = 0
    const counting = {
      check: graph.check.bind(graph),
      execute: graph.execute.bind(graph),
      read: (...args: Parameters<typeof graph.read>) => {
        reads += 1
        return graph.read(...args)
      },
    }
    const ctx = { ...contextOf(platform, searching), graph: counting } as unknown as Answering
    const { text, error } = await runTool({ ctx, heard: null, signal: new AbortController().signal }, search, {
      text: 'Findable',
    })
    expect(error).toBeNull()
    const { hits } = JSON.parse(text) as { hits: { object: string; total: number }[] }
    expect(hits.map(({ object, total }) => [object, total])).toEqual([
      ['account', 1],
      ['opportunity', 1],
    ])
    expect(reads).toBe(1)
  })
})
