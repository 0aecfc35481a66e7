import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Counters } from '../counters/counters.ts'
import type { Tenancy } from '../database/tenant-database.ts'
import { invalid } from '../errors.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Clock } from '../time/clock.ts'
import type { WorkPool } from '../work/work-pool.ts'
import type { LanguageModel } from './language-model.ts'
import { limitedModel } from './limited-model.ts'
import { localModelIn } from './local-model.ts'
import { providerModel } from './provider-model.ts'
import { budgetedModel } from './token-budget.ts'

interface Dependencies {
  readonly work: WorkPool
  readonly outbound: Outbound
  readonly counters: Counters
  readonly clock: Clock
  readonly tenants: Tenancy
  readonly log: Logger
}

/** The configured providers, or the local model, also where an organization has switched the standard provider off; all with the limits of organizations and credentials, providers also with budgets of tokens. */
export function openLanguageModel(
  {
    languageModel: settings,
    namedModels,
    tokenBudgets: budgets,
  }: Pick<Config, 'languageModel' | 'namedModels' | 'tokenBudgets'>,
  { work, outbound, counters, clock, tenants, log }: Dependencies,
): LanguageModel {
  const now = () => clock.now()
  const provided = (given: NonNullable<typeof settings>): LanguageModel =>
    budgetedModel(providerModel(given, outbound, now), { tenants, budgets, now, log })
  const rules = localModelIn(work)
  const standard = settings ? provided(settings) : rules
  const named = new Map(Object.entries(namedModels).map(([mode, given]) => [mode, provided(given)]))
  const chosen: LanguageModel = {
    stream(request) {
      const { provider, isProviderOff } = request
      const model = provider !== undefined ? named.get(provider) : isProviderOff ? rules : standard
      if (!model)
        throw invalid({ path: 'mode', code: 'MODE_NOT_CONFIGURED', message: 'mode has no configured provider.' })
      return model.stream(request)
    },
  }
  return limitedModel(chosen, counters, now)
}
