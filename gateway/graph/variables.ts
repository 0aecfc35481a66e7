import {
  coerceInputValue,
  getNamedType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
  typeFromAST,
  TypeInfo,
  valueFromAST,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql'
import { Refusal, type FieldProblem } from '../../subgraphs/kernel/errors.ts'
import { holdsRawNumber } from '../../subgraphs/kernel/json/exact-json.ts'
import { isJsonObject, isRawNumber, nearestNumber } from '../../subgraphs/kernel/json/exact-number.ts'
import type { OperationParts } from './operation.ts'
import { quicklyCoerced } from './quick-coercion.ts'
import { shortened } from './shortened.ts'
import { withAllowedValues } from './suggestions.ts'
import type { Variables } from './variable-values.ts'

/** A declared variable with its type and its coerced default. */
export interface DeclaredVariable {
  readonly name: string
  readonly type: GraphQLInputType
  readonly hasDefault: boolean
  readonly defaultValue: unknown
  /** The variable is used at a non-null position, which its default makes valid: an explicit null must be refused. */
  readonly isNeeded: boolean
}

const problemsMax = 50

/** The variables at non-null positions. GraphQL allows a nullable variable there if it has a default. */
function variablesAtNonNull(schema: GraphQLSchema, document: DocumentNode): Set<string> {
  const needed = new Set<string>()
  const typeInfo = new TypeInfo(schema)
  const visitor = visitWithTypeInfo(typeInfo, {
    VariableDefinition: () => false,
    Variable({ name }) {
      if (isNonNullType(typeInfo.getInputType())) needed.add(name.value)
    },
  })
  visit(document, visitor)
  return needed
}

export function declaredVariables(
  schema: GraphQLSchema,
  { document, operation }: Pick<OperationParts, 'document' | 'operation'>,
): DeclaredVariable[] {
  const needed = operation.variableDefinitions?.length ? variablesAtNonNull(schema, document) : null
  return (operation.variableDefinitions ?? []).flatMap((definition) => {
    const type = typeFromAST(schema, definition.type)
    if (!isInputType(type)) return []
    const name = definition.variable.name.value
    return {
      name,
      type,
      hasDefault: definition.defaultValue !== undefined,
      defaultValue: definition.defaultValue ? valueFromAST(definition.defaultValue, type) : undefined,
      isNeeded: needed?.has(name) ?? false,
    }
  })
}

function required(name: string, what: string): FieldProblem {
  const path = shortened(name)
  return { path, code: 'REQUIRED', message: `Variable "$${path}" ${what}.` }
}

function problemOf(place: string, text: string, suggestsFrom: GraphQLSchema | null): FieldProblem {
  const path = shortened(place)
  const message = suggestsFrom ? withAllowedValues(suggestsFrom, shortened(text)) : shortened(text)
  const unknown = /^Field "([^"]*)" is not defined by type/.exec(text)?.[1]
  if (unknown !== undefined) return { path: shortened(`${path}.${unknown}`), code: 'UNKNOWN_FIELD', message }
  const missing = /^Field "([^"]*)" of required type/.exec(text)?.[1]
  if (missing !== undefined) return { path: shortened(`${path}.${missing}`), code: 'REQUIRED', message }
  const isNull = /^Expected non-nullable type .* not to be null\.$/.test(text)
  return { path, code: isNull ? 'REQUIRED' : 'INVALID_VALUE', message }
}

// Stops coercion early: a list may have hundreds of thousands of invalid items, and each creates an error.
const tooManyProblems = new Error(`${problemsMax} problems were found`)

/** Converts exact numbers to doubles except for our own scalars, because `Float` is double precision by definition. */
function asTyped(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return asTyped(value, type.ofType)
  if (isRawNumber(value)) {
    const isExact = isScalarType(getNamedType(type)) && !isSpecifiedScalarType(getNamedType(type))
    return isExact ? value : nearestNumber(value)
  }
  if (isListType(type)) {
    return Array.isArray(value) ? value.map((item) => asTyped(item, type.ofType)) : asTyped(value, type.ofType)
  }
  if (!isInputObjectType(type) || !isJsonObject(value)) return value
  const fields = type.getFields()
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return [name, field ? asTyped(member, field.type) : member]
    }),
  )
}

/**
 * Coerces the variables as the operation declares them and fills in defaults. The refusal lists every problem (at most
 * fifty), each with the variable's name and the path inside it. With `suggestsFrom` the messages contain names of that schema.
 */
export function coerceVariables(
  declared: readonly DeclaredVariable[],
  given: Variables,
  suggestsFrom: GraphQLSchema | null = null,
): Variables {
  const coerced: Record<string, unknown> = {}
  const problems: FieldProblem[] = []
  for (const { name, type, hasDefault, defaultValue, isNeeded } of declared) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined) {
      if (hasDefault) coerced[name] = defaultValue
      else if (isNonNullType(type)) {
        problems.push(required(name, 'is required'))
      }
    } else if (value === null && (isNonNullType(type) || isNeeded)) {
      problems.push(required(name, 'must not be null'))
    } else {
      const note = (path: readonly (string | number)[], _value: unknown, error: Error): void => {
        problems.push(problemOf([name, ...path].join('.'), error.message, suggestsFrom))
        if (problems.length >= problemsMax) throw tooManyProblems
      }
      try {
        const typed = holdsRawNumber(value) ? asTyped(value, type) : value
        coerced[name] = quicklyCoerced(typed, type) ?? coerceInputValue(typed, type, note, !suggestsFrom)
      } catch (thrown) {
        if (thrown !== tooManyProblems) throw thrown
        break
      }
    }
  }
  const [first] = problems
  if (!first) return coerced
  const message = problems.length === 1 ? first.message : `${problems.length} inputs are not valid.`
  throw new Refusal('VALIDATION_FAILED', message, { errors: problems })
}
