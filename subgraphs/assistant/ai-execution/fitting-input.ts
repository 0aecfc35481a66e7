import { isJsonObject } from '../../kernel/json/exact-number.ts'

/** Maximum characters of what the model gets of an event, as JSON. */
export const inputMax = 65_536

export interface ExecutionInput {
  readonly type: string | null
  readonly occurredAt: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The value with texts and lists of at most so many characters and items. */
function cut(value: unknown, textMax: number, itemsMax: number): unknown {
  if (typeof value === 'string') return value.length > textMax ? `${value.slice(0, textMax).toWellFormed()}…` : value
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => cut(item, textMax, itemsMax))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, textMax, itemsMax)]))
}

const bounds = [
  [4_000, 100],
  [1_000, 20],
  [100, 5],
] as const

/** The input within its bound: without the record as it was before if that is enough, then with shorter texts and lists. */
export function fittingInput(input: ExecutionInput): ExecutionInput {
  const isFitting = (candidate: ExecutionInput): boolean => JSON.stringify(candidate).length <= inputMax
  if (isFitting(input)) return input
  const { previous: _previous, ...data } = input.data
  const shorter = { ...input, data: 'record' in input.data ? data : input.data }
  if (isFitting(shorter)) return shorter
  for (const [textMax, itemsMax] of bounds) {
    const candidate = { ...shorter, data: cut(shorter.data, textMax, itemsMax) as ExecutionInput['data'] }
    if (isFitting(candidate)) return candidate
  }
  return { ...input, data: {} }
}

/** What placeholders and conditions call the record: the record of an event, otherwise the whole payload. */
export const recordIn = ({ data }: Pick<ExecutionInput, 'data'>): Readonly<Record<string, unknown>> =>
  isJsonObject(data['record']) ? data['record'] : data
