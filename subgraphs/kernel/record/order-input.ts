import { InputType, registerEnumType } from 'type-graphql'
import type { Column } from './column.ts'
import { classNamed, field, type Class } from './declared-class.ts'
import { pluralOf } from './describe.ts'
import { entityName, shownColumns } from './inputs.ts'

export const SortOrder = { ASC: 'ASC', DESC: 'DESC' } as const
registerEnumType(SortOrder, {
  name: 'SortOrder',
  description: 'Sort direction. Records without a value come last in both directions.',
  valuesConfig: {
    ASC: { description: 'Smallest value first: A to Z, oldest first.' },
    DESC: { description: 'Largest value first: Z to A, newest first.' },
  },
})

const sortable = ({ kind }: Column): boolean => kind !== 'json' && kind !== 'textList'

/** The columns that lists can be sorted by: those with an index; every column where the record type declares none. */
export function sortableColumns(entity: object): readonly Column[] {
  const columns = shownColumns(entity).filter(sortable)
  return columns.some(({ indexed }) => indexed)
    ? columns.filter(({ indexed, name }) => indexed || name === 'id')
    : columns
}

/** The GraphQL sort input of a record type. */
export function orderOf<T>(name: string, entity: abstract new () => T, isCustomizable = false): Class {
  const columns = sortableColumns(entity)
  const fields = Object.fromEntries(columns.map((column) => [column.name, column.name]))
  const many = pluralOf(entityName(entity))
  registerEnumType(fields, {
    name: `${name}Field`,
    description: `The fields by which a list of ${many} can be sorted.`,
    valuesConfig: Object.fromEntries(columns.map((column) => [column.name, { description: column.description ?? '' }])),
  })
  const order = classNamed(name)
  field(order, 'field', () => fields, {
    nullable: true,
    defaultValue: 'createdAt',
    description: 'The field to sort by.',
  })
  if (isCustomizable)
    field(order, 'customField', () => String, {
      nullable: true,
      description:
        'Name of a custom field of the organization to sort by instead of `field`; all matching records are sorted. Null: `field` counts.',
    })
  field(order, 'direction', () => SortOrder, {
    nullable: true,
    defaultValue: 'DESC',
    description: 'Whether the smallest or the largest value comes first.',
  })
  InputType(name, { description: `One field in the sort order of a list of ${many}.` })(order)
  return order
}
