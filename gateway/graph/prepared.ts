import { visit, type DocumentNode, type Location, type OperationTypeNode } from 'graphql'
import type { ScopeRequirement } from '../../subgraphs/kernel/scopes.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { fieldsIn } from '../../subgraphs/kernel/subgraph/document-size.ts'
import { collectFields } from './collect.ts'
import { costOf, refuseCostly, type CostNode } from './cost.ts'
import { decidedParts, Execution, type PrepareSurroundings } from './execution.ts'
import { withValuesBuilt, withValuesHoisted, type WrittenValue } from './literals.ts'
import { refuseOversized } from './limits.ts'
import { operationParts, refuseInvalid, type OperationParts } from './operation.ts'
import { parseWithin } from './parse.ts'
import { requirementsOf } from './requirements.ts'
import type { LoadedSupergraph } from './supergraph.ts'
import { coerceVariables, declaredVariables, type DeclaredVariable } from './variables.ts'
import type { Variables } from './variable-values.ts'

let preparedCount = 0

/** One operation of one document, read and checked as far as that is possible without variables and caller. */
export class Prepared {
  readonly kind: OperationTypeNode
  readonly name: string | null
  /** What the caller must hold, all of these; the order says nothing. */
  readonly requirements: readonly ScopeRequirement[]
  /** The operation as it is executed: what the document writes with variables inside is one variable. */
  readonly parts: OperationParts
  readonly variables: readonly DeclaredVariable[]
  /** As how many requests it counts: a mutation does as much as one request for each of its root fields. */
  readonly requests: number
  private readonly cost: readonly CostNode[]
  /** Known once, unless variables take part in it. */
  private introspected: number | null = null
  private readonly written: readonly WrittenValue[]
  private readonly surroundings: PrepareSurroundings
  private readonly number = ++preparedCount
  private unconditional: Execution | null = null

  /** `bytes`: what it takes in memory, its plan included; each outcome of its conditions takes as much again. */
  constructor(
    surroundings: PrepareSurroundings,
    parts: OperationParts,
    readonly bytes: number,
  ) {
    const { apiSchema, requirements } = surroundings.supergraph
    const { operation, fragments, document } = parts
    this.surroundings = surroundings
    const hoisted = withValuesHoisted(apiSchema, parts)
    this.parts = hoisted.parts
    this.written = hoisted.written
    this.kind = operation.operation
    this.name = operation.name?.value ?? null
    this.requirements = requirementsOf(apiSchema, requirements, document)
    this.variables = declaredVariables(apiSchema, parts)
    this.requests = this.kind === 'mutation' ? mutationsIn(surroundings.supergraph, parts) : 1
    this.cost = costOf(apiSchema, operation, fragments)
  }

  /** The variables of an execution: the client's as they are declared, and the values that are built of them. */
  coerced(given: Variables): Variables {
    return withValuesBuilt(this.written, coerceVariables(this.variables, given))
  }

  /** With variables that were coerced. */
  refuseCostly(variables: Variables): void {
    const { supergraph, limits } = this.surroundings
    const introspected = this.parts.introspects
      ? {
          valuesPerObject: supergraph.introspection.valuesPerObject,
          count: (valuesMax: number) => this.introspectedValues(variables, valuesMax),
        }
      : null
    refuseCostly(this.cost, variables, limits.cost, introspected)
  }

  private introspectedValues(variables: Variables, valuesMax: number): number {
    if (this.introspected !== null) return this.introspected
    const { supergraph, limits } = this.surroundings
    const depthMax = limits.introspectionDepth
    const values = supergraph.introspection.valuesOf(this.parts, variables, { valuesMax, depthMax })
    if (this.variables.length === 0) this.introspected = values
    return values
  }

  /**
   * With variables that were coerced. `@skip` and `@include` are decided here, before anything is planned: the planner leaves out
   * what a condition leaves empty, forgets conditions on literals and mistakes those of required fields, and compiled execution
   * orders fields by places that are skipped.
   */
  executionFor(variables: Variables): Execution {
    const { conditions } = this.parts
    if (!conditions) return (this.unconditional ??= new Execution(this.surroundings, this.parts))
    const { outcomes } = this.surroundings
    const decisions = conditions.map((name) => (variables[name] === true ? '1' : '0'))
    const key = `${this.number} ${decisions.join('')}`
    let execution = outcomes.get(key)
    if (!execution) {
      execution = new Execution(this.surroundings, decidedParts(this.parts, variables))
      outcomes.set(key, execution, { size: this.bytes })
    }
    return execution
  }
}

/** How many mutations an operation holds, whatever its conditions. Throws a `Refusal` where some must not be sent together. */
function mutationsIn({ apiSchema, onePerRequest }: LoadedSupergraph, parts: OperationParts): number {
  const type = apiSchema.getMutationType()
  if (!type) return 1
  const { fragments, operation } = parts
  const names = Array.from(
    collectFields({ schema: apiSchema, fragments }, type, [operation.selectionSet]).values(),
    ({ name }) => name,
  ).filter((name) => name !== '__typename')
  const alone = names.filter((name) => onePerRequest.has(`${type.name}.${name}`))
  if (alone.length > 1) {
    const message = `Each of ${[...new Set(alone)].join(', ')} needs a request of its own.`
    throw new Refusal('ONE_MUTATION_PER_REQUEST', message)
  }
  return Math.max(names.length, 1)
}

/** What an operation takes by itself, for each token of its document and for each field, measured by `npm run soak`. */
const operationBytes = 10_000
const tokenBytes = 200
const fieldBytes = 300

/** Tokens hang on locations, which nothing asks for once a document is valid. */
function forgetLocations(document: DocumentNode): void {
  visit(document, {
    enter(node) {
      ;(node as { loc?: Location | undefined }).loc = undefined
    },
  })
}

/** Throws a `Refusal` for a document that cannot be parsed, is too large, is not valid or has no such operation. */
export function prepare(surroundings: PrepareSurroundings, source: string, operationName: string | null): Prepared {
  const { supergraph, limits } = surroundings
  const { document, tokens } = parseWithin(limits, source)
  refuseOversized(limits, supergraph.apiSchema, document)
  refuseInvalid(supergraph.apiSchema, document)
  forgetLocations(document)
  const parts = operationParts(document, operationName)
  // The text itself is the key that it is kept by, and its longest part may be one literal.
  const bytes = operationBytes + 4 * source.length + tokenBytes * tokens + fieldBytes * fieldsIn(parts.document)
  return new Prepared(surroundings, parts, bytes)
}
