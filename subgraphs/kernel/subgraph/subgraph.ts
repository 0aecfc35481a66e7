import { buildSubgraphSchema } from '@apollo/subgraph'
import { printSchemaWithDirectives } from '@graphql-tools/utils'
import {
  getNullableType,
  isAbstractType,
  isRequiredArgument,
  parse,
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLSchema,
} from 'graphql'
import { buildSchema, createResolversMap, type NonEmptyArray } from 'type-graphql'
import type { Migration } from '../database/migrate.ts'
import type { Job } from '../jobs/job.ts'
import type { EventConsumer } from '../outbox/event-consumer.ts'
import type { MetadataComponent } from '../metadata/component.ts'
import type { MeasuredQueue } from '../operate/backlog.ts'
import type { Queue } from '../queue/queue.ts'
import { isRecordShape, type RecordShape } from '../record/definition.ts'
import type { TrackedObject } from '../record/event-types.ts'
import type { NamingRows } from '../record/merge/naming-rows.ts'
import type { DeclaredOperation } from '../record/operation.ts'
import type { RestArea } from '../record/rest-area.ts'
import type { TimelineSource } from '../record/timeline-source.ts'
import { addNamedRecords } from '../record/named-records.ts'
import { readReference } from '../record/read.ts'
import { resolveUsers } from '../record/user-fields.ts'
import { recordType } from '../record/record-registry.ts'
import type { RecordTypes } from '../record/visible-records.ts'
import { selectedFields, type SelectionInfo } from '../record/selection.ts'
import { DateTime, Json } from '../record/scalars.ts'
import type { Port, RequestContext, Services } from '../request.ts'
import type { SealedColumn } from '../secrets/rotate.ts'
import { inheritExtensions, keepDeclaredValues } from './declared-values.ts'
import { describeSchema } from './describe-schema.ts'
import { callResolversDirectly } from './direct-resolvers.ts'
import { makeDefaultedInputsNullable, resolveNullAsDefault } from './null-defaults.ts'

type Class = abstract new (...args: never[]) => object

/** A record by id, with the selected fields; null when it is deleted or not visible. */
type ReferenceReader = (ctx: RequestContext, id: string, selected: ReadonlySet<string>) => Promise<object | null>

/** The contribution of one resource folder: a record type, or an edge to a record of another subgraph. */
export interface Resource {
  readonly resolver: new () => object
  /** Types that no operation of the subgraph returns: fields that it adds to records of other subgraphs. */
  readonly types?: readonly Class[]
  /** Records that other subgraphs may reference, by the name of their GraphQL type. */
  readonly entities?: Readonly<Record<string, RecordShape>>
  /** What the record types have in common that organizations define themselves. */
  readonly perOrganization?: RecordShape
  /** How records that other subgraphs may reference are read whose GraphQL type does not say their record type. */
  readonly references?: Readonly<Record<string, ReferenceReader>>
  /** The REST paths of the record; `npm run schema` prints their OpenAPI. */
  readonly rest?: RestArea
  /** The REST path of the aggregate of a type that has no other standard operations. */
  readonly aggregate?: RestArea
  /** Its other REST operations; `npm run schema` prints them too. */
  readonly operations?: readonly DeclaredOperation[]
  /** Other sources of events, in addition to `entities`. */
  readonly announces?: readonly (RecordShape | TrackedObject)[]
  /** Record types of other subgraphs whose records its answers are made of: a stored answer is replayed only to callers who still see them. */
  readonly mentions?: readonly (string | RecordShape)[]
  /** Its rows that are no records and name records, for merges of these. */
  readonly names?: readonly NamingRows[]
  /** What it contributes to the timelines of the records that it is linked to. */
  readonly timeline?: readonly TimelineSource[]
  /** How what organizations define is retrieved as files and deployed from files. */
  readonly component?: MetadataComponent
  readonly migrations?: readonly Migration[]
  readonly jobs?: readonly Job[]
  /** Readers of the event log, which run in every worker. */
  readonly consumers?: readonly EventConsumer[]
  /** Work that leaves the process, attempted in every worker. */
  readonly queues?: readonly Queue[]
  /** Tables of other work that waits, for the metrics of queues. */
  readonly waiting?: readonly MeasuredQueue[]
  /** What runs in every worker until it is closed, such as connections that wait for something outside. */
  readonly background?: readonly ((services: Services) => { close(): Promise<void> })[]
  /**
   * Root fields that run before an organization is known (sign-in), or for a person across all their organizations. Only these
   * bypass row-level security, so their SQL must contain the tenant predicate itself.
   */
  readonly crossTenantFields?: readonly string[]
  /** Those of them that a dry run may try: all that they do is in the transaction of their context. */
  readonly crossTenantDryRuns?: readonly string[]
  /** Columns with sealed secrets, for the rotation of keys. */
  readonly sealed?: readonly SealedColumn[]
}

/** One domain. Its database schema has the same name. */
export interface SubgraphDefinition {
  readonly name: string
  /** The services that its resolvers may use in addition to the database. */
  readonly ports?: readonly Port[]
  readonly resources: readonly Resource[]
  /** Migrations of the tables of several resources, after those of each of them. */
  readonly migrations?: readonly Migration[]
}

/** The migrations of a subgraph: its database schema first, then those of its resources in the order of the list. */
export const migrationsOf = ({ name, resources, migrations: ofSeveral = [] }: SubgraphDefinition): Migration[] => [
  { name: `00000000-${name}-schema`, sql: `create schema ${name};` },
  ...resources.flatMap(({ migrations = [] }) => migrations),
  ...ofSeveral,
]

export interface SubgraphSchema {
  readonly schema: GraphQLSchema
  /** Root fields that bypass row-level security. */
  readonly crossTenantFields: ReadonlySet<string>
  readonly crossTenantDryRuns: ReadonlySet<string>
  readonly ports: readonly Port[]
  readonly kinds: RecordTypes
  /** The record types by the names of their GraphQL types. */
  readonly entities: Readonly<Record<string, RecordShape>>
  /** The schema as it is published to the gateway. */
  readonly sdl: string
  /** `sdl` parsed. The executable schema keeps it. */
  readonly document: DocumentNode
}

const federation = `extend schema @link(
  url: "https://specs.apollo.dev/federation/v2.9"
  import: ["@key", "@shareable", "@external", "@requires", "@provides", "@requiresScopes", "@tag"]
)`

/** Makes mutations nullable: a refused root field is null, and the client still gets the results of the others, which are not rolled back. */
function makeMutationsNullable(schema: GraphQLSchema): void {
  const mutation = schema.getMutationType()
  if (!mutation) return
  mutation.description = [
    'Root fields run one after another, each in a separate transaction. A refused root field is null and has an error; the changes of the others are kept. With `mutation @atomic`, all of them are carried out in one transaction, or none.',
    'Each root field counts as one request for limits and quotas.',
    "A request may contain only one of the root fields that sign in or out or change the caller's own account (`ONE_MUTATION_PER_REQUEST`).",
  ].join(' ')
  for (const field of Object.values(mutation.getFields())) field.type = getNullableType(field.type)
}

/** Sorts arguments: the id of the record first, then those that are required. type-graphql lists them in reverse order. */
function sortArguments(schema: GraphQLSchema): void {
  const rank = (argument: GraphQLArgument): number => {
    if (argument.name === 'id') return 0
    if (!isRequiredArgument(argument)) return 3
    return argument.name.endsWith('Id') ? 1 : 2
  }
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  for (const field of roots.flatMap((root) => Object.values(root?.getFields() ?? {}))) {
    field.args = field.args.toSorted((a, b) => rank(a) - rank(b))
  }
}

/** A value of a union or an interface names its type in `__typename`. The resolvers of type-graphql are asynchronous, which graphql-jit does not support. */
const abstractResolvers = (schema: GraphQLSchema): Record<string, object> =>
  Object.fromEntries(
    Object.values(schema.getTypeMap())
      .filter((type) => isAbstractType(type))
      .map(({ name }) => [
        name,
        { __resolveType: ({ __typename }: { readonly __typename: string }): string => __typename },
      ]),
  )

const shapesOf = (resources: readonly Resource[]): RecordShape[] =>
  resources
    .flatMap(({ entities = {}, announces = [], perOrganization }) => [
      ...Object.values(entities),
      ...announces,
      ...(perOrganization ? [perOrganization] : []),
    ])
    .filter(isRecordShape)

function kindsOf(resources: readonly Resource[], named: readonly RecordShape[]): RecordTypes {
  const mentioned = resources.flatMap(({ mentions = [] }) =>
    mentions.map((one) => (typeof one === 'string' ? recordType(one)() : one)),
  )
  return new Map([...mentioned, ...named, ...shapesOf(resources)].map((shape) => [shape.object, shape]))
}

/** A subgraph only declares its subscriptions; the gateway runs them on the event log. */
const noPubSub = {
  publish: (): never => {
    throw new Error('A subgraph must not publish events through pubSub.')
  },
  subscribe: (): never => {
    throw new Error('Subscriptions must run in the gateway, not in a subgraph.')
  },
}

export async function buildSubgraph({ resources, ports = [] }: SubgraphDefinition): Promise<SubgraphSchema> {
  const entities = Object.assign({}, ...resources.map((resource) => resource.entities)) as Record<string, RecordShape>
  const resolvers = resources.map(({ resolver }) => resolver)
  const schema = await buildSchema({
    resolvers: resolvers as unknown as NonEmptyArray<new () => object>,
    orphanedTypes: resources.flatMap(({ types = [] }) => types) as never,
    pubSub: noPubSub,
    skipCheck: true,
    validate: false,
    scalarsMap: [
      { type: Date, scalar: DateTime },
      { type: Object, scalar: Json },
    ],
  })
  inheritExtensions(schema)
  callResolversDirectly(schema, resolvers)
  resolveUsers(schema, shapesOf(resources))
  const kinds = kindsOf(resources, addNamedRecords(schema))
  makeMutationsNullable(schema)
  sortArguments(schema)
  makeDefaultedInputsNullable(schema)
  describeSchema(schema, Object.keys(entities))
  const sdl = `${federation}\n\n${printSchemaWithDirectives(schema)}\n`
  const readers: Record<string, ReferenceReader> = {
    ...Object.fromEntries(
      Object.entries(entities).map(([type, definition]): [string, ReferenceReader] => [
        type,
        (ctx, id, selected) => readReference(ctx, definition, id, selected),
      ]),
    ),
    ...(Object.assign({}, ...resources.map((resource) => resource.references)) as Record<string, ReferenceReader>),
  }
  const references = Object.fromEntries(
    Object.entries(readers).map(([type, read]) => [
      type,
      {
        __resolveReference: async (reference: { id: string }, ctx: RequestContext, info: SelectionInfo) => {
          const row = await read(ctx, reference.id, selectedFields(info))
          // The gateway adds fields to the reference for @requires.
          return row && { ...reference, ...row }
        },
      },
    ]),
  )
  const resolversMap = { ...createResolversMap(schema), ...abstractResolvers(schema) } as Record<string, object>
  const merged = Object.fromEntries(
    [...new Set([...Object.keys(resolversMap), ...Object.keys(references)])].map((type) => [
      type,
      type in references ? { ...resolversMap[type], ...references[type] } : resolversMap[type],
    ]),
  )
  const document = parse(sdl, { noLocation: true })
  const executable = buildSubgraphSchema([{ typeDefs: document, resolvers: merged as never }])
  resolveNullAsDefault(executable)
  keepDeclaredValues(schema, executable)
  // The package would print it from the document, which `emptyDocument` may have emptied.
  executable.getQueryType()!.getFields()['_service']!.resolve = () => ({ sdl })
  return {
    schema: executable,
    ports,
    crossTenantFields: new Set(resources.flatMap(({ crossTenantFields = [] }) => crossTenantFields)),
    crossTenantDryRuns: new Set(resources.flatMap(({ crossTenantDryRuns = [] }) => crossTenantDryRuns)),
    kinds,
    entities,
    sdl,
    document,
  }
}
