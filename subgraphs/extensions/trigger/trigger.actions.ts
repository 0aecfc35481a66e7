import { isOnlyTurnedOff, readScopeOfObject, requireActingScopes } from '../../kernel/acting-scopes.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { builtInShapeOf } from '../custom-field/field-entity.ts'
import { isExtendedType, objectOfType } from '../extended-type.ts'
import type { SaveOperation } from '../save-operation.ts'
import { eventTypesOfChange } from '../subscription/record-changes.ts'
import { afterSaveTrigger } from './trigger.record.ts'
import type { AfterSaveTrigger } from './trigger.ts'

type TriggerInput = RecordInput<AfterSaveTrigger>

/** Restoring a record is an update of it. None of a type that is refused. */
export function eventTypesOfTrigger(objectType: string, operations: readonly SaveOperation[]): string[] {
  if (!isExtendedType(objectType)) return []
  const shape = builtInShapeOf(objectType)
  const withRestore = operations.flatMap((one) => (one === 'UPDATE' ? (['UPDATE', 'RESTORE'] as const) : [one]))
  return [...new Set(withRestore.flatMap((operation) => eventTypesOfChange(shape, operation)))]
}

/** A trigger runs a function with the saved records of a type. */
const requireScopesOf = ({ caller }: RequestContext, { objectType }: TriggerInput): void =>
  requireActingScopes(caller, [
    ...(objectType && isExtendedType(objectType) ? [readScopeOfObject(objectOfType(objectType))] : []),
    'INVOKE_FUNCTIONS',
  ])

export function createTrigger(ctx: RequestContext, input: TriggerInput): Promise<AfterSaveTrigger> {
  requireAdministrator(ctx)
  requireScopesOf(ctx, input)
  const { objectType, operations } = input
  return save(ctx, afterSaveTrigger, {
    operation: 'CREATE',
    previous: null,
    values: input as Partial<AfterSaveTrigger>,
    implied: { eventTypes: objectType && operations ? eventTypesOfTrigger(objectType, operations) : [] },
  })
}

export function updateTrigger(
  ctx: RequestContext,
  id: string,
  input: TriggerInput,
  expectedVersion: number | null,
): Promise<AfterSaveTrigger> {
  requireAdministrator(ctx)
  const decide = ({ objectType, operations }: AfterSaveTrigger, inner: RequestContext) => {
    if (!isOnlyTurnedOff(input)) requireScopesOf(inner, { objectType })
    return {
      operation: 'UPDATE' as const,
      values: input as Partial<AfterSaveTrigger>,
      implied: { eventTypes: eventTypesOfTrigger(objectType, input.operations ?? operations) },
    }
  }
  return change(ctx, afterSaveTrigger, id, decide, { expectedVersion })
}

export async function deleteTrigger(ctx: RequestContext, id: string, expectedVersion: number | null): Promise<string> {
  requireAdministrator(ctx)
  const decide = () => ({ operation: 'DELETE' as const, values: {} })
  return (await change(ctx, afterSaveTrigger, id, decide, { expectedVersion })).id
}
