import { actorIdOf } from '../../kernel/context.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import type { JsonObject } from '../../kernel/record/org-record.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { defaultSettings } from './default-settings.ts'
import type {
  DunningConfiguration,
  DunningSettings,
  DunningStep,
  DunningStepInput,
  DunningUpdateInput,
} from './dunning-configuration.ts'
import { referenceProblems, settingsProblems } from './dunning.rules.ts'

interface Stored {
  readonly settings: Partial<DunningSettings>
  readonly version: number
  readonly updatedAt: string
}

const configurationOf = (stored: Stored | undefined): DunningConfiguration => ({
  ...defaultSettings,
  ...stored?.settings,
  version: stored?.version ?? 1,
  updatedAt: stored?.updatedAt ?? null,
})

/** The dunning configuration of the caller's organization. */
export async function dunningConfiguration(ctx: RequestContext, isLocked = false): Promise<DunningConfiguration> {
  const [stored] = await ctx.db.query<Stored & JsonObject>(
    `select settings, version, updated_at as "updatedAt" from commerce.dunning_setting
     where organization_id = $1${isLocked ? ' for update' : ''}`,
    [ctx.caller.organizationId],
  )
  return configurationOf(stored)
}

const stepOf = ({ fee, escalateToUserId, templateId, ...step }: DunningStepInput): DunningStep => ({
  ...step,
  fee: { type: fee?.type ?? 'NONE', value: fee?.value ?? 0 },
  templateId: templateId?.toLowerCase() ?? null,
  escalateToUserId: escalateToUserId?.toLowerCase() ?? null,
})

/** The settings after the change: null sets the default, or nothing where that is a value. */
function changed(before: DunningSettings, { steps, excludeAccountIds, ...given }: DunningUpdateInput): DunningSettings {
  const plain = Object.entries(given).filter(([, value]) => value !== undefined)
  const set = plain.map(([name, value]) => {
    const isNothing = name === 'markUncollectibleAfterDays'
    return [name, isNothing ? value : (value ?? defaultSettings[name as keyof DunningSettings])]
  })
  return {
    ...before,
    ...(Object.fromEntries(set) as Partial<DunningSettings>),
    ...(steps !== undefined && { steps: steps?.map(stepOf) ?? defaultSettings.steps }),
    ...(excludeAccountIds !== undefined && {
      excludeAccountIds: [...new Set((excludeAccountIds ?? []).map((id) => id.toLowerCase()))],
    }),
  }
}

/** Changes the configuration. Owners and admins decide on reminders of the whole organization. */
export function updateDunning(
  ctx: RequestContext,
  input: DunningUpdateInput,
  expectedVersion: number | null,
): Promise<DunningConfiguration> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const now = inner.clock.now().toISOString()
    // The first change inserts the row, so that concurrent ones wait for it.
    const inserted = await inner.db.query(
      `insert into commerce.dunning_setting (organization_id, settings, version, updated_at) values ($1, '{}', 1, $2)
       on conflict do nothing returning 1`,
      [organizationId, now],
    )
    const { version, updatedAt, ...before } = await dunningConfiguration(inner, true)
    if (expectedVersion !== null && expectedVersion !== version) {
      const message = 'The configuration was changed by someone else; read it again and repeat your change.'
      throw new Refusal('VERSION_CONFLICT', message, { currentVersion: version })
    }
    const next = changed(before, input)
    const problems = settingsProblems(next)
    if (problems.length === 0) problems.push(...(await referenceProblems(inner, next, before)))
    if (problems.length > 0) throw invalid(...problems)
    if (isSameValue(before, next)) {
      if (inserted.length === 0) return { ...before, version, updatedAt }
      await inner.db.query('delete from commerce.dunning_setting where organization_id = $1', [organizationId])
      return { ...before, version, updatedAt: null }
    }
    await inner.db.query(
      `update commerce.dunning_setting set settings = $2, version = $3, updated_at = $4, updated_by_id = $5
       where organization_id = $1`,
      [organizationId, JSON.stringify(next), version + 1, now, actorIdOf(inner.caller)],
    )
    return { ...next, version: version + 1, updatedAt: now }
  })
}
