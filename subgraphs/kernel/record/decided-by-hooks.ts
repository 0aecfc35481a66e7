import { invalid } from '../errors.ts'
import type { HookDecision, HookedChange, RecordHooks } from '../extension/extension.ts'
import { hookRejection } from '../extension/hook-rejection.ts'
import { batchedCall } from '../outbound/external-call.ts'
import type { RequestContext } from '../request.ts'
import { organizationZone } from '../time/days.ts'
import { setFormulas, withFormulas } from './computed-values.ts'
import type { Draft, RecordDefinition, StoredRow } from './definition.ts'
import { keyOfValues } from './key-of-values.ts'
import { nextRecord, normalized, together, type Fields } from './next-record.ts'
import { prepareChange } from './prepare-change.ts'

/** The change with what the hooks of the organization make of it; throws what they refuse it with. Calls no hook for a change of nothing. */
export async function decidedByHooks<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  draft: Draft<T>,
): Promise<Draft<T>> {
  const hooks = ctx.extensions?.hooksFor(definition)
  const operation = draft.operation === 'RESTORE' ? 'UPDATE' : draft.operation
  if (!hooks?.concerns(operation) || ctx.isWithoutHooks) return draft
  const { next, previous, changesNothing } = await prepareChange(ctx, definition, draft)
  if (changesNothing) return draft
  if (ctx.dryRun === 'CHANGES') {
    ctx.notExecuted?.push({ kind: 'HOOK', object: definition.object, recordId: next.id })
    return { ...draft, implied: { ...draft.implied, id: next.id } as Partial<T> }
  }
  const zone = definition.calculatesDays ? await organizationZone(ctx) : 'UTC'
  // The id that hooks were told is the one that is written.
  const withId: Draft<T> = { ...draft, implied: { ...draft.implied, id: next.id } as Partial<T> }
  const decision = await call(ctx, definition, hooks, {
    operation,
    id: next.id,
    values: normalized(definition, draft.values) as Fields,
    previous: previous && definition.columns.shownOf(withFormulas(definition.columns, previous)),
    nextWith: (changes) => definition.columns.shownOf(nextWith(ctx, definition, withId, changes, zone)),
  })
  if ('problems' in decision) throw invalid(...decision.problems)
  if ('rejection' in decision) throw hookRejection(ctx, definition, decision.rejection, [previous, next])
  return withChanges(ctx, definition, withId, decision.changes as Partial<T>)
}

/** Calls the hooks together with those of the other records that the work saves in this round. */
function call<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  hooks: RecordHooks,
  change: HookedChange,
): Promise<HookDecision> {
  const { caller, extensions, cachedExtensions } = ctx
  const version = (change.previous as { version?: unknown } | null)?.version ?? null
  const options = { organizationId: caller.organizationId, depth: caller.depth ?? 0, origin: caller.origin ?? null }
  return batchedCall<HookDecision, HookedChange>(ctx, {
    name: `hooks ${definition.object} ${extensions!.version}`,
    key: JSON.stringify([change.operation, change.id, version, keyOfValues(definition, change.values)]),
    item: change,
    call: (items, msMax) => hooks.decide(cachedExtensions.services, items, { ...options, msMax }),
  })
}

/** The record as it would be with changes of hooks. Reads nothing, because no transaction is open when hooks are called. */
function nextWith<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  draft: Draft<T>,
  changes: Fields,
  zone: string,
): T & Fields {
  const values = normalized(definition, together<T>(draft.values, draft.implied ?? {}, changes as Partial<T>))
  const next = nextRecord(ctx, definition, draft, values)
  const { calculated, calculatesDays } = definition
  Object.assign(next, calculated?.(next, draft.previous, values, calculatesDays?.(next) ? zone : 'UTC'))
  setFormulas(definition.columns, next)
  return next
}

/** The rules of the record type decide again on values that a hook changed, as on those of the caller. */
async function withChanges<T extends StoredRow>(
  ctx: RequestContext,
  { decide }: RecordDefinition<T>,
  draft: Draft<T>,
  changes: Partial<T>,
): Promise<Draft<T>> {
  if (Object.keys(changes).length === 0) return draft
  if (!decide || draft.operation === 'DELETE') return { ...draft, implied: { ...draft.implied, ...changes } }
  const decided = await decide(ctx, { ...draft.values, ...changes }, draft.previous)
  const isDecidedAgain = draft.impliedBesides !== undefined
  const besides = isDecidedAgain ? { ...draft.impliedBesides, id: draft.implied!.id } : draft.implied
  const events = isDecidedAgain ? decided.events : [...new Set([...(draft.events ?? []), ...(decided.events ?? [])])]
  return { ...draft, implied: { ...besides, ...changes, ...decided.implied } as Partial<T>, ...(events && { events }) }
}
