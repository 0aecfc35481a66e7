import type { Config } from '../config/config.ts'
import type { Counters } from '../counters/counters.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Clock } from '../time/clock.ts'
import type { WorkPool } from '../work/work-pool.ts'
import type { LanguageModel } from './language-model.ts'
import { limitedModel } from './limited-model.ts'
import { localModelIn } from './local-model.ts'
import { providerModel } from './provider-model.ts'

interface Dependencies {
  readonly work: WorkPool
  readonly outbound: Outbound
  readonly counters: Counters
  readonly clock: Clock
}

/** The configured provider, or the local model; both with the limits of organizations and credentials. */
export function openLanguageModel(
  { languageModel: settings }: Pick<Config, 'languageModel'>,
  { work, outbound, counters, clock }: Dependencies,
): LanguageModel {
  const now = () => clock.now()
  return limitedModel(settings ? providerModel(settings, outbound, now) : localModelIn(work), counters, now)
}
