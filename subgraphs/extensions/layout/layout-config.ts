import { Ajv } from 'ajv'
import type { FieldProblem } from '../../kernel/errors.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { FilledSlot } from '../app/installed-slots.ts'
import { schemaProblem } from '../schema-problem.ts'

export interface LayoutItem {
  readonly field?: string
  readonly isReadOnly?: boolean
  readonly isRequired?: boolean
  /** The place of an app: `app/<appSlug>:<key>`. */
  readonly slot?: string
}

export interface LayoutSection {
  readonly label: string
  readonly columns?: number
  readonly isCollapsed?: boolean
  readonly items: readonly LayoutItem[]
}

/** How the fields of a record type are arranged. */
export interface LayoutConfig {
  readonly sections: readonly LayoutSection[]
}

/** An item as it is shown: a field, or what an app shows at its place. */
export type ShownItem = LayoutItem | FilledSlot

export interface ShownSection extends Required<Omit<LayoutSection, 'items'>> {
  readonly items: readonly ShownItem[]
}

const sectionsMax = 50
const itemsMax = 200

/** The place of an app. */
export const layoutSlotSchema = {
  type: 'string',
  maxLength: 200,
  pattern: '^app/[a-z][a-z0-9-]{0,62}:[A-Za-z0-9_.-]{1,64}$',
} as const

/** Also what a file of the metadata format may contain. */
export const layoutConfigSchema = {
  type: 'object',
  required: ['sections'],
  additionalProperties: false,
  properties: {
    sections: {
      type: 'array',
      maxItems: sectionsMax,
      items: {
        type: 'object',
        required: ['label', 'items'],
        additionalProperties: false,
        properties: {
          label: { type: 'string', minLength: 1, maxLength: 100 },
          columns: { type: 'integer', minimum: 1, maximum: 4 },
          isCollapsed: { type: 'boolean' },
          items: {
            type: 'array',
            maxItems: itemsMax,
            items: {
              type: 'object',
              additionalProperties: false,
              minProperties: 1,
              properties: {
                field: { type: 'string', minLength: 1, maxLength: 200 },
                isReadOnly: { type: 'boolean' },
                isRequired: { type: 'boolean' },
                slot: layoutSlotSchema,
              },
            },
          },
        },
      },
    },
  },
} as const

const validate = new Ajv({ strict: false }).compile<LayoutConfig>(layoutConfigSchema)

const problem = (path: string, code: string, rule: string): FieldProblem => ({
  path,
  code,
  message: `${path} ${rule}.`,
})

/** Whether the record type has the field, as people see it. */
export const hasField = ({ columns }: RecordShape, name: string): boolean => {
  const column = columns.byName.get(name)
  return column !== undefined && !column.internal
}

/** What is wrong with the config of a layout of this record type, of which at most 20 are told. */
export function layoutProblems(config: unknown, shape: RecordShape): FieldProblem[] {
  if (!validate(config)) return [schemaProblem(validate.errors![0]!, 'config')]
  const known = new Set<string>()
  const problems: FieldProblem[] = []
  for (const [at, { items }] of config.sections.entries())
    for (const [index, { field, slot, isReadOnly, isRequired }] of items.entries()) {
      const path = `config.sections.${at}.items.${index}`
      const name = field ?? slot
      if (name === undefined || (slot !== undefined && [field, isReadOnly, isRequired].some((it) => it !== undefined)))
        problems.push(problem(path, 'WRONG_VALUE', 'must be a field, with isReadOnly and isRequired, or a slot alone'))
      else if (known.has(name)) problems.push(problem(path, 'NOT_UNIQUE', `names ${name}, which is there already`))
      else if (field !== undefined && !hasField(shape, field))
        problems.push(problem(`${path}.field`, 'UNKNOWN_FIELD', `must be a field of the ${shape.object}`))
      if (name !== undefined) known.add(name)
    }
  return problems.slice(0, 20)
}
