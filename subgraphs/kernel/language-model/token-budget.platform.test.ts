import { describe, expect, it } from 'vitest'
import { Refusal } from '../errors.ts'
import { newId } from '../ids.ts'
import type { LanguageModel, ModelUsage } from './language-model.ts'
import { budgetedModel, forgetTokens } from './token-budget.ts'
import { usePlatform } from '../../../test/platform.ts'

const platform = usePlatform()
const messages = [{ role: 'user' as const, content: 'x'.repeat(369) }]
/** `messages` as JSON has 400 bytes, so it is estimated as 100 tokens. */
const promptTokens = 100

/** A provider that says these tokens, or breaks off after a text of 40 bytes. */
function aModel(usage: Omit<ModelUsage, 'isEstimated'> | null, budgets = { userDay: 1000, organizationMonth: 1500 }) {
  let calls = 0
  const provider: LanguageModel = {
    async *stream() {
      calls += 1
      yield { kind: 'text', text: 'y'.repeat(40) }
      if (!usage) throw new Error('broken off')
      yield { kind: 'end', model: 'm', reason: 'stop', usage: { ...usage, isEstimated: false } }
    },
  }
  const { tenants, log } = platform.services
  const model = budgetedModel(provider, { tenants, budgets, now: () => platform.now, log })
  async function call(organizationId: string, userId: string, outputTokensMax = 300): Promise<string> {
    try {
      for await (const _ of model.stream({
        organizationId,
        userId,
        credentialId: 'c',
        isProviderOff: false,
        messages,
        outputTokensMax,
      }));
      return 'OK'
    } catch (error) {
      return error instanceof Refusal
        ? `${error.code} ${String(error.extensions['retryAfter'])}`
        : (error as Error).message
    }
  }
  return { call, calls: () => calls }
}

const tokensOf = async (organizationId: string) =>
  (
    await platform.query<{ tokens: string }>(
      'select tokens from kernel.model_tokens where organization_id = $1 order by day, tokens',
      [organizationId],
    )
  ).map(({ tokens }) => Number(tokens))

describe('the budget of tokens', () => {
  it('charges what the provider reports, and refuses what may exceed the day of the user until midnight', async () => {
    const [organizationId, ann, ben] = [newId(), newId(), newId()]
    platform.now = new Date('2027-02-01T09:00:00.000Z')
    const { call, calls } = aModel({ inputTokens: 200, outputTokens: 100 })
    for (let n = 0; n < 3; n++) expect(await call(organizationId, ann)).toBe('OK')
    expect(await tokensOf(organizationId)).toEqual([900])
    // 900 used, and 100 + 300 may be needed.
    expect(await call(organizationId, ann)).toBe(`TOKEN_LIMIT_REACHED ${15 * 3600}`)
    expect([calls(), await tokensOf(organizationId)]).toEqual([3, [900]])
    expect(await call(organizationId, ben)).toBe('OK')
    // The organization has used 1,200 of 1,500.
    expect(await call(organizationId, ben)).toBe(`TOKEN_LIMIT_REACHED ${27 * 86_400 + 15 * 3600}`)
    expect(calls()).toBe(4)
    platform.now = new Date('2027-02-02T00:00:00.000Z')
    expect(await call(organizationId, ann, 200)).toBe('OK')
    platform.now = new Date('2027-03-01T00:00:00.000Z')
    expect(await call(organizationId, ann)).toBe('OK')
  })

  it('charges the estimate of what was sent and received when the answer breaks off', async () => {
    const [organizationId, ann] = [newId(), newId()]
    expect(await aModel(null).call(organizationId, ann)).toBe('broken off')
    expect(await tokensOf(organizationId)).toEqual([promptTokens + 10])
  })

  it('is never exceeded by calls at the same time', async () => {
    const [organizationId, ann] = [newId(), newId()]
    const { call, calls } = aModel({ inputTokens: 100, outputTokens: 300 })
    const answers = await Promise.all(Array.from({ length: 6 }, () => call(organizationId, ann)))
    expect([answers.filter((answer) => answer === 'OK').length, calls()]).toEqual([2, 2])
    expect(await tokensOf(organizationId)).toEqual([800])
  })

  it('forgets the days that no budget counts', async () => {
    const [organizationId, ann] = [newId(), newId()]
    const { call } = aModel({ inputTokens: 1, outputTokens: 1 })
    await call(organizationId, ann)
    platform.advanceClock(62 * 86_400_000)
    await forgetTokens(platform.services)
    expect(await tokensOf(organizationId)).toEqual([2])
    platform.advanceClock(86_400_000)
    await forgetTokens(platform.services)
    expect(await tokensOf(organizationId)).toEqual([])
  })
})
