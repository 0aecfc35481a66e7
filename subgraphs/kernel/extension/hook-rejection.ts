import { Refusal } from '../errors.ts'
import { isRawNumber } from '../json/exact-number.ts'
import { nameOf } from '../record/describe.ts'
import { fieldRules } from '../record/field-security.ts'
import type { RecordShape } from '../record/definition.ts'
import type { RequestContext } from '../request.ts'
import type { HookDecision } from './extension.ts'

type Fields = Readonly<Record<string, unknown>>
type Rejection = Extract<HookDecision, { rejection: unknown }>['rejection']

/** Shorter values are in many words by chance. */
const maskedFrom = 3

/** The refusal of a hook, for this caller. */
export function hookRejection(
  ctx: RequestContext,
  definition: RecordShape,
  { hook, message, field }: Rejection,
  records: readonly (Fields | null)[],
): Refusal {
  const text =
    withoutHidden(ctx, definition, message, records) ?? `A hook of your organization refuses the ${nameOf(definition)}.`
  const errors = [{ path: field ?? '', code: 'HOOK_REJECTED', message: text, hook }]
  return new Refusal('HOOK_REJECTED', text, { hook, errors })
}

/** Hooks see all fields, so a message may repeat a value that is hidden from the caller. */
function withoutHidden(
  { caller }: RequestContext,
  definition: RecordShape,
  message: string | null,
  records: readonly (Fields | null)[],
): string | null {
  const rules = fieldRules(caller, definition)
  if (!rules || message === null) return message
  const values = records.flatMap((record) => [
    ...[...rules.hidden].map((name) => record?.[name]),
    ...[...rules.hiddenKeys].map((key) => (record?.customFields as Fields | undefined)?.[key]),
  ])
  return values
    .flatMap(textsOf)
    .filter((text) => text.length >= maskedFrom)
    .reduce((masked, text) => masked.replaceAll(text, '***'), message)
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (isRawNumber(value)) return [JSON.stringify(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
