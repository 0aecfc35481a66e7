import { checkedCall, type CustomAction } from '../../extensions/public.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { storableText } from '../../kernel/json/storable-json.ts'
import type { Answering } from '../answer/answering.ts'
import { labelOf } from '../question/label.ts'
import { shapeOf } from '../tool/records.ts'
import type { Heard, ToolCalling } from '../tool/tool.ts'
import { requireWriter } from './decide.ts'
import { isNamed, requireNamedReferences } from './named.ts'
import { actionObject } from './proposed-objects.ts'
import { readBefore } from './propose.ts'
import { storeProposal, type StoredProposal } from './store-proposal.ts'

/** The person reads all of the input before it is confirmed. */
const inputMax = 4_000

/** The name of the record; null if it has none, or if the caller has no scope to read it. */
async function labelOfRecord(ctx: Answering, object: string, id: string): Promise<string | null> {
  try {
    return labelOf(shapeOf(object), await readBefore(ctx, { object, input: {} }, id))
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return null
    throw error
  }
}

/** After text of records was read, the user must have named the action, its record and all records in its input. */
function requireNamed(heard: Heard, action: CustomAction, recordId: string | null, label: string | null): void {
  if (![action.label, action.apiName].some((name) => isNamed(heard, action.id, name)))
    throw new Refusal(
      'PERMISSION_DENIED',
      `Only an action that the user has named can be proposed after texts of records were read. Ask the user to name "${action.label}".`,
    )
  if (recordId !== null && !isNamed(heard, recordId, label))
    throw new Refusal(
      'PERMISSION_DENIED',
      'Only an action on a record that the user has named can be proposed after texts of records were read. Ask the user to name it.',
    )
}

/** Stores a run of a custom action that its user may confirm, if the run could begin now. */
export async function proposeAction(
  { ctx, heard }: ToolCalling,
  action: CustomAction,
  given: { readonly recordId: string | null; readonly input: object },
): Promise<StoredProposal> {
  requireWriter(ctx)
  const { recordId, objectType, input, given: named } = await checkedCall(ctx, { key: action.id, ...given })
  if (JSON.stringify(input).length > inputMax) {
    const message = `input must have at most ${inputMax} characters as JSON, because a person reads it before it is confirmed.`
    throw invalid({ path: 'input', code: 'TOO_LONG', message })
  }
  const object = objectType?.toLowerCase() ?? null
  const label = object === null || recordId === null ? null : await labelOfRecord(ctx, object, recordId)
  if (heard?.isInfluenced) {
    requireNamed(heard, action, recordId, label)
    requireNamedReferences(heard, named as Readonly<Record<string, unknown>>, ctx.caller.userId)
  }
  const about = object === null ? '' : ` for ${object} ${label ?? recordId}`
  return storeProposal(ctx, heard, {
    object: actionObject,
    action: 'execute',
    recordId: action.id,
    input: { recordId, input },
    summary: storableText(`Run ${action.label} (${action.apiName})${about}`),
    before: null,
    expectedVersion: action.version,
  })
}
