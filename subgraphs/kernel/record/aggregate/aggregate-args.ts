import { ArgsType, InputType, Int, registerEnumType } from 'type-graphql'
import type { Column, GraphQLTypeOf } from '../column.ts'
import { customFieldKeyMax } from '../custom-field-column.ts'
import { classNamed, field, type Class } from '../declared-class.ts'
import { InputField } from '../declared-value.ts'
import type { RecordShape } from '../definition.ts'
import { pluralOf, wordsOf } from '../describe.ts'
import { SortOrder } from '../order-input.ts'
import { groupableColumns, numberColumns, rangeColumns } from './aggregate-columns.ts'
import { AggregateSort, groupByMax, groupsMax, measuresMax } from './aggregate-types.ts'
import { DateUnit } from './date-unit.ts'

/** An enumeration of columns, so that the schema tells what can be asked. */
function columnNames(name: string, columns: readonly Column[], description: string): GraphQLTypeOf | null {
  if (columns.length === 0) return null
  const names = Object.fromEntries(columns.map((column) => [column.name, column.name]))
  const valuesConfig = Object.fromEntries(
    columns.map((column) => [column.name, { description: column.description ?? '' }]),
  )
  registerEnumType(names, { name, description, valuesConfig })
  return names
}

/** The arguments of the aggregate of a record type, with enumerations of its columns. */
export function aggregateArgs(
  { entity, columns: { shown }, isCustomizable = false }: RecordShape,
  filter: Class,
): Class {
  const { name } = entity as { name: string }
  const many = pluralOf(wordsOf(name))
  const groupable = groupableColumns(shown)
  const fields = columnNames(`${name}GroupField`, groupable, `The fields by which ${many} can be grouped.`)!
  const numbers = columnNames(`${name}NumberField`, numberColumns(shown), `The numbers of ${many}.`)
  const ranges = columnNames(`${name}RangeField`, rangeColumns(shown), `The numbers and times of ${many}.`)!

  const groupBy = classNamed(`${name}GroupBy`)
  field(groupBy, 'field', () => fields, {
    nullable: isCustomizable,
    description: `What all records of a group have in common${isCustomizable ? '; null with `customField`' : ''}.`,
  })
  if (isCustomizable)
    field(groupBy, 'customField', () => String, {
      nullable: true,
      description:
        'API name of a custom field instead of `field`: a choice, a flag, a reference, a time, or a text that is short, indexed or of a formula. One that the profile hides is unknown. Null: `field` counts.',
    })
  field(groupBy, 'by', () => DateUnit, {
    nullable: true,
    description: 'The length of the periods: required for a time, and null for any other field.',
  })
  InputType(`${name}GroupBy`, { description: `A field by which ${many} are grouped.` })(groupBy)

  const args = classNamed(`${name}AggregateArgs`)
  const { prototype } = args as { prototype: object }
  const list = (
    key: string,
    type: GraphQLTypeOf | Class,
    maxItems: number,
    description: string,
    bounds: { max?: number } = {},
  ): void =>
    InputField(() => type as GraphQLTypeOf, { nullable: true, list: true, maxItems, description, ...bounds })(
      prototype,
      key,
    )
  field(args, 'filter', () => filter, {
    nullable: true,
    description: `Conditions; null: all ${many} that the caller sees.`,
  })
  list(
    'groupBy',
    groupBy as never,
    groupByMax,
    'Fields with the same values in all records of a group; null: no groups.',
  )
  if (numbers) {
    list('sum', numbers, measuresMax, 'Fields that are added up.')
    list(
      'average',
      numbers,
      measuresMax,
      'Fields of which the average is computed, over the records that have a value.',
    )
  }
  list('min', ranges, measuresMax, 'Fields of which the smallest value is searched.')
  list('max', ranges, measuresMax, 'Fields of which the largest value is searched.')
  if (isCustomizable)
    for (const figure of ['sum', 'average', 'min', 'max'] as const)
      list(
        `${figure}OfCustomFields`,
        String as never,
        measuresMax,
        `API names of custom fields for \`${figure}\`, after those of its argument; together at most ${measuresMax}. ${figure === 'sum' || figure === 'average' ? 'Numbers' : 'Numbers and times'}, also of formulas. One that the profile hides is unknown.`,
        { max: customFieldKeyMax },
      )
  field(args, 'sortBy', () => AggregateSort, {
    defaultValue: AggregateSort.KEY,
    description: 'What decides the order of the groups. Equal groups are ordered by their keys.',
  })
  field(args, 'sortOrder', () => SortOrder, {
    nullable: true,
    description: 'Which groups come first. Null: ASC by keys, and DESC by figures. Groups without a value come last.',
  })
  InputField(() => Int, {
    default: 100,
    minimum: 1,
    maximum: groupsMax,
    description: 'Maximum number of groups.',
    example: 100,
  })(prototype, 'limit')
  ArgsType()(args)
  return args
}
