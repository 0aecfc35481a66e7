import type { ConditionFields } from '../../kernel/condition/condition-fields.ts'
import { compileConditions } from '../../kernel/condition/conditions.ts'
import { invalid } from '../../kernel/errors.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { selectionOf } from '../listen/listen-selection.ts'

type Fields = Readonly<Record<string, unknown>>

/** The selected types may have different payloads, so a condition may name any property; its type is known from the value. */
const anyProperty: ConditionFields = {
  of: 'the payload',
  field: (name) => (name !== '' && name.length <= 200 ? { name, kind: 'any' } : null),
}

/** The custom events that the arguments of `customEvents` select. Throws a `Refusal` for an unknown type and for invalid conditions. */
export function customEventSelection(args: Fields): (event: LoggedEvent) => boolean {
  const types = (args['types'] ?? null) as readonly string[] | null
  const wrong = types?.findIndex((type) => !type.startsWith('custom.')) ?? -1
  if (wrong >= 0) {
    const message = 'types must be types of custom events, custom.<apiName>; follow records with recordChanged.'
    throw invalid({ path: `types.${wrong}`, code: 'UNKNOWN_EVENT', message })
  }
  const isSelected = selectionOf(types, 'types')
  const { conditions, logic } = args
  if (conditions === null || conditions === undefined) {
    if (logic !== null && logic !== undefined)
      throw invalid({ path: 'logic', code: 'NOT_ALLOWED', message: 'logic needs conditions.' })
    return ({ type }) => isSelected(type)
  }
  const meets = compileConditions({ conditions, logic }, anyProperty)
  return ({ type, data, occurredAt }) => isSelected(type) && meets(data, null, Date.parse(occurredAt))
}
