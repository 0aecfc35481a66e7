import { Ajv, type ValidateFunction } from 'ajv'
import type { GivenConditions } from '../../kernel/condition/parse-conditions.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { JsonSchema } from '../../kernel/metadata/column-schema.ts'
import { layoutSlotSchema, type LayoutItem } from '../layout/layout-config.ts'
import { schemaProblem } from '../schema-problem.ts'
import {
  componentsMax,
  componentsOfPageMax,
  conditionsOfPageMax,
  definitionBytesMax,
  fieldsMax,
  listColumnsMax,
  patternsOfPageMax,
  regionColumns,
  regionsMax,
  rowsMax,
  textMax,
} from './bounds.ts'

interface Conditional {
  /** The component is shown for records that meet it; absent: for all. */
  readonly visibleWhen?: GivenConditions
}

/** Fields of the record. */
export interface FieldsComponent extends Conditional {
  readonly type: 'FIELDS'
  readonly label: string
  readonly columns?: number
  readonly isCollapsed?: boolean
  readonly items: readonly (LayoutItem & { readonly field: string })[]
}

/** The layout of the record type for the user. */
export interface LayoutComponent extends Conditional {
  readonly type: 'LAYOUT'
}

/** Records of another type that name the record in `field`. */
export interface RelatedListComponent extends Conditional {
  readonly type: 'RELATED_LIST'
  readonly label: string
  readonly objectType: string
  readonly field: string
  readonly columns: readonly string[]
  readonly limit?: number
}

/** What happened with the record. */
export interface TimelineComponent extends Conditional {
  readonly type: 'TIMELINE'
  readonly label?: string
  readonly limit?: number
}

/** Markdown without HTML. */
export interface TextComponent extends Conditional {
  readonly type: 'TEXT'
  readonly text: string
}

/** The place of an app: `app/<appSlug>:<key>`. */
export interface SlotComponent extends Conditional {
  readonly type: 'APP_SLOT'
  readonly slot: string
}

export type PageComponent =
  FieldsComponent | LayoutComponent | RelatedListComponent | TimelineComponent | TextComponent | SlotComponent

export interface PageRegion {
  readonly name: string
  readonly width?: number
  readonly components: readonly PageComponent[]
}

export interface PageDefinition {
  readonly regions: readonly PageRegion[]
}

const label = { type: 'string', minLength: 1, maxLength: 100 }
const fieldName = { type: 'string', minLength: 1, maxLength: 200 }
const rows = { type: 'integer', minimum: 1, maximum: rowsMax }
const flag = { type: 'boolean' }

const visibleWhen = {
  type: 'object',
  required: ['conditions'],
  additionalProperties: false,
  properties: { logic: { enum: ['AND', 'OR'] }, conditions: { type: 'array', minItems: 1, maxItems: 50 } },
}

const componentSchema = (
  required: readonly string[],
  properties: Readonly<Record<string, JsonSchema>>,
): JsonSchema => ({
  type: 'object',
  required: ['type', ...required],
  additionalProperties: false,
  properties: { type: { type: 'string' }, ...properties, visibleWhen },
})

/** What the components of each type may have. */
const componentSchemas: Readonly<Record<PageComponent['type'], JsonSchema>> = {
  FIELDS: componentSchema(['label', 'items'], {
    label,
    columns: { type: 'integer', minimum: 1, maximum: 4 },
    isCollapsed: flag,
    items: {
      type: 'array',
      minItems: 1,
      maxItems: fieldsMax,
      items: {
        type: 'object',
        required: ['field'],
        additionalProperties: false,
        properties: { field: fieldName, isReadOnly: flag, isRequired: flag },
      },
    },
  }),
  LAYOUT: componentSchema([], {}),
  RELATED_LIST: componentSchema(['label', 'objectType', 'field', 'columns'], {
    label,
    objectType: { type: 'string', minLength: 1, maxLength: 70 },
    field: fieldName,
    columns: { type: 'array', minItems: 1, maxItems: listColumnsMax, items: fieldName },
    limit: rows,
  }),
  TIMELINE: componentSchema([], { label, limit: rows }),
  TEXT: componentSchema(['text'], { text: { type: 'string', minLength: 1, maxLength: textMax } }),
  APP_SLOT: componentSchema(['slot'], { slot: layoutSlotSchema }),
}

export const componentTypes = Object.keys(componentSchemas) as readonly PageComponent['type'][]

/** The parts of every definition; what a component has follows from its type. */
const definitionSchema = {
  type: 'object',
  required: ['regions'],
  additionalProperties: false,
  properties: {
    regions: {
      type: 'array',
      minItems: 1,
      maxItems: regionsMax,
      items: {
        type: 'object',
        required: ['name', 'components'],
        additionalProperties: false,
        properties: {
          name: { type: 'string', pattern: '^[a-z][A-Za-z0-9_]{0,39}$' },
          width: { type: 'integer', minimum: 1, maximum: regionColumns },
          components: {
            type: 'array',
            maxItems: componentsMax,
            items: { type: 'object', required: ['type'], properties: { type: { enum: componentTypes } } },
          },
        },
      },
    },
  },
} as const

const ajv = new Ajv({ strict: false })
const validate = ajv.compile<PageDefinition>(definitionSchema)
const validators = new Map<string, ValidateFunction>(
  Object.entries(componentSchemas).map(([type, schema]) => [type, ajv.compile(schema)]),
)

/** The path of a component: `definition.regions.0.components.1`. */
export interface PlacedComponent {
  readonly path: string
  readonly component: PageComponent
}

/** The components of all regions, with their paths. */
export const componentsOf = ({ regions }: PageDefinition): PlacedComponent[] =>
  regions.flatMap(({ components }, region) =>
    components.map((component, index) => ({ path: `definition.regions.${region}.components.${index}`, component })),
  )

/** The conditions on fields, on all levels. What is no condition is refused elsewhere. */
function conditionsIn(given: unknown): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(given)) return []
  return given.flatMap((one: unknown) => (isJsonObject(one) ? [one, ...conditionsIn(one['conditions'])] : []))
}

const conditionsOf = ({ visibleWhen: when }: PageComponent) => conditionsIn(when?.conditions)

/** The names of the fields in the conditions of a component. */
export const fieldsInConditions = (component: PageComponent): string[] =>
  conditionsOf(component)
    .flatMap(({ field, value, valueType }) => [field, valueType === 'FIELD' ? value : null])
    .filter((name) => typeof name === 'string')

export type ReadDefinition =
  | { readonly definition: PageDefinition; readonly problems?: never }
  | { readonly definition?: never; readonly problems: readonly FieldProblem[] }

const refused = (path: string, code: string, rule: string): ReadDefinition => ({
  problems: [{ path, code, message: `${path} ${rule}.` }],
})

/** A value as a definition, if it has the form of one; otherwise the first problem of each component. */
export function readDefinition(given: unknown): ReadDefinition {
  // The values of JSON are at most 10,000, nested at most 16 levels deep; their texts may be long.
  if (Buffer.byteLength(JSON.stringify(given) ?? '') > definitionBytesMax)
    return refused('definition', 'TOO_LONG', `must have at most ${definitionBytesMax} bytes as JSON`)
  if (!validate(given)) {
    const error = validate.errors![0]!
    return error.keyword === 'enum'
      ? refused(
          `definition${error.instancePath.replaceAll('/', '.')}`,
          'NOT_ALLOWED',
          `must be one of ${componentTypes.join(', ')}`,
        )
      : { problems: [schemaProblem(error, 'definition')] }
  }
  const placed = componentsOf(given)
  if (placed.length > componentsOfPageMax)
    return refused('definition.regions', 'TOO_MANY', `must have at most ${componentsOfPageMax} components together`)
  const problems = placed.flatMap(({ path, component }) => {
    const isValid = validators.get(component.type)!
    return isValid(component) ? [] : [schemaProblem(isValid.errors![0]!, path)]
  })
  if (problems.length > 0) return { problems }
  const conditions = placed.flatMap(({ component }) => conditionsOf(component))
  if (conditions.length > conditionsOfPageMax)
    return refused('definition.regions', 'TOO_MANY', `must have at most ${conditionsOfPageMax} conditions together`)
  if (conditions.filter(({ operator }) => operator === 'MATCHES').length > patternsOfPageMax)
    return refused('definition.regions', 'TOO_MANY', `must have at most ${patternsOfPageMax} conditions with MATCHES`)
  return { definition: given }
}

const conditionNames = ['field', 'operator', 'value', 'valueType', 'logic', 'conditions']

function conditionInOrder(given: unknown): unknown {
  if (!isJsonObject(given)) return given
  const ordered = conditionNames
    .filter((name) => Object.hasOwn(given, name))
    .map((name) => [name, given[name]] as const)
  return Object.fromEntries(
    ordered.map(([name, value]) => [name, name === 'conditions' ? conditionsInOrder(value) : value]),
  )
}

const conditionsInOrder = (given: unknown): unknown => (Array.isArray(given) ? given.map(conditionInOrder) : given)

/** The value with its properties in the order of its schema, which the database does not keep. */
function inOrder(value: unknown, { properties, items }: JsonSchema): unknown {
  if (Array.isArray(value)) return items ? value.map((item) => inOrder(item, items as JsonSchema)) : value
  if (!isJsonObject(value) || !properties) return value
  const known = Object.entries(properties as Readonly<Record<string, JsonSchema>>)
  return Object.fromEntries(
    known.flatMap(([name, schema]) => (Object.hasOwn(value, name) ? [[name, inOrder(value[name], schema)]] : [])),
  )
}

function componentInOrder(component: PageComponent): unknown {
  const ordered = inOrder(component, componentSchemas[component.type]) as object
  const when = component.visibleWhen
  return when ? { ...ordered, visibleWhen: { ...when, conditions: conditionsInOrder(when.conditions) } } : ordered
}

/** A stored definition with the properties of all its parts in the order of the documentation, as people write them. */
export const definitionInOrder = ({ regions }: PageDefinition): unknown => ({
  regions: regions.map(({ name, width, components }) => ({
    name,
    ...(width !== undefined && { width }),
    components: components.map(componentInOrder),
  })),
})
