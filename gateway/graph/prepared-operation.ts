import { hash } from 'node:crypto'
import { Kind, visit, type DocumentNode, type Location, type OperationTypeNode } from 'graphql'
import { joinedLimits, largestLimits, type OperationLimits } from '../../subgraphs/kernel/operation-limits.ts'
import type { DryRunMode } from '../../subgraphs/kernel/dry-run.ts'
import type { ScopeRequirement } from '../../subgraphs/kernel/scopes.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { fieldsIn } from '../../subgraphs/kernel/subgraph/document-size.ts'
import { atomic, refuseUnlessTogether } from './atomic.ts'
import { allowDuplicates } from './allowed-duplicates.ts'
import { dryRun as dryRunDirective, dryRunIn, refuseUntriable } from './dry-run.ts'
import { collectFields } from './collect.ts'
import { costOf, refuseCostly, type CostNode } from './cost.ts'
import { evaluatedParts, Execution, type PrepareDependencies } from './execution.ts'
import { withLiteralValues, withLiteralsHoisted, type HoistedLiteral } from './literals.ts'
import { refuseOversized } from './limits.ts'
import { operationParts, refuseInvalid, type OperationParts } from './operation.ts'
import { parseWithin } from './parse.ts'
import { RequiredFilterScopes } from './filter-scopes.ts'
import { requirementsOf } from './requirements.ts'
import type { LoadedSupergraph } from './supergraph.ts'
import { coerceVariables, declaredVariables, type DeclaredVariable } from './variables.ts'
import type { Variables } from './variable-values.ts'

let preparedCount = 0

const queryNameMax = 100
/** Enough to find a document without a name among those of one client. Persisted queries have the same digest. */
const digestCharacters = 8

/** A copy, because a part of a text keeps the whole of it in memory, and the name may be remembered longer than the document. */
const copied = (name: string): string => Buffer.from(name.slice(0, queryNameMax), 'latin1').toString('latin1')

const queryNameOf = ({ operation }: OperationParts, source: string): string =>
  operation.name ? copied(operation.name.value) : hash('sha256', source).slice(0, digestCharacters)

/** One operation of one document, with all checks done that need neither variables nor caller. */
export class PreparedOperation {
  readonly kind: OperationTypeNode
  readonly name: string | null
  /** The name of its root field in the schema; `several` if it has more than one. */
  readonly rootField: string
  /** The scope requirements of the operation. The caller must meet all of them; their order has no meaning. */
  readonly requirements: readonly ScopeRequirement[]
  /** The operation as it is executed: literals that contain variables are replaced by one variable each. */
  readonly parts: OperationParts
  readonly variables: readonly DeclaredVariable[]
  /** The number of requests that the operation counts as: a mutation counts once for each of its root fields. */
  readonly requests: number
  /** Its limits of answer and deadline; null: the usual ones. */
  readonly limits: OperationLimits | null
  private readonly filterScopes: RequiredFilterScopes
  private readonly cost: readonly CostNode[]
  /** Cached if the operation has no variables. */
  private introspected: number | null = null
  private readonly rootFields: readonly string[]
  private readonly literals: readonly HoistedLiteral[]
  private readonly dependencies: PrepareDependencies
  private readonly number = ++preparedCount
  private unconditional: Execution | null = null

  /** `bytes`: estimated memory including the plan; each outcome of its conditions takes as much again. */
  constructor(
    dependencies: PrepareDependencies,
    parts: OperationParts,
    readonly bytes: number,
    /** What it is called where it is counted: its name, or the beginning of the digest of its document. */
    readonly queryName: string,
    /** Whether all root fields of the mutation commit, or none. */
    readonly isAtomic: boolean,
    /** How the mutation asks to be tried and rolled back; null: it does not. */
    readonly dryRun: DryRunMode | null = null,
    /** Whether the mutation allows to make duplicates. */
    readonly allowsDuplicates = false,
  ) {
    const { apiSchema, requirements, filterScopes } = dependencies.supergraph
    const { operation, fragments, document } = parts
    this.dependencies = dependencies
    const hoisted = withLiteralsHoisted(apiSchema, parts)
    this.parts = hoisted.parts
    this.literals = hoisted.literals
    this.kind = operation.operation
    this.name = operation.name?.value ?? null
    this.rootField = rootFieldOf(parts)
    this.filterScopes = new RequiredFilterScopes(apiSchema, filterScopes, document)
    const required = requirementsOf(apiSchema, requirements, document)
    const known = new Set(required.map(String))
    this.requirements = [...required, ...this.filterScopes.ofLiterals.filter((one) => !known.has(String(one)))]
    this.variables = declaredVariables(apiSchema, parts)
    const rootFields = rootFieldsOf(dependencies.supergraph, parts)
    if (this.kind === 'mutation') refuseTogether(dependencies.supergraph, rootFields)
    this.rootFields = rootFields
    if (isAtomic) refuseUnlessTogether(dependencies.supergraph, rootFields)
    if (dryRun) this.refuseUntriable()
    this.requests = this.kind === 'mutation' ? Math.max(rootFields.length, 1) : 1
    this.limits = limitsOf(dependencies.supergraph, rootFields, this.parts.introspects)
    this.cost = costOf(apiSchema, operation, fragments)
  }

  /** Refuses a dry run of root fields that cannot be tried. */
  refuseUntriable(): void {
    refuseUntriable(this.dependencies.supergraph, this.rootFields)
  }

  /** The variables of an execution: the client's coerced variables and the values of the replaced literals. */
  coerced(given: Variables, suggests: boolean): Variables {
    const { apiSchema } = this.dependencies.supergraph
    return withLiteralValues(this.literals, coerceVariables(this.variables, given, suggests ? apiSchema : null))
  }

  /** The scopes that the filters in the variables need, in addition to `requirements`. Takes coerced variables. */
  requirementsIn(variables: Variables): readonly ScopeRequirement[] {
    return this.filterScopes.ofVariables(variables)
  }

  /** Takes coerced variables. `costMax` is lower than the limit of clients where the platform itself sends the operation. */
  refuseCostly(variables: Variables, costMax = this.dependencies.limits.cost): void {
    const { supergraph } = this.dependencies
    const introspected = this.parts.introspects
      ? {
          valuesPerObject: supergraph.introspection.valuesPerObject,
          count: (valuesMax: number) => this.introspectedValues(variables, valuesMax),
        }
      : null
    refuseCostly(this.cost, variables, costMax, introspected)
  }

  private introspectedValues(variables: Variables, valuesMax: number): number {
    if (this.introspected !== null) return this.introspected
    const { supergraph, limits } = this.dependencies
    const depthMax = limits.introspectionDepth
    const values = supergraph.introspection.valuesOf(this.parts, variables, { valuesMax, depthMax })
    if (this.variables.length === 0) this.introspected = values
    return values
  }

  /**
   * Takes coerced variables. `@skip` and `@include` are evaluated here, before planning: the stock planner omits selections that a
   * condition empties, ignores conditions on literals and misapplies those of required fields, and compiled execution orders fields
   * by positions that are skipped.
   */
  executionFor(variables: Variables): Execution {
    const { conditions } = this.parts
    if (!conditions) return (this.unconditional ??= new Execution(this.dependencies, this.parts))
    const { outcomes } = this.dependencies
    const decisions = conditions.map((name) => (variables[name] === true ? '1' : '0'))
    const key = `${this.number} ${decisions.join('')}`
    let execution = outcomes.get(key)
    if (!execution) {
      execution = new Execution(this.dependencies, evaluatedParts(this.parts, variables))
      outcomes.set(key, execution, { size: this.bytes })
    }
    return execution
  }
}

function rootFieldOf({ operation }: OperationParts): string {
  const [first, ...others] = operation.selectionSet.selections
  return others.length === 0 && first?.kind === Kind.FIELD ? first.name.value : 'several'
}

/** The root fields of an operation as `Type.field`, whatever its conditions; one that occurs under two names occurs twice. */
function rootFieldsOf({ apiSchema }: LoadedSupergraph, { fragments, operation }: OperationParts): string[] {
  const type = apiSchema.getRootType(operation.operation)
  if (!type) return []
  const collected = collectFields({ schema: apiSchema, fragments }, type, [operation.selectionSet])
  return Array.from(collected.values(), ({ name }) => name).flatMap((name) =>
    name === '__typename' ? [] : [`${type.name}.${name}`],
  )
}

/** Refuses mutations that must not be sent together. */
function refuseTogether({ onePerRequest }: LoadedSupergraph, rootFields: readonly string[]): void {
  const separate = rootFields.filter((field) => onePerRequest.has(field))
  if (separate.length <= 1) return
  const names = new Set(separate.map((field) => field.slice(field.indexOf('.') + 1)))
  throw new Refusal('ONE_MUTATION_PER_REQUEST', `Send each of ${[...names].join(', ')} in a separate request.`)
}

/** The schema with its descriptions is larger than an answer usually may be. */
const limitsOfIntrospection = { answerBytes: largestLimits.answerBytes }

function limitsOf(
  { limits }: LoadedSupergraph,
  rootFields: readonly string[],
  introspects: boolean,
): OperationLimits | null {
  const own: Partial<OperationLimits>[] = rootFields.flatMap((field) => limits.get(field) ?? [])
  if (introspects) own.push(limitsOfIntrospection)
  return own.length > 0 ? joinedLimits(own) : null
}

/** Memory of an operation: a fixed part, and a part for each token and for each field; measured by `npm run soak`. */
const operationBytes = 10_000
const tokenBytes = 200
const fieldBytes = 300

/** Drops the locations, which keep all tokens in memory and are not needed once a document is valid. */
function dropLocations(document: DocumentNode): void {
  visit(document, {
    enter(node) {
      ;(node as { loc?: Location | undefined }).loc = undefined
    },
  })
}

/** Throws a `Refusal` if a document cannot be parsed, is too large, is not valid or does not have the named operation; `suggests`: messages may contain names. */
export function prepare(
  dependencies: PrepareDependencies,
  source: string,
  operationName: string | null,
  suggests: boolean,
): PreparedOperation {
  const { supergraph, limits } = dependencies
  const { document, tokens } = parseWithin(limits, source)
  refuseOversized(limits, supergraph.apiSchema, document)
  refuseInvalid(supergraph.apiSchema, document, suggests)
  dropLocations(document)
  const given = operationParts(document, operationName)
  const isAtomic = atomic.isOn(given.operation)
  const dryRun = dryRunIn(given.operation)
  const allowsDuplicates = allowDuplicates.isOn(given.operation)
  const parts =
    isAtomic || dryRun || allowsDuplicates
      ? operationParts(
          atomic.removedFrom(dryRunDirective.removedFrom(allowDuplicates.removedFrom(given.document))),
          null,
        )
      : given
  // The source text is the cache key, and a large part of it may be one literal.
  const bytes = operationBytes + 4 * source.length + tokenBytes * tokens + fieldBytes * fieldsIn(parts.document)
  const queryName = queryNameOf(given, source)
  return new PreparedOperation(dependencies, parts, bytes, queryName, isAtomic, dryRun, allowsDuplicates)
}
