import type { FieldProblem } from '../../../kernel/errors.ts'
import { readScopeOfObject } from '../../../kernel/acting-scopes.ts'
import { isExactNumber, isJsonObject } from '../../../kernel/json/exact-number.ts'
import { objectNamed, objectRule, shapeIn } from '../../workflow/objects.ts'
import { unknownObject } from '../../extended-type.ts'
import { namePattern, optionsMax, screenFieldsMax, textValueMax } from '../bounds.ts'
import {
  ElementFailure,
  noConnectors,
  problemAt,
  settings,
  text,
  type ElementType,
  type Screen,
} from './element-type.ts'
import { componentOf, componentTypes } from './components.ts'

const named = { type: 'string', pattern: namePattern.source }
const option = settings({ value: text(255), label: text(255) }, ['value'])

const fieldSchema = settings(
  {
    name: named,
    label: text(2_000),
    type: { enum: componentTypes },
    required: { type: 'boolean' },
    helpText: text(2_000),
    options: {
      anyOf: [
        { type: 'array', minItems: 1, maxItems: optionsMax, items: { anyOf: [text(255), option] } },
        { type: 'string', pattern: '^\\s*\\{\\{.*\\}\\}\\s*$', maxLength: 2_000 },
      ],
    },
    defaultValue: {},
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    maxLength: { type: 'integer', minimum: 1, maximum: textValueMax },
    object: { type: 'string', maxLength: 70 },
  },
  ['name', 'label', 'type'],
)

interface FieldConfig {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly required?: boolean
  readonly helpText?: string
  readonly options?: unknown
  readonly defaultValue?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly maxLength?: number
  readonly object?: string
}

const shownText = (value: unknown): string =>
  Array.from(typeof value === 'string' ? value : JSON.stringify(value ?? ''))
    .slice(0, 4_000)
    .join('')

function optionsOf(name: string, given: unknown): { value: string; label: string }[] {
  if (!Array.isArray(given)) throw new ElementFailure('WRONG_VALUE', `The options of ${name} are no list.`)
  if (given.length > optionsMax)
    throw new ElementFailure('TOO_MANY', `The field ${name} has more than ${optionsMax} options.`)
  return given.map((one: unknown) => {
    const { value, label = value } = isJsonObject(one) ? one : { value: one }
    if (typeof value !== 'string' && !isExactNumber(value))
      throw new ElementFailure('WRONG_VALUE', `An option of ${name} is no text.`)
    return { value: shownText(value), label: shownText(label) }
  })
}

const fieldsOf = (config: Readonly<Record<string, unknown>>) => config['fields'] as readonly FieldConfig[]

function fieldProblems(field: FieldConfig, path: string, shapes: Parameters<typeof shapeIn>[0]): FieldProblem[] {
  const component = componentOf(field.type)
  const needs = component.settings
  const problems = (['options', 'object', 'minimum', 'maximum', 'maxLength'] as const).flatMap((name) =>
    field[name] === undefined || needs.includes(name)
      ? []
      : [problemAt(`${path}.${name}`, 'NOT_ALLOWED', `must be absent for a field of the type ${field.type}`)],
  )
  for (const name of component.required)
    if (field[name] === undefined)
      problems.push(problemAt(`${path}.${name}`, 'REQUIRED', `is required for a field of the type ${field.type}`))
  if (field.type === 'DISPLAY_TEXT' && (field.required ?? false))
    problems.push(problemAt(`${path}.required`, 'NOT_ALLOWED', 'must be absent, because the text is only shown'))
  if (field.object === undefined || problems.length > 0) return problems
  const object = objectNamed(field.object)
  if (!object) return [problemAt(`${path}.object`, 'WRONG_VALUE', objectRule)]
  return shapeIn(shapes, object) ? [] : [unknownObject(`${path}.object`)]
}

export const screen: ElementType = {
  type: 'SCREEN',
  schema: settings(
    {
      title: text(1_000),
      help: text(4_000),
      allowBack: { type: 'boolean' },
      allowPause: { type: 'boolean' },
      fields: { type: 'array', maxItems: screenFieldsMax, items: fieldSchema },
    },
    ['title', 'fields'],
  ),
  connectors: noConnectors,
  scopes: (config) =>
    (Array.isArray(config['fields']) ? (config['fields'] as unknown[]) : []).flatMap((field) => {
      const object = isJsonObject(field) ? objectNamed(field['object']) : null
      return object ? [readScopeOfObject(object.object)] : []
    }),
  problems({ ctx, config, path }) {
    const known = new Set<string>()
    return fieldsOf(config).flatMap((field, index) => {
      const at = `${path}.fields.${index}`
      const isTwice = known.has(field.name)
      known.add(field.name)
      const problems = fieldProblems(field, at, ctx.shapes)
      return isTwice ? [problemAt(`${at}.name`, 'NOT_UNIQUE', 'must be unique in the screen'), ...problems] : problems
    })
  },
  run({ input }) {
    const { title, help, allowBack = true, allowPause = true } = input
    const fields = fieldsOf(input).map((field) => {
      const options = field.options === undefined ? [] : optionsOf(field.name, field.options)
      const drawn = {
        name: field.name,
        label: shownText(field.label),
        type: field.type,
        required: field.required ?? false,
        helpText: field.helpText === undefined ? null : shownText(field.helpText),
        options,
        minimum: field.minimum ?? null,
        maximum: field.maximum ?? null,
        maxLength: field.maxLength ?? null,
        object: field.object ?? null,
        value: null,
        error: null,
      }
      // A default that the component refuses is none.
      const value = componentOf(field.type).parse(drawn, field.defaultValue ?? null)
      return { ...drawn, value: value === undefined ? null : value }
    })
    return {
      screen: {
        title: shownText(title),
        help: help === undefined ? null : shownText(help),
        allowBack: allowBack === true,
        allowPause: allowPause === true,
        fields,
      } satisfies Screen,
    }
  },
}
