import { readFileSync } from 'node:fs'
import { getNamedType, getNullableType, isListType, isObjectType, isRequiredArgument, type GraphQLField } from 'graphql'
import { describe, expect, it } from 'vitest'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { restContract } from '../contract-of-rest.ts'

const { apiSchema } = new LoadedSupergraph(readFileSync(schemaPath('supergraph.graphql'), 'utf8'))
const queries = apiSchema.getQueryType()!.getFields()

/** The types with an id that a root field lists, each with the prefixes under which an aggregate of the list could be. */
const listed = new Map<string, Set<string>>()

/** The type of the records of a list or of a page of it. */
function recordOf(field: GraphQLField<unknown, unknown>): string | null {
  const type = getNamedType(field.type)
  const data = isObjectType(type) ? type.getFields()['data'] : undefined
  const ofList = isListType(getNullableType(field.type)) ? type : data && getNamedType(data.type)
  return isObjectType(ofList) && ofList.getFields()['id'] ? ofList.name : null
}

for (const field of Object.values(queries)) {
  const type = recordOf(field)
  if (type === null) continue
  const prefixes = listed.get(type) ?? new Set([type.charAt(0).toLowerCase() + type.slice(1)])
  listed.set(type, prefixes.add(field.name.replace(/List(Deleted)?$/, '')))
}

const hasAggregate = (prefixes: ReadonlySet<string>): boolean =>
  [...prefixes].some((prefix) => queries[`${prefix}Aggregate`] !== undefined)

const few = 'a setting of which an organization has a handful'
const people = 'they are the people of the organization, whom an administrator reads one by one'
const part = 'it is read with the record that it belongs to'
const price = 'a rate is the price of a currency on a day, of which neither sums nor counts say anything'
const repeated = 'each snapshot counts the same deals again, and the rollup and the accuracy of forecasts compare them'
const bounded =
  'who sees one depends on the records that they are about; an organization has at most 2,000, whose list has the totals'
const log =
  'the log of events is read in its order; figures are over the records, or by the aggregate of the deliveries'
const own = 'each user has few, and reads the own ones only'

/** Lists without an aggregate, each with the reason. */
const withoutAggregate: Readonly<Record<string, string>> = {
  ActivityRevision: part,
  AdminUser: people,
  AfterSaveTrigger: few,
  ApiKey: few,
  AppPackage: few,
  BeforeSaveHook: few,
  BulkJob: 'a job is deleted after a week, and its figures are those of one file',
  UndoJob: 'a job is deleted after a week, and has its figures itself',
  CaseAssignee: people,
  CaseComment: part,
  ConnectedApp: few,
  Conversation: own,
  CustomAction: few,
  CustomObject: few,
  DeveloperOrg: few,
  EventEnvelope: log,
  ExchangeRate: price,
  FieldHistoryEntry: part,
  DuplicateRule: few,
  Flow: few,
  InstalledApp: few,
  FlowInterview: 'it is deleted 30 days after its end, and its user reads the own ones',
  ForecastSnapshot: repeated,
  KnowledgeDocument: bounded,
  Layout: few,
  MetadataDeploymentSummary: few,
  NamedCredential: few,
  OAuthApp: few,
  Page: few,
  Pipeline: few,
  Profile: few,
  Proposal: own,
  PushSubscription: own,
  ScimGroup: few,
  ScimUser: people,
  ServerlessFunction: few,
  ServerlessFunctionVersionSummary: part,
  Team: few,
  User: people,
  ValidationRule: few,
}

describe('a list of records', () => {
  it.each([...listed])('of the type %s has an aggregate, or is known to need none', (type, prefixes) => {
    expect(hasAggregate(prefixes)).toBe(!Object.hasOwn(withoutAggregate, type))
  })

  it('is named only where it exists', () => {
    expect(Object.keys(withoutAggregate).filter((type) => !listed.has(type))).toEqual([])
    expect([...listed.keys()]).toEqual(expect.arrayContaining(['Opportunity', 'Sequence', 'WebhookDelivery', 'Quota']))
  })
})

describe('an aggregate', () => {
  const aggregates = Object.keys(queries).filter((name) => name.endsWith('Aggregate'))
  const { operations, document } = restContract()
  const schemas = document.components['schemas'] as Readonly<Record<string, unknown>>

  it.each(aggregates)('%s has the arguments of all aggregates, and a path in REST', (name) => {
    const figures = ['sum', 'average', 'min', 'max']
    const ofCustomFields = figures.map((figure) => `${figure}OfCustomFields`)
    const known = new Set(['filter', 'groupBy', ...figures, ...ofCustomFields, 'sortBy', 'sortOrder', 'limit'])
    // A required argument names what the records are of.
    const given = queries[name]!.args.filter((argument) => !isRequiredArgument(argument)).map(
      (argument) => argument.name,
    )
    expect(given.filter((argument) => !known.has(argument))).toEqual([])
    expect(given).toEqual(expect.arrayContaining(['filter', 'groupBy', 'min', 'max', 'sortBy', 'sortOrder', 'limit']))
    const operation = operations.find(({ id }) => id === name)
    expect(operation?.path).toMatch(/\/aggregate$/)
    // A schema that no part of the contract has would make each request fail.
    const named = [...JSON.stringify(operation!.parameters).matchAll(/#\/components\/schemas\/(\w+)/g)]
    expect(named.map(([, schema]) => schema!).filter((schema) => !schemas[schema])).toEqual([])
  })
})

const ownMeasurement = 'it measures the platform, not the records of a list'

/** Statistics without the filter of a list, each with the reason. */
const unfiltered: Readonly<Record<string, string>> = {
  assistantStats: ownMeasurement,
  engagementStats: ownMeasurement,
}

/** The records that statistics with another name are of. */
const listOf: Readonly<Record<string, string>> = {
  aiWorkflowStats: 'aiTrigger',
  triageStats: 'triageCase',
}

/** The parameters of a list that choose no records. */
const ofEveryList: ReadonlySet<string> = new Set([
  'search',
  'sortBy',
  'sortByCustomField',
  'sortOrder',
  'page',
  'limit',
  'cursor',
  'includeTotal',
  'withCustomFields',
  'fields',
  'expand',
  'Prefer',
  'asOf',
])

interface Parameter {
  readonly name: string
  readonly 'x-alias-of'?: string
}

describe('statistics', () => {
  it.each(Object.keys(queries).filter((name) => name.endsWith('Stats')))('%s have the filter of the list', (name) => {
    const hasFilter = queries[name]!.args.some((argument) => argument.name === 'filter')
    expect(hasFilter).toBe(!Object.hasOwn(unfiltered, name))
  })

  it.each(Object.keys(queries).filter((name) => name.endsWith('Stats') && !Object.hasOwn(unfiltered, name)))(
    '%s have the parameters of the list in REST',
    (name) => {
      const { operations } = restContract()
      const choosesRecords = (parameter: Parameter) =>
        [parameter.name, parameter['x-alias-of'] ?? ''].every((each) => !ofEveryList.has(each))
      const parametersOf = (id: string) =>
        (operations.find((operation) => operation.id === id)!.parameters as readonly Parameter[])
          .filter(choosesRecords)
          .map((parameter) => ({ ...parameter, description: null }))
      const list = `${listOf[name] ?? name.replace(/Stats$/, '')}List`
      expect(parametersOf(name)).toEqual(parametersOf(list))
    },
  )
})
