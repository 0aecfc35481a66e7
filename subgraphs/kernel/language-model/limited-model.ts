import type { Limit } from '../config/config.ts'
import { secondsOf, type Counters } from '../counters/counters.ts'
import { Refusal } from '../errors.ts'
import type { LanguageModel } from './language-model.ts'
import { modelUnavailable } from './model-error.ts'

const [minuteMs, dayMs] = [60_000, 86_400_000]

/** Calls of the model by one credential, and by all credentials of an organization together. */
export const credentialLimits: readonly Limit[] = [{ max: 30, windowMs: minuteMs }]
export const organizationLimits: readonly Limit[] = [
  { max: 100, windowMs: minuteMs },
  { max: 5_000, windowMs: dayMs },
]
/** Calls of one organization that a process makes at the same time. */
export const concurrentMax = 8

/** A model that an organization, and a credential in it, can call only so often. */
export function limitedModel(model: LanguageModel, counters: Counters, now: () => Date): LanguageModel {
  const running = new Map<string, number>()
  return {
    async *stream(request) {
      const { organizationId, credentialId } = request
      const own = running.get(organizationId) ?? 0
      if (own >= concurrentMax) throw modelUnavailable('is busy with other requests of the organization', 1)
      running.set(organizationId, own + 1)
      try {
        const decisions = await counters.checkAll(
          [
            { space: 'model-credential', key: credentialId, limits: credentialLimits, hits: 1 },
            { space: 'model-organization', key: organizationId, limits: organizationLimits, hits: 1 },
          ],
          now().getTime(),
        )
        const refused = decisions.find(({ allowed }) => !allowed)
        if (refused) {
          const wait = secondsOf(refused.resetMs)
          const message = `The limit of texts by the language model is reached; retry in ${wait} s.`
          throw new Refusal('MODEL_RATE_LIMITED', message, { retryAfter: wait })
        }
        yield* model.stream(request)
      } finally {
        const left = running.get(organizationId)! - 1
        if (left > 0) running.set(organizationId, left)
        else running.delete(organizationId)
      }
    },
  }
}
