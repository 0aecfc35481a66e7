import { InputType, ObjectType } from 'type-graphql'
import type { GraphQLTypeOf } from '../../kernel/record/column.ts'
import { InputField, OutputField, type ValueOptions } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { memberScope } from '../../kernel/scopes.ts'
import {
  BulkBlank,
  BulkDateFormat,
  BulkDecimalSeparator,
  BulkDeletedMatch,
  BulkDuplicates,
  BulkEncoding,
  BulkEvents,
  BulkReadOnlyColumns,
} from './bulk-job.enumerations.ts'

/** How a bulk job reads or writes its file, and what its changes lead to. */
export interface JobOptions {
  readonly dryRun: boolean
  readonly allOrNone: boolean
  readonly runHooks: boolean
  readonly runAutomations: boolean
  readonly emitEvents: BulkEvents
  readonly duplicateStrategy: BulkDuplicates
  readonly matchDeleted: BulkDeletedMatch
  readonly encoding: BulkEncoding | null
  readonly delimiter: string | null
  readonly dateFormat: BulkDateFormat
  readonly decimalSeparator: BulkDecimalSeparator
  readonly blankMeans: BulkBlank
  readonly mapping: object | null
  readonly readOnlyColumns: BulkReadOnlyColumns
  readonly spreadsheetSafe: boolean | null
}

/** What the options are, once for the input and the answer. */
const optionFields: Readonly<Record<keyof JobOptions, readonly [type: GraphQLTypeOf, options: ValueOptions]>> = {
  dryRun: [
    Boolean,
    {
      default: false,
      description:
        'Whether nothing is written: the results say what would happen. Rows of different chunks do not see each other.',
      example: false,
    },
  ],
  allOrNone: [
    Boolean,
    {
      default: false,
      description: 'Whether all rows are written in one transaction, or none if one fails. At most 50,000 rows.',
      example: false,
    },
  ],
  runHooks: [
    Boolean,
    {
      default: true,
      description:
        'Whether the hooks of the organization decide on each row. Only owners and admins may turn them off.',
      example: true,
    },
  ],
  runAutomations: [
    Boolean,
    {
      default: true,
      description:
        'Whether the changes start functions, triggers and workflows. Only owners and admins may turn them off.',
      example: true,
    },
  ],
  emitEvents: [
    BulkEvents,
    {
      default: 'EACH',
      description: 'Which events webhooks, notifications and triggers of the assistant get.',
      example: 'SUMMARY',
    },
  ],
  duplicateStrategy: [
    BulkDuplicates,
    {
      default: 'FAIL',
      description:
        'What becomes of rows of INSERT and UPSERT whose new records are duplicates, of records from before the job or of those of earlier rows.',
      example: 'FAIL',
    },
  ],
  matchDeleted: [
    BulkDeletedMatch,
    {
      default: 'IGNORE',
      description:
        'What an UPSERT does with a deleted record that the key of a row names. If several have the key, the row fails with AMBIGUOUS_MATCH.',
      example: 'IGNORE',
    },
  ],
  encoding: [
    BulkEncoding,
    {
      nullable: true,
      description:
        'Encoding of a CSV file. Null: found by the byte order mark; UTF-8 if the first megabyte is such, otherwise Windows-1252.',
      example: null,
    },
  ],
  delimiter: [
    String,
    {
      nullable: true,
      max: 1,
      description:
        'Character between the fields of a CSV file. Null: the comma, semicolon, tab or bar that the first record has most often; of an export a comma, and nothing but these four can be chosen.',
      example: ';',
    },
  ],
  dateFormat: [BulkDateFormat, { default: 'ISO', description: 'How a CSV file writes dates.', example: 'DMY' }],
  decimalSeparator: [
    BulkDecimalSeparator,
    {
      default: 'POINT',
      description: 'How a CSV file writes decimals.',
      example: 'COMMA',
    },
  ],
  blankMeans: [
    BulkBlank,
    {
      default: 'KEEP',
      description: 'What an empty cell of a CSV file means for an existing record; a new one gets its default.',
      example: 'KEEP',
    },
  ],
  mapping: [
    Json,
    {
      nullable: true,
      description:
        'The fields of the columns, by the names of the columns: `{"Company": "name"}`. A column that it does not name is the field of its name; null leaves a column out.',
      example: { Company: 'name', Notes: null },
    },
  ],
  readOnlyColumns: [
    BulkReadOnlyColumns,
    {
      default: 'REFUSE',
      description: 'What becomes of columns whose fields cannot be set.',
      example: 'REFUSE',
    },
  ],
  spreadsheetSafe: [
    Boolean,
    {
      nullable: true,
      description:
        'Whether texts of a CSV file that a spreadsheet would calculate, which begin with `=`, `+`, `-`, `@` or a tab, have an apostrophe before them: a load removes it, and an export adds it and begins the file with a byte order mark, as Excel needs it. Null: a load removes it, an export does not add it.',
      example: null,
    },
  ],
}

export class BulkJobOptions {}
export class BulkJobOptionsInput {}

for (const [name, [type, { default: value, ...options }]] of Object.entries(optionFields)) {
  OutputField(() => type, options)(BulkJobOptions.prototype, name)
  const given = value === undefined ? {} : { default: value, nullable: true }
  InputField(() => type, { ...options, ...given })(BulkJobOptionsInput.prototype, name)
}

const optionsDescription = 'How a bulk job reads or writes its file, and what its changes lead to.'
ObjectType('BulkJobOptions', { description: optionsDescription })(BulkJobOptions)
RequiresScopes(memberScope)(BulkJobOptions)
InputType('BulkJobOptionsInput', { description: optionsDescription })(BulkJobOptionsInput)

/** The options of a job for which none were given. */
export const defaultOptions = Object.fromEntries(
  Object.entries(optionFields).map(([name, [, { default: value = null }]]) => [name, value]),
) as unknown as JobOptions

/** The options that an export has; the others are about rows that are loaded. */
export const exportOptions: ReadonlySet<keyof JobOptions> = new Set([
  'emitEvents',
  'delimiter',
  'dateFormat',
  'decimalSeparator',
  'spreadsheetSafe',
])
