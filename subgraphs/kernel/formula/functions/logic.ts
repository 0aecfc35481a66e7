import type { Form, FormulaType, Value } from '../formula.ts'
import { compareTexts } from '../text.ts'
import { blankForm, form, ordered, repeated, scalars, type FunctionTable } from './form.ts'

type Choice = (...args: Value[]) => never

/** Negative, zero or positive. Both values have one type. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === 'string') return compareTexts(one, other as string)
  return (one as bigint) < (other as bigint) ? -1 : (one as bigint) > (other as bigint) ? 1 : 0
}

const comparison = (operator: string, types: readonly FormulaType[], meets: (order: number) => boolean): Form[] =>
  types.map((type) =>
    form(
      [type, type],
      'BOOLEAN',
      (one, other) => meets(compare(one, other)),
      (one, other) => (type === 'TEXT' ? `${one} ${operator} ${other} collate "C"` : `${one} ${operator} ${other}`),
    ),
  )

/** The result beside the first value that equals the first argument; the last argument if none does. */
function chosen(value: Value, ...rest: Value[]): Value {
  for (let index = 0; index + 1 < rest.length; index += 2)
    if (value !== null && rest[index] === value) return rest[index + 1]!
  return rest.at(-1)!
}

function chosenSql(value: string, ...rest: string[]): string {
  const cases = rest.slice(0, -1).map((each, index) => (index % 2 === 0 ? `when ${each}` : `then ${each}`))
  return `case ${value} ${cases.join(' ')} else ${rest.at(-1)} end`
}

const isChoice = { isChoice: true } as const

export const logic: FunctionTable = {
  '=': comparison('=', scalars, (order) => order === 0),
  '<>': comparison('<>', scalars, (order) => order !== 0),
  '<': comparison('<', ordered, (order) => order < 0),
  '<=': comparison('<=', ordered, (order) => order <= 0),
  '>': comparison('>', ordered, (order) => order > 0),
  '>=': comparison('>=', ordered, (order) => order >= 0),

  AND: [
    repeated(
      form(
        ['BOOLEAN', 'BOOLEAN'],
        'BOOLEAN',
        (...conditions) => conditions.every(Boolean),
        (...conditions) => conditions.join(' and '),
      ),
      1,
      1,
    ),
  ],
  OR: [
    repeated(
      form(
        ['BOOLEAN', 'BOOLEAN'],
        'BOOLEAN',
        (...conditions) => conditions.some(Boolean),
        (...conditions) => conditions.join(' or '),
      ),
      1,
      1,
    ),
  ],
  NOT: [
    form(
      ['BOOLEAN'],
      'BOOLEAN',
      (condition) => !condition,
      (condition) => `not ${condition}`,
    ),
  ],

  IF: scalars.map((type) =>
    blankForm(
      ['BOOLEAN', type, type],
      type,
      ((condition, one, other) => (condition ? one : other)) as Choice,
      (condition, one, other) => `case when ${condition} then ${one} else ${other} end`,
      isChoice,
    ),
  ),
  CASE: ordered.flatMap((compared) =>
    scalars.map((type) =>
      repeated(blankForm([compared, compared, type, type], type, chosen as Choice, chosenSql, isChoice), 1, 2),
    ),
  ),

  ISBLANK: [
    ...ordered.map((type) =>
      blankForm(
        [type],
        'BOOLEAN',
        (value) => value === null,
        (value) => `${value} is null`,
      ),
    ),
    blankForm(
      ['LIST'],
      'BOOLEAN',
      (list) => list === null || list.length === 0,
      (list) => `case when jsonb_typeof(${list}) = 'array' then ${list} = '[]' else true end`,
    ),
  ],
  BLANKVALUE: ordered.map((type) =>
    blankForm(
      [type, type],
      type,
      ((value, other) => value ?? other) as Choice,
      (value, other) => `coalesce(${value}, ${other})`,
      isChoice,
    ),
  ),

  ISPICKVAL: [
    form(
      ['PICKLIST', 'TEXT'],
      'BOOLEAN',
      (value, other) => value === other,
      (value, other) => `${value} = ${other} collate "C"`,
    ),
  ],
  INCLUDES: [
    form(
      ['LIST', 'TEXT'],
      'BOOLEAN',
      (list, item) => list.includes(item),
      (list, item) => `jsonb_typeof(${list}) = 'array' and jsonb_exists(${list}, ${item})`,
    ),
  ],
}
