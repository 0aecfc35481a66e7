import { conditionProblems, compileStoredConditions } from '../../../kernel/condition/conditions.ts'
import type { ConditionFields } from '../../../kernel/condition/condition-fields.ts'
import { isJsonObject } from '../../../kernel/json/exact-number.ts'
import { namePattern, outcomesMax } from '../bounds.ts'
import { problemAt, settings, type Config, type ElementType, type Values } from './element-type.ts'

interface Outcome {
  readonly name: string
  readonly conditions: unknown
  readonly logic?: unknown
}

const path = /^[A-Za-z]\w{0,47}(?:\.[A-Za-z_]\w{0,63}){0,8}$/

/** What conditions name is known only when the flow runs. */
const fields: ConditionFields = {
  of: 'the flow',
  field: (name) => (path.test(name) ? { name, kind: 'any' } : null),
}

function valueAt(scope: Values, name: string): unknown {
  let value: unknown = scope
  for (const part of name.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, part)) return null
    value = value[part]
  }
  return value ?? null
}

function namesIn(conditions: unknown, names: Set<string>): Set<string> {
  for (const one of Array.isArray(conditions) ? (conditions as unknown[]) : []) {
    if (!isJsonObject(one)) continue
    if (typeof one['field'] === 'string') names.add(one['field'])
    if (one['valueType'] === 'FIELD' && typeof one['value'] === 'string') names.add(one['value'])
    namesIn(one['conditions'], names)
  }
  return names
}

const outcomesOf = ({ outcomes }: Config): Outcome[] => (Array.isArray(outcomes) ? (outcomes as Outcome[]) : [])

export const decision: ElementType = {
  type: 'DECISION',
  schema: settings(
    {
      outcomes: {
        type: 'array',
        minItems: 1,
        maxItems: outcomesMax,
        items: settings(
          {
            name: { type: 'string', pattern: namePattern.source },
            conditions: { type: 'array', minItems: 1 },
            logic: { enum: ['AND', 'OR'] },
          },
          ['name', 'conditions'],
        ),
      },
    },
    ['outcomes'],
  ),
  raw: ['outcomes'],
  connectors: (config) => ['default', ...outcomesOf(config).map(({ name }) => name)],
  scopes: () => [],
  problems({ config, path: at }) {
    const known = new Set(['default', 'next', 'fault'])
    return outcomesOf(config).flatMap(({ name, conditions, logic }, index) => {
      const own = `${at}.outcomes.${index}`
      const isKnown = known.has(name)
      known.add(name)
      const rule = 'must be unique in the element, and none of default, next and fault'
      const named = isKnown ? [problemAt(`${own}.name`, 'NOT_UNIQUE', rule)] : []
      return [...named, ...conditionProblems({ conditions, logic }, fields, `${own}.conditions`)]
    })
  },
  run({ config, scope, ctx }) {
    const now = ctx.clock.now().getTime()
    for (const { name, conditions, logic } of outcomesOf(config)) {
      const names = namesIn(conditions, new Set())
      const values = Object.fromEntries([...names].map((one) => [one, valueAt(scope, one)]))
      if (compileStoredConditions({ conditions, logic }, fields)(values, null, now))
        return { output: { outcome: name }, connector: name }
    }
    return { output: { outcome: 'default' }, connector: 'default' }
  },
}
