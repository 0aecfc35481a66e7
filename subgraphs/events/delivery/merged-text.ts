import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { customFieldKey } from '../../kernel/record/custom-field-column.ts'
import { isReadableChange, without } from '../envelope/redaction.ts'
import { bodyBytesMax, fittingText } from './delivery-body.ts'

type Fields = Readonly<Record<string, unknown>>

const namesIn = (data: Fields, member: string): string[] => (data[member] as string[] | null | undefined) ?? []

const union = (...lists: readonly string[][]): string[] => [...new Set(lists.flat())]

/**
 * The later of two bodies about updates of the same record, with what the record was before the earlier one and the changed fields of both. It
 * has nothing that the later one hides, because the owner of the webhook may not see that any longer.
 */
export function mergedText(earlier: string, later: string, bytesMax = bodyBytesMax): string {
  const [{ data: first }, last] = [earlier, later].map((text) => parseJsonExactly(text)) as [
    { readonly data: Fields },
    { readonly data: Fields },
  ]
  const { data } = last
  const redacted = namesIn(data, 'redactedFields')
  const rules = {
    hidden: new Set(redacted),
    hiddenKeys: new Set(redacted.map(customFieldKey).filter((key) => key !== null)),
  }
  const omitted = omittedFrom(first, data)
  const previous = isJsonObject(first['previous']) ? without(first['previous'], rules) : null
  const record = data['record'] as Fields
  const changes = namesIn(data, 'changedFields')
  const former = namesIn(first, 'changedFields').filter(
    (name) => changes.includes(name) || isReadableChange(name, rules, record, previous ?? record),
  )
  const redactedFields = union(namesIn(first, 'redactedFields'), redacted).toSorted()
  // JSON has no members that are undefined.
  const before = {
    ...addedBefore(first, data, rules.hidden),
    previous: omitted.includes('previous') ? undefined : previous,
    changedFields: union(former, changes),
    redactedFields: redactedFields.length > 0 ? redactedFields : undefined,
    omitted: omitted.length > 0 ? omitted : undefined,
  }
  return fittingText({ ...last, data: { ...data, ...before } }, bytesMax)
}

/** `previous` is that of the earlier body, and `record` that of the later one; `record` is left out only together with `previous`. */
function omittedFrom(first: Fields, last: Fields): string[] {
  const omitted = namesIn(last, 'omitted')
  return omitted.includes('record') ? omitted : namesIn(first, 'omitted').filter((name) => name === 'previous')
}

/** Members such as `previousStage`, which show a column of `previous`, are those of the earlier body unless the later one hides the column. */
function addedBefore(first: Fields, last: Fields, hidden: ReadonlySet<string>): Fields {
  const names = Object.keys(last).filter((name) => /^previous[A-Z]/.test(name) && name in first)
  return Object.fromEntries(
    names.map((name) => {
      const column = name.charAt('previous'.length).toLowerCase() + name.slice('previous'.length + 1)
      return [name, hidden.has(column) ? last[name] : first[name]]
    }),
  )
}
