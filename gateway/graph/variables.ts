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
import { holdsRawNumber } from '../../subgraphs/kernel/exact-json.ts'
import { isJsonObject, isRawNumber, nearestNumber } from '../../subgraphs/kernel/exact-number.ts'
import type { OperationParts } from './operation.ts'
import { shortened } from './shortened.ts'
import type { Variables } from './variable-values.ts'

/** A declared variable, its type looked up and its default coerced once. */
export interface DeclaredVariable {
  readonly name: string
  readonly type: GraphQLInputType
  readonly hasDefault: boolean
  readonly defaultValue: unknown
  /** It stands where null may not, if only by its default: an explicit null has no meaning there. */
  readonly isNeeded: boolean
}

const problemsMax = 50

/** The variables that stand where null may not: a default makes that valid whatever their own type says. */
function variablesNeeded(schema: GraphQLSchema, document: DocumentNode): Set<string> {
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
  const needed = operation.variableDefinitions?.length ? variablesNeeded(schema, document) : null
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

function problemOf(place: string, text: string): FieldProblem {
  const path = shortened(place)
  const message = shortened(text)
  const unknown = /^Field "([^"]*)" is not defined by type/.exec(text)?.[1]
  if (unknown !== undefined) return { path: shortened(`${path}.${unknown}`), code: 'UNKNOWN_FIELD', message }
  const missing = /^Field "([^"]*)" of required type/.exec(text)?.[1]
  if (missing !== undefined) return { path: shortened(`${path}.${missing}`), code: 'REQUIRED', message }
  const isNull = /^Expected non-nullable type .* not to be null\.$/.test(text)
  return { path, code: isNull ? 'REQUIRED' : 'INVALID_VALUE', message }
}

// A list may have hundreds of thousands of wrong items, and each costs an error to find.
const enough = new Error('fifty problems were found')

/** Only our own scalars know numbers that are kept by their digits; `Float` is double precision by definition. */
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
 * The variables as the operation declares them, defaults filled in. Refuses with every problem that was found (at most
 * fifty), each under the variable's name and the path into it.
 */
export function coerceVariables(declared: readonly DeclaredVariable[], given: Variables): Variables {
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
        problems.push(problemOf([name, ...path].join('.'), error.message))
        if (problems.length >= problemsMax) throw enough
      }
      try {
        coerced[name] = coerceInputValue(holdsRawNumber(value) ? asTyped(value, type) : value, type, note, true)
      } catch (thrown) {
        if (thrown !== enough) throw thrown
        break
      }
    }
  }
  const [first] = problems
  if (!first) return coerced
  const message = problems.length === 1 ? first.message : `${problems.length} inputs are not valid.`
  throw new Refusal('VALIDATION_FAILED', message, { errors: problems })
}
