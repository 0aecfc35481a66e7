import '../compiled-code.ts'
import { getOperationAST, parse, print, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql'
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit'
import { LRUCache } from 'lru-cache'
import { transientError } from '../database/transient-error.ts'
import { notInDryRun } from '../dry-run.ts'
import { defectMessage, Refusal } from '../errors.ts'
import { withCustomObjects, type RecordTypes } from '../record/visible-records.ts'
import { portsOf, requestContext, type Ports, type RequestContext, type Services } from '../request.ts'
import { ownEventLoopTurn } from '../work/turn.ts'
import type { SubgraphEndpoint, SubgraphRequest, SubgraphResult } from './endpoint.ts'
import { readOrReplay, runOnce } from './idempotency.ts'
import { runDry } from './run-dry.ts'
import { refused } from './whole-answer.ts'
import { runWithExternalCalls } from './with-external-calls.ts'
import { fieldsIn } from './document-size.ts'
import { crossTenantParts, rootFieldsIn } from './cross-tenant-parts.ts'
import { withCoercedType, withoutRecursion, type RewrittenOperation } from './recursive-variables.ts'
import { compileWithoutChecks } from './unchecked-values.ts'
import type { SubgraphSchema } from './subgraph.ts'

interface Compiled {
  readonly isMutation: boolean
  readonly services: Services
  /** Operations to execute instead, one after another, when only some root fields bypass row-level security. */
  readonly parts: readonly string[] | null
  /** Whether a dry run may try it. */
  readonly isTriable: boolean
  run(ctx: RequestContext, variables: object): Promise<SubgraphResult> | SubgraphResult
}

const notAtomic = (): Refusal =>
  new Refusal('VALIDATION_FAILED', '@atomic must not be used with fields that concern several organizations.')

/** Estimated memory of a compiled operation: a base, and an amount for each field. Measured by `npm run soak`. */
const operationBytes = 20_000
const fieldBytes = 1_200
const compiledBytesMax = 48_000_000

/** A subgraph in this process. Each operation is compiled once. */
export class LocalSubgraph implements SubgraphEndpoint {
  readonly #compiled = new LRUCache<string, Compiled>({ maxSize: compiledBytesMax })

  private readonly schema: GraphQLSchema
  private readonly crossTenantFields: ReadonlySet<string>
  private readonly crossTenantDryRuns: ReadonlySet<string>
  private readonly kinds: RecordTypes
  private readonly ports: Partial<Ports>
  /** Services whose statements bypass row-level security. */
  private readonly crossTenantServices: Services

  constructor(
    readonly name: string,
    {
      schema,
      crossTenantFields,
      crossTenantDryRuns,
      kinds,
      entities,
      ports,
    }: Pick<SubgraphSchema, 'schema' | 'crossTenantFields' | 'crossTenantDryRuns' | 'kinds' | 'entities' | 'ports'>,
    private readonly services: Services,
  ) {
    compileWithoutChecks(schema, entities)
    this.schema = withCoercedType(schema)
    this.crossTenantFields = crossTenantFields
    this.crossTenantDryRuns = crossTenantDryRuns
    this.crossTenantServices = { ...services, tenants: services.crossTenant }
    this.kinds = kinds
    this.ports = portsOf(services, ports)
  }

  /** Estimated bytes of the compiled operations. */
  get compiledBytes(): number {
    return this.#compiled.calculatedSize
  }

  async execute(request: SubgraphRequest): Promise<SubgraphResult> {
    let compiled: Compiled
    if (!this.#compiled.has(request.document)) await ownEventLoopTurn(request.context.caller.organizationId)
    try {
      compiled = this.#compile(request.document)
    } catch (error) {
      if (error instanceof Refusal) return { data: null, errors: [error.toJSON()] }
      throw error
    }
    const { context, variables } = request
    const { services, parts } = compiled
    const isAtomic = compiled.isMutation && context.isAtomic === true
    if (isAtomic && (parts || services !== this.services)) return refused(notAtomic())
    const isDryRun = compiled.isMutation && context.dryRun !== undefined
    if (isDryRun && !compiled.isTriable) return refused(notInDryRun())
    if (parts) return this.#executeEach(parts, request)
    const loading = services.shapes.load(request.context.caller.organizationId)
    if (loading) await loading
    const loadingExtensions = services.extensions.load(request.context.caller.organizationId)
    if (loadingExtensions) await loadingExtensions
    if (isDryRun) {
      const run = async (ctx: RequestContext) => this.#formatted(await compiled.run(ctx, variables), ctx)
      return runDry({ services, request, ports: this.ports }, run)
    }
    // Idempotency keys belong to a credential, so they have no effect for anonymous callers.
    if (context.idempotency && context.caller.kind !== 'ANONYMOUS') {
      const run = async (ctx: RequestContext) => this.#formatted(await compiled.run(ctx, variables), ctx)
      const kinds = withCustomObjects(this.kinds, services.shapes.shapesOf(context.caller.organizationId))
      return (compiled.isMutation ? runOnce : readOrReplay)({ services, request, kinds, ports: this.ports }, run)
    }
    if (isAtomic || (compiled.isMutation && services.extensions.of(context.caller.organizationId)?.hasHooks)) {
      const run = async (ctx: RequestContext) => this.#formatted(await compiled.run(ctx, variables), ctx)
      return runWithExternalCalls({ services, request, ports: this.ports }, run)
    }
    const ctx = requestContext(context, services, { ports: this.ports })
    const result = await compiled.run(ctx, variables)
    return result.errors ? this.#formatted(result, ctx) : result
  }

  async #executeEach(documents: readonly string[], request: SubgraphRequest): Promise<SubgraphResult> {
    const results: SubgraphResult[] = []
    for (const document of documents) results.push(await this.execute({ ...request, document }))
    const errors = results.flatMap((result) => result.errors ?? [])
    return {
      // If a part is null, a non-null root field in it has failed, so the whole `data` is null.
      data: results.some(({ data }) => !data) ? null : Object.assign({}, ...results.map(({ data }) => data)),
      ...(errors.length > 0 && { errors }),
      ...(results.some(({ replayed }) => replayed) && { replayed: true }),
    }
  }

  #compile(document: string): Compiled {
    let compiled = this.#compiled.get(document)
    if (!compiled) {
      const ast = parse(document)
      const split = withoutRecursion(this.schema, ast)
      const query = compileQuery(this.schema, split.document, undefined, {
        disableLeafSerialization: true,
        disablingCapturingStackErrors: true,
      })
      // The gateway sends valid documents, so the only compile error is a literal that its scalar refuses.
      if (!isCompiledQuery(query)) {
        const { message } = query.errors?.[0] ?? { message: 'The operation is not valid.' }
        throw new Refusal('VALIDATION_FAILED', message)
      }
      const parts = crossTenantParts(ast, this.crossTenantFields)
      const { isCrossTenant } = parts[0]!
      const mayBeTried = () => rootFieldsIn(ast).every(({ name }) => this.crossTenantDryRuns.has(name.value))
      compiled = {
        isTriable: parts.length === 1 && (!isCrossTenant || mayBeTried()),
        isMutation: getOperationAST(ast)?.operation === 'mutation',
        services: isCrossTenant ? this.crossTenantServices : this.services,
        parts: parts.length > 1 ? parts.map((part) => print(part.document)) : null,
        run: runner(query, split),
      }
      const size = operationBytes + 2 * document.length + fieldBytes * fieldsIn(ast)
      this.#compiled.set(document, compiled, { size })
    }
    return compiled
  }

  /** Errors that the caller can act on are returned; a defect is logged with its cause and returned as `INTERNAL` only. */
  #formatted({ data, errors }: SubgraphResult, ctx: RequestContext): SubgraphResult {
    if (!errors?.length) return { data: data ?? null }
    const formatted = (errors as readonly GraphQLError[]).map((error) => {
      const cause = error.originalError ?? error
      const path = error.path ? { path: error.path } : {}
      if (cause instanceof Refusal || (error.extensions?.code && !error.originalError)) {
        return { message: error.message, ...path, extensions: { ...error.extensions } }
      }
      const transient = transientError(cause)
      if (transient) return { message: transient.message, ...path, extensions: { ...transient.extensions } }
      ctx.log.error(
        { err: cause, requestId: ctx.requestId, subgraph: this.name, path: error.path },
        'a resolver failed',
      )
      return { message: defectMessage, ...path, extensions: { code: 'INTERNAL' } }
    })
    return { data: data ?? null, errors: formatted }
  }
}

/** Whether a variable such as `$toString` has the name of an inherited property, which compiled code would read as its value. */
function namesInherited(document: DocumentNode): boolean {
  const { variableDefinitions = [] } = getOperationAST(document) ?? {}
  return variableDefinitions.some(({ variable }) => variable.name.value in Object.prototype)
}

function runner({ query }: CompiledQuery, { document, coerce }: RewrittenOperation): Compiled['run'] {
  type Result = SubgraphResult | Promise<SubgraphResult>
  const run: Compiled['run'] = namesInherited(document)
    ? (ctx, variables) => query(undefined, ctx, Object.assign(Object.create(null), variables)) as Result
    : (ctx, variables) => query(undefined, ctx, variables) as Result
  if (!coerce) return run
  return (ctx, variables) => {
    const coerced = coerce(variables)
    return 'errors' in coerced ? { data: null, errors: coerced.errors } : run(ctx, coerced.variables)
  }
}
