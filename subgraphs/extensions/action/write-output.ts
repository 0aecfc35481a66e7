import { requireActingScopes } from '../../kernel/acting-scopes.ts'
import { Refusal } from '../../kernel/errors.ts'
import { customFieldKey, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import { requireRight } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Mapping } from '../../kernel/template/mapping.ts'
import { TemplateProblem } from '../../kernel/template/template-problem.ts'
import { objectOfType, shapeOfType, type ExtendedType } from '../extended-type.ts'
import { changingRecords, checkedValues } from '../record-changes.ts'
import { claimWrite } from './claim-run.ts'
import type { CustomAction } from './custom-action.ts'
import { mappingScopes } from './mapping.rules.ts'
import { failed, type ActionOutcome } from './outcome.ts'

const messageMax = 1_000

/** An action with the record that it runs for. */
export interface CalledAction {
  readonly action: CustomAction
  readonly recordId: string | null
  readonly objectType: ExtendedType | null
}

/** Fields by their names in mappings, with custom fields as a part of the record. */
function valuesOf(fields: readonly (readonly [name: string, value: unknown])[]): Record<string, unknown> {
  const custom = fields.flatMap(([name, value]) => {
    const key = customFieldKey(name)
    return key === null ? [] : [[key, value] as const]
  })
  return {
    ...Object.fromEntries(fields.filter(([name]) => customFieldKey(name) === null)),
    ...(custom.length > 0 && { [customFieldsName]: Object.fromEntries(custom) }),
  }
}

/** Refuses a caller who may not read what the action gets of the record, or not change what it makes of its output. */
export function requireRightToMap(ctx: RequestContext, { action, objectType }: CalledAction): void {
  if (objectType === null) return
  requireActingScopes(ctx.caller, mappingScopes(action, objectType))
  const names = Object.keys(action.outputMapping ?? {})
  if (names.length > 0)
    requireRight(ctx, shapeOfType(ctx, objectType)!, valuesOf(names.map((name) => [name, null] as const)))
}

function failureOf(error: unknown): ActionOutcome {
  if (error instanceof TemplateProblem) return failed('OUTPUT_NOT_WRITTEN', `A text of outputMapping ${error.message}`)
  if (!(error instanceof Refusal)) throw error
  const problems = error.extensions['errors'] as readonly { readonly message: string }[] | undefined
  const reasons = problems?.map(({ message }) => message).join(' ') ?? ''
  return failed('OUTPUT_NOT_WRITTEN', (reasons || error.message).slice(0, messageMax))
}

/**
 * Changes the record as `outputMapping` says, as the caller. The run has had its effect, so what the record refuses is an outcome. With a key, the
 * change is made once, whatever attempts follow.
 */
export async function writeOutput(
  ctx: RequestContext,
  { action, recordId, objectType }: CalledAction,
  outcome: ActionOutcome,
  key: string | null,
): Promise<ActionOutcome> {
  const { outputMapping } = action
  if (outcome.status === 'FAILED' || !outputMapping || recordId === null || objectType === null) return outcome
  const write = async (): Promise<void> => {
    const mapping = new Mapping({ output: outcome.output })
    const fields = Object.entries(outputMapping).map(([name, value]) => [name, mapping.found(value)] as const)
    const values = valuesOf(fields.filter(([, value]) => value !== undefined))
    if (Object.keys(values).length === 0) return
    await changingRecords(ctx, objectOfType(objectType), async (records, inner, shape) => {
      if (key !== null && !(await claimWrite(inner, key))) return
      await records.update(inner, recordId, checkedValues(shape, values, 'UPDATE'))
    })
  }
  try {
    await write()
    return outcome
  } catch (error) {
    // A hook of the record is to be called first; the change is made when it has answered.
    if (ctx.externalCalls?.isWaiting) throw error
    return failureOf(error)
  }
}
