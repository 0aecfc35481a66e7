import { describe, expect, it } from 'vitest'
import { MemoryCounters } from '../counters/memory-counters.ts'
import { Refusal } from '../errors.ts'
import type { LanguageModel } from './language-model.ts'
import { limitedModel } from './limited-model.ts'

const beganMs = Date.parse('2027-02-01T09:00:00.000Z')
const minuteMs = 60_000
const usage = { inputTokens: 1, outputTokens: 1, isEstimated: false }

/** A provider that counts its calls, behind the limits of the platform, with a clock that is set by hand. */
function aModel() {
  const state = { nowMs: beganMs, calls: 0 }
  const provider: LanguageModel = {
    async *stream() {
      state.calls += 1
      yield { kind: 'end', model: 'counting', reason: 'stop', usage }
    },
  }
  const model = limitedModel(provider, new MemoryCounters(), () => new Date(state.nowMs))
  /** `OK`, or the code of the refusal with the seconds after which to retry. */
  async function call(organizationId: string, credentialId: string): Promise<string> {
    try {
      for await (const event of model.stream({
        organizationId,
        userId: 'ann',
        credentialId,
        isProviderOff: false,
        messages: [],
      }))
        expect(event.kind).toBe('end')
      return 'OK'
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return `${error.code} ${String(error.extensions['retryAfter'])}`
    }
  }
  return { state, call }
}

describe('a limited model', () => {
  it('is called 5,000 times on one day by an organization, however many credentials it has', async () => {
    const { state, call } = aModel()
    const answers = new Map<string, number>()
    const count = (answer: string) => answers.set(answer, (answers.get(answer) ?? 0) + 1)
    // Four credentials with 25 calls each in a minute reach no other limit.
    for (let minute = 0; minute < 50; minute++) {
      for (let index = 0; index < 100; index++) count(await call('a', `key ${index % 4}`))
      state.nowMs += minuteMs
    }
    expect(answers).toEqual(new Map([['OK', 5000]]))
    const untilTomorrow = 24 * 3600 - 50 * 60
    expect(await call('a', 'key 0')).toBe(`MODEL_RATE_LIMITED ${untilTomorrow}`)
    expect(await call('a', 'another key')).toBe(`MODEL_RATE_LIMITED ${untilTomorrow}`)
    expect(await call('b', 'key of b')).toBe('OK')
    expect(state.calls).toBe(5001)
    state.nowMs = beganMs + 24 * 60 * minuteMs
    expect(await call('a', 'key 0')).toBe('OK')
  })

  it('is called 30 times in a minute by one credential, and 100 times by all of an organization', async () => {
    const { state, call } = aModel()
    const calls = async (credential: string, count: number) => {
      const answers: string[] = []
      for (let index = 0; index < count; index++) answers.push(await call('a', credential))
      return answers.filter((answer) => answer === 'OK').length
    }
    expect(await calls('one', 31)).toBe(30)
    expect([await calls('two', 30), await calls('three', 30), await calls('four', 30)]).toEqual([30, 30, 10])
    expect(state.calls).toBe(100)
  })
})
