import { isTime } from '../../../subgraphs/kernel/record/aggregate/aggregate-columns.ts'
import {
  groupableColumns,
  numberColumns,
  rangeColumns,
} from '../../../subgraphs/kernel/record/aggregate/aggregate-columns.ts'
import {
  AggregateSort,
  groupByMax,
  groupsMax,
  measuresMax,
} from '../../../subgraphs/kernel/record/aggregate/aggregate-types.ts'
import { DateUnit } from '../../../subgraphs/kernel/record/aggregate/date-unit.ts'
import type { Column } from '../../../subgraphs/kernel/record/column.ts'
import { filterParameters } from './list-parameters.ts'
import type { RecordApi } from './record-api.ts'
import type { Json } from './schemas.ts'

const list = (
  name: string,
  values: readonly string[],
  maxItems: number,
  description: string,
  customFields: Json | null,
): Json => {
  const fields = values.length > 0 ? [{ type: 'string', enum: values }] : []
  const alternatives = customFields ? [...fields, customFields] : fields
  return {
    name,
    in: 'query',
    description: customFields ? `${description} A custom field is \`customFields.\` and its API name.` : description,
    style: 'form',
    explode: false,
    schema: {
      type: 'array',
      minItems: 1,
      maxItems,
      items: alternatives.length > 1 ? { anyOf: alternatives } : alternatives[0],
    },
  }
}

const customFieldPattern = '^customFields\\.[A-Za-z_][A-Za-z0-9_]{0,63}'

/** A unit as REST writes it: `fiscalQuarter`. */
const unitName = (unit: string): string =>
  unit.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const keysOf = (column: Column): string[] =>
  isTime(column) ? Object.keys(DateUnit).map((unit) => `${column.name}:${unitName(unit)}`) : [column.name]

const lowerAndUpper = (values: readonly string[]): string[] => [
  ...values.map((value) => value.toLowerCase()),
  ...values,
]

/** The parameters of an aggregate: the filters of the list, the groups and the figures. */
export function aggregateParameters(api: RecordApi): Json[] {
  const { columns, many, definition } = api
  const custom = (suffix: string): Json | null =>
    definition.isCustomizable ? { type: 'string', pattern: `${customFieldPattern}${suffix}$` } : null
  const figure = (name: string, values: readonly string[], description: string): Json[] => {
    const customFields = custom('')
    if (values.length === 0 && !customFields) return []
    const variable = `${name}OfCustomFields`
    return [
      {
        ...list(name, values, measuresMax, description, customFields),
        ...(customFields && { 'x-custom-fields': variable }),
        ...(values.length === 0 && { 'x-variable': variable }),
      },
    ]
  }
  const numbers = numberColumns(columns).map(({ name }) => name)
  const ranges = rangeColumns(columns).map(({ name }) => name)
  const flag = (name: string, description: string): Json => ({
    name,
    in: 'query',
    description,
    schema: { type: 'boolean', default: false },
  })
  return [
    ...filterParameters(api),
    {
      ...list(
        'groupBy',
        groupableColumns(columns).flatMap(keysOf),
        groupByMax,
        `Fields with the same values in all ${many} of a group, separated by commas; a time with the length of its periods, such as \`createdAt:month\`. Absent: only the total.`,
        custom(`(:(${Object.keys(DateUnit).map(unitName).join('|')}))?`),
      ),
      'x-field-and-unit': true,
    },
    ...figure('sum', numbers, 'Fields that are added up, separated by commas.'),
    ...figure('average', numbers, 'Fields of which the average is computed, separated by commas.'),
    ...figure('min', ranges, 'Fields of which the smallest value is searched, separated by commas.'),
    ...figure('max', ranges, 'Fields of which the largest value is searched, separated by commas.'),
    flag('byCurrency', 'Whether the figures of amounts also have the figure of each currency, without conversion.'),
    {
      name: 'sortBy',
      in: 'query',
      description:
        'What decides the order of the groups: their keys, the number of records, or the first of the requested sums, averages, smallest or largest values.',
      schema: { type: 'string', enum: lowerAndUpper(Object.keys(AggregateSort)), default: 'key' },
    },
    {
      name: 'sortOrder',
      in: 'query',
      description:
        'Which groups come first. Absent: `asc` by keys, and `desc` by figures. Groups without a value come last.',
      schema: { type: 'string', enum: ['asc', 'desc', 'ASC', 'DESC'] },
    },
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of groups. `totalGroups` of the answer counts all of them.',
      schema: { type: 'integer', minimum: 1, maximum: groupsMax, default: 100 },
    },
  ]
}
