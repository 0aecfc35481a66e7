import { Supergraph, operationFromDocument } from '@apollo/federation-internals'
import { QueryPlanner, type PlanNode } from '@apollo/query-planner'
import { isAbstractType, isEnumType, parse, type DocumentNode, type GraphQLSchema } from 'graphql'
import { limitsInTags, type OperationLimits } from '../../subgraphs/kernel/operation-limits.ts'
import { onePerRequestTag, triedAloneTag } from '../../subgraphs/kernel/subgraph/one-per-request.ts'
import { compactSchema } from '../../subgraphs/kernel/package-internals/compact-schema.ts'
import { atomic, mutationOwners } from './atomic.ts'
import { allowDuplicates } from './allowed-duplicates.ts'
import { dryRun } from './dry-run.ts'
import { refusedOperation } from './failures.ts'
import { Introspection } from './introspection.ts'
import { dropSources } from '../../subgraphs/kernel/package-internals/planner-memory.ts'
import { repairPlanner } from '../../subgraphs/kernel/package-internals/planner-repair.ts'
import { readFilterScopes, type FilterScopes } from './filter-scopes.ts'
import { readRequirements, tagsOfFields, withoutSecurity, type Requirements } from './requirements.ts'
import { addScalarChecks } from './scalars.ts'
import { fetchedNames } from './conflicting-aliases.ts'

repairPlanner()

// The planner compares alternatives. After this many it takes the best so far, which limits planning time.
const plansMax = 100

/** The composed supergraph: the API schema of clients, the required scopes, and query plans. */
export class LoadedSupergraph {
  /** The schema that clients see. */
  readonly apiSchema: GraphQLSchema
  /** The whole schema, including elements that clients do not see. */
  readonly schema: GraphQLSchema
  readonly introspection: Introspection
  readonly requirements: Requirements
  readonly filterScopes: FilterScopes
  /** Root fields, as `Type.field`, of which a request may contain only one. */
  readonly onePerRequest: ReadonlySet<string>
  /** Those of them that are refused in a dry run. */
  readonly notInDryRun: ReadonlySet<string>
  /** The subgraphs of mutations, by `Mutation.field`. */
  readonly mutationOwners: ReadonlyMap<string, string>
  /** Limits of root fields, as `Type.field`, that have others than usual. */
  readonly limits: ReadonlyMap<string, Partial<OperationLimits>>
  /** Enums, interfaces and unions that have fewer members in the API schema than in the subgraphs. */
  readonly narrowed: ReadonlySet<string>
  /** Names of fields that plans may fetch although the client did not select them. */
  readonly fetched: ReadonlySet<string>
  private readonly supergraph: Supergraph
  private readonly subgraphSchemas = new Map<string, GraphQLSchema>()
  private planner: QueryPlanner | null = null

  constructor(sdl: string) {
    const document = parse(sdl, { noLocation: true })
    this.requirements = readRequirements(document)
    this.filterScopes = readFilterScopes(document)
    const tagged = [...tagsOfFields(document)]
    const alone = tagged.filter(([, tags]) => tags.includes(onePerRequestTag))
    this.onePerRequest = new Set(alone.map(([field]) => field))
    this.notInDryRun = new Set(alone.flatMap(([field, tags]) => (tags.includes(triedAloneTag) ? [] : [field])))
    this.limits = new Map(
      tagged.flatMap(([field, tags]) => {
        const limits = limitsInTags(tags)
        return limits ? [[field, limits] as const] : []
      }),
    )
    this.fetched = fetchedNames(document)
    this.supergraph = Supergraph.build(withoutSecurity(document), { validateSupergraph: false })
    this.mutationOwners = mutationOwners(document)
    this.apiSchema = allowDuplicates.addedTo(
      dryRun.addedTo(atomic.addedTo(this.supergraph.apiSchema().toGraphQLJSSchema())),
    )
    addScalarChecks(this.apiSchema)
    this.introspection = new Introspection(this.apiSchema)
    this.schema = this.supergraph.schema.toGraphQLJSSchema()
    this.narrowed = narrowedTypes(this.apiSchema, this.schema)
    compactSchema(this.apiSchema)
    compactSchema(this.schema)
    dropSources(this.supergraph.schema)
    dropSources(this.supergraph.apiSchema())
  }

  get subgraphNames(): readonly string[] {
    return this.supergraph.subgraphsMetadata().map(({ name }) => name)
  }

  /** The schema of one subgraph, as extracted from the supergraph. */
  schemaOf(subgraph: string): GraphQLSchema | null {
    const known = this.subgraphSchemas.get(subgraph)
    if (known) return known
    const schema = this.supergraph.subgraphs().get(subgraph)?.schema.toGraphQLJSSchema()
    if (!schema) return null
    compactSchema(schema)
    this.subgraphSchemas.set(subgraph, schema)
    return schema
  }

  /** Null when nothing needs to be fetched. The document holds one operation; throws a `Refusal` when the planner refuses it. */
  plan(document: DocumentNode): PlanNode | null {
    try {
      return this.planned(document)
    } catch (thrown) {
      throw refusedOperation(thrown) ?? thrown
    }
  }

  private planned(document: DocumentNode): PlanNode | null {
    this.planner ??= new QueryPlanner(this.supergraph, {
      reuseQueryFragments: false,
      debug: { maxEvaluatedPlans: plansMax },
    })
    const operation = operationFromDocument(this.supergraph.apiSchema(), document, { validate: false })
    const { node } = this.planner.buildQueryPlan(operation)
    if (node?.kind === 'Subscription') throw new Error('A subscription has no plan.')
    return node ?? null
  }
}

function narrowedTypes(apiSchema: GraphQLSchema, schema: GraphQLSchema): Set<string> {
  const narrowed = new Set<string>()
  for (const type of Object.values(apiSchema.getTypeMap())) {
    const whole = schema.getType(type.name)
    const isNarrowed =
      (isEnumType(type) && isEnumType(whole) && type.getValues().length < whole.getValues().length) ||
      (isAbstractType(type) &&
        isAbstractType(whole) &&
        apiSchema.getPossibleTypes(type).length < schema.getPossibleTypes(whole).length)
    if (isNarrowed) narrowed.add(type.name)
  }
  return narrowed
}
