import type { OperationTypeNode } from 'graphql'
import type { ScopeRequirement } from '../../subgraphs/kernel/scopes.ts'
import { costOf, type CostNode } from './cost.ts'
import { decidedParts, Execution, type PrepareSurroundings } from './execution.ts'
import { withValuesBuilt, withValuesHoisted, type WrittenValue } from './literals.ts'
import { parseWithin, refuseOversized } from './limits.ts'
import { operationParts, refuseInvalid, type OperationParts } from './operation.ts'
import { requirementsOf } from './requirements.ts'
import { coerceVariables, declaredVariables, type DeclaredVariable, type Variables } from './variables.ts'

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
  readonly cost: readonly CostNode[]
  private readonly written: readonly WrittenValue[]
  private readonly surroundings: PrepareSurroundings
  private readonly number = ++preparedCount
  private readonly size: number
  private unconditional: Execution | null = null

  /** `size` is that of the whole document, in characters. */
  constructor(surroundings: PrepareSurroundings, parts: OperationParts, size: number) {
    const { apiSchema, requirements } = surroundings.supergraph
    const { operation, fragments, document } = parts
    this.surroundings = surroundings
    const hoisted = withValuesHoisted(apiSchema, parts)
    this.parts = hoisted.parts
    this.written = hoisted.written
    this.size = size
    this.kind = operation.operation
    this.name = operation.name?.value ?? null
    this.requirements = requirementsOf(apiSchema, requirements, document)
    this.variables = declaredVariables(apiSchema, parts)
    this.cost = costOf(apiSchema, operation, fragments)
  }

  /** The variables of an execution: the client's as they are declared, and the values that are built of them. */
  coerced(given: Variables): Variables {
    return withValuesBuilt(this.written, coerceVariables(this.variables, given))
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
      outcomes.set(key, execution, { size: this.size })
    }
    return execution
  }
}

/** Throws a `Refusal` for a document that cannot be parsed, is too large, is not valid or has no such operation. */
export function prepare(surroundings: PrepareSurroundings, source: string, operationName: string | null): Prepared {
  const { supergraph, limits } = surroundings
  const document = parseWithin(limits, source)
  refuseOversized(limits, supergraph.apiSchema, document)
  refuseInvalid(supergraph.apiSchema, document)
  return new Prepared(surroundings, operationParts(document, operationName), source.length)
}
