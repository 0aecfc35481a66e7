import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { Failures } from '../../kernel/jobs/failures.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { change } from '../../kernel/record/records-of.ts'
import { inTransaction, systemContext, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { aliasesMax } from '../custom-field/bounds.ts'
import { customField } from '../custom-field/custom-field.record.ts'
import type { PicklistAlias } from '../custom-field/custom-field.parts.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import { picklists } from '../custom-field/types-of.ts'
import { noProgress, queueChanges } from './definition-state.ts'
import type { FieldChange } from './field-change.ts'
import { rewriteValues } from './rewrite-values.ts'

const aliasDays = 30
const dayMs = 86_400_000

interface Replacement {
  readonly from: string
  readonly to: string | null
}

/** Replaces a value of a picklist in all records; without `to`, it is removed from them. */
export const replaceValues: FieldChange<Replacement> = {
  name: 'REPLACE_VALUE',
  batchSize: 250,
  async batch(ctx, batch) {
    const { from, to } = batch.parameters
    await rewriteValues(ctx, batch, (value) => {
      if (!Array.isArray(value)) return value === from ? to : value
      if (!value.includes(from)) return value
      const items = value.flatMap((item: unknown) => (item !== from ? [item] : to === null ? [] : [to]))
      return items.length > 0 ? [...new Set(items)] : null
    })
    return []
  },
}

function problemsOf({ fieldType, picklistValues }: CustomField, { from, to }: Replacement): FieldProblem[] {
  if (!picklists.includes(fieldType)) {
    const message = `Values of ${picklists.join(' and ')} only can be replaced.`
    return [{ path: 'from', code: 'NOT_ALLOWED', message }]
  }
  if (from === to) return [{ path: 'to', code: 'NOT_ALLOWED', message: 'to must be another value than from.' }]
  const isActive = picklistValues.some((one) => one.value === to && one.isActive)
  return to === null || isActive
    ? []
    : [{ path: 'to', code: 'NOT_ALLOWED', message: 'to must be an active value of picklistValues, or null.' }]
}

/** The aliases with that of the replacement. A value that was replaced by the former value now means what replaces that. */
function aliasesWith({ aliases }: CustomField, { from, to }: Replacement, until: string): PicklistAlias[] {
  const others = aliases.filter((alias) => alias.from !== from && alias.from !== to)
  const moved = others.flatMap((alias) => (alias.to !== from ? [alias] : to === null ? [] : [{ ...alias, to }]))
  return to === null ? moved : [...moved, { from, to, until }]
}

/**
 * Makes a value of a picklist inactive and replaces it in all records, in the background, and as the default of new ones. For 30 days, writes that still have it get the new
 * value.
 */
export function replaceValue(
  ctx: RequestContext,
  id: string,
  replacement: Replacement,
  expectedVersion: number | null,
): Promise<CustomField> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const until = new Date(inner.clock.now().getTime() + aliasDays * dayMs).toISOString()
    const decide = (previous: CustomField) => {
      const problems = problemsOf(previous, replacement)
      if (problems.length > 0) throw invalid(...problems)
      const aliases = aliasesWith(previous, replacement, until)
      if (aliases.length > aliasesMax) {
        const message = `A field has at most ${aliasesMax} replaced values in 30 days.`
        throw new Refusal('LIMIT_REACHED', message, { limit: aliasesMax })
      }
      const { from, to } = replacement
      const isDefault = previous.picklistValues.some((one) => one.value === from && one.isDefault)
      const picklistValues = previous.picklistValues.map((one) => {
        if (one.value === from) return { ...one, isActive: false, isDefault: false }
        return one.value === to && isDefault ? { ...one, isDefault } : one
      })
      const defaultValue = previous.defaultValue === from ? to : previous.defaultValue
      const state = { state: 'BUILDING' as const, progress: noProgress('REPLACE_VALUE') }
      return { operation: 'UPDATE' as const, values: {}, implied: { ...state, picklistValues, defaultValue, aliases } }
    }
    const changed = await change(inner, customField, id, decide, { expectedVersion, requested: { picklistValues: [] } })
    await queueChanges(inner, changed.id, [{ kind: 'REPLACE_VALUE', parameters: replacement }])
    return changed
  })
}

const fieldsMax = 1_000

/** Removes replaced values 30 days after their replacement: a write that has one is then refused. */
export const removeAliases: Job = {
  name: 'customFields.removeAliases',
  cron: '25 * * * *',
  async run(services) {
    const now = services.clock.now().toISOString()
    const due = await services.database.query<{ organizationId: string; id: string }>(
      `select organization_id as "organizationId", id from ${customField.table}
       where aliases <> '[]' and deleted_at is null and state = 'READY'
         and exists (select from jsonb_array_elements(aliases) a where (a ->> 'until')::timestamptz <= $1) limit ${fieldsMax}`,
      [now],
    )
    const failures = new Failures()
    for (const { organizationId, id } of due) {
      const changed = change(systemContext(services, organizationId), customField, id, (previous) => ({
        operation: 'UPDATE',
        values: {},
        implied: { aliases: previous.aliases.filter(({ until }) => until > now) },
      }))
      await failures.catch(changed)
    }
    failures.throwTogether()
  },
}
