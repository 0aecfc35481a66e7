import { Float, ID, InputType, Int } from 'type-graphql'
import { enumerationName, enumerationOf, type Column } from './column.ts'
import { classNamed, field, type Class } from './declared-class.ts'
import { operatorDescriptions } from './describe.ts'
import { DateTime, Decimal, Json } from './scalars.ts'

const operators = new Map<string, Class>()

/** The filter input type for a kind of column. All filters with such a column share it. */
export function operatorInputOf(column: Column): unknown {
  const { kind } = column
  const members = enumerationOf(column)
  const name = {
    id: 'IdFilter',
    text: 'StringFilter',
    integer: 'IntFilter',
    number: 'FloatFilter',
    money: 'DecimalFilter',
    boolean: 'BooleanFilter',
    timestamp: 'DateTimeFilter',
    date: 'DateFilter',
    textList: members ? `${enumerationName(members)}ListFilter` : 'StringListFilter',
    json: '',
    enum: `${enumerationName(members ?? {})}Filter`,
  }[kind]
  if (kind === 'json') return Json
  const known = operators.get(name)
  if (known) return known
  const input = classNamed(name)
  const add = (names: readonly string[], operand: () => unknown) =>
    names.forEach((operator) =>
      field(input, operator, operand, { nullable: true, description: operatorDescriptions[operator]! }),
    )
  switch (kind) {
    case 'textList':
      add(['has'], () => members ?? String)
      add(['hasAny', 'hasAll'], () => [members ?? String])
      add(['isEmpty'], () => Boolean)
      break
    case 'boolean':
      add(['eq', 'ne'], () => Boolean)
      add(['isNull'], () => Boolean)
      break
    default: {
      const operand = {
        id: ID,
        text: String,
        integer: Int,
        number: Float,
        money: Decimal,
        timestamp: DateTime,
        date: String,
        enum: members,
      }[kind]
      add(['eq', 'ne'], () => operand)
      add(['in', 'notIn'], () => [operand])
      if (kind === 'text') add(['contains', 'startsWith', 'endsWith'], () => String)
      if (['integer', 'number', 'money', 'timestamp', 'date'].includes(kind))
        add(['gt', 'gte', 'lt', 'lte'], () => operand)
      add(['isNull'], () => Boolean)
    }
  }
  const presence =
    kind === 'textList' ? '' : ' `isNull: true` matches records without a value, `isNull: false` records with one.'
  InputType(name, {
    description: `Filter operators; a record must match all of them. An operator that is null is ignored.${presence}`,
  })(input)
  operators.set(name, input)
  return input
}
