import { Kind, parse, visit, type FieldNode, type ObjectValueNode, type OperationDefinitionNode } from 'graphql'
import { join } from 'node:path'
import { loadContract } from '../../../rest-adapter/contract.ts'
import type { Parameter } from '../../../rest-adapter/openapi.ts'
import type { RestOperation } from '../../../rest-adapter/rest-operation.ts'
import { projectRoot } from '../../../subgraphs/kernel/config/paths.ts'
import type { HttpRequest } from '../scenarios.ts'
import { listField, type ListField } from './graph.ts'
import { depthsOf, pages, type Follow, type Probe } from './probe.ts'
import { operandsOf, type Samples } from './samples.ts'

type Query = Readonly<Record<string, unknown>>

/** Parameters that every list has, which are measured each in its own way. */
const common = new Set(['search', 'sortBy', 'sortOrder', 'page', 'limit', 'cursor', 'includeTotal', 'withCustomFields'])
const farPage = 977
const limit = 20
const deepPage = 0.9

const { operations } = loadContract(join(projectRoot, 'schema/rest'))
// An operation under a second path is the same statement.
const reads = operations.filter(({ method, id, documentId }) => method === 'get' && id === documentId)
const lists = reads.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'))

const get = (path: string, query: Query): HttpRequest => {
  const pairs = Object.entries(query).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value)
    return `${name}=${encodeURIComponent(text)}`
  })
  return { method: 'GET', path: pairs.length > 0 ? `${path}?${pairs.join('&')}` : path }
}

const rootOf = (operation: RestOperation): FieldNode =>
  (
    parse(operation.document!).definitions.find(
      ({ kind }) => kind === Kind.OPERATION_DEFINITION,
    ) as OperationDefinitionNode
  ).selectionSet.selections[0] as FieldNode

/** Where the stored document uses a variable in its filter: `industry: { eq: $industry }` or `customFields: $customFields`. */
function conditionsOf(root: FieldNode): ReadonlyMap<string, { readonly field: string; readonly operator: string }> {
  const filter = root.arguments?.find(({ name }) => name.value === 'filter')?.value as ObjectValueNode | undefined
  const found = new Map<string, { field: string; operator: string }>()
  for (const { name: field, value } of filter?.fields ?? []) {
    if (value.kind === Kind.VARIABLE) found.set(value.name.value, { field: field.value, operator: 'eq' })
    visit(value, {
      ObjectField({ name, value: operand }) {
        if (operand.kind === Kind.VARIABLE) found.set(operand.name.value, { field: field.value, operator: name.value })
      },
    })
  }
  return found
}

/** A text of the length that the parameter may have: `currency` has three characters. */
const fitting = (value: unknown, { schema }: Parameter): unknown =>
  typeof value === 'string' ? value.slice(0, schema?.maxLength) : value

const isEnumerated = ({ schema }: Parameter): boolean => schema?.enum !== undefined || schema?.type === 'boolean'

const enumerated = ({ schema }: Parameter): readonly unknown[] =>
  schema?.enum ?? schema?.items?.enum ?? (schema?.type === 'boolean' ? [true, false] : [])

/** Probes of every GET operation that returns the list envelope, and of those beside it such as `stats` and `deleted`. */
export async function restProbes(
  samples: Samples,
  totalOf: (path: string) => Promise<number>,
  isWanted: (path: string) => boolean,
): Promise<Probe[]> {
  const probes: Probe[] = []
  for (const operation of lists.filter(({ path }) => isWanted(path))) {
    const list = listField(rootOf(operation).name.value)
    if (!list) continue
    probes.push(
      ...(await (operation.path.includes('{')
        ? listUnderParent(operation, samples)
        : listProbes(operation, list, samples, totalOf))),
    )
  }
  for (const operation of reads.filter((read) => isWanted(read.path))) {
    const { path, parameters } = operation
    const isBeside = !path.includes('{') && lists.some((list) => path.startsWith(`${list.path}/`))
    if (!isBeside || lists.some((list) => list.path === path)) continue
    if (path.endsWith('/aggregate')) probes.push(...aggregateProbes(operation))
    const requests = pages().map((page) => get(path, parameters.some(({ name }) => name === 'page') ? { page } : {}))
    probes.push({ area: path, name: 'all', hasTotal: false, isTotalFree: true, requests })
  }
  return probes
}

async function listProbes(
  { path, parameters, document }: RestOperation,
  list: ListField,
  samples: Samples,
  totalOf: (path: string) => Promise<number>,
): Promise<Probe[]> {
  const probes: Probe[] = []
  const both = (name: string, queries: readonly Query[], isTotalFree: boolean): void => {
    for (const includeTotal of [false, true]) {
      const requests = queries.map((query) => get(path, { ...query, includeTotal }))
      probes.push({ area: path, name, hasTotal: includeTotal, isTotalFree, requests })
    }
  }
  const walk = (name: string, query: Query, from: readonly number[]): void => {
    const fixed = { ...query, limit, includeTotal: false }
    const follow: Follow = ({ nextCursor }) => (nextCursor ? get(path, { ...fixed, cursor: nextCursor }) : null)
    const requests = from.map((page) => get(path, { ...fixed, page }))
    probes.push({ area: path, name, hasTotal: false, isTotalFree: true, requests, follow })
  }
  both(
    'pages 1 to 24',
    pages().map((page) => ({ page })),
    true,
  )
  both(
    `pages ${farPage} to ${farPage + 23}`,
    pages(farPage).map((page) => ({ page })),
    true,
  )
  const total = await totalOf(path)
  walk('cursor', {}, depthsOf(total, limit))

  const conditions = conditionsOf(rootOf({ document } as RestOperation))
  const query = parameters.filter((parameter) => parameter.in === 'query')
  for (const parameter of query.filter(({ name }) => !common.has(name))) {
    const { name } = parameter
    const condition = conditions.get(parameter['x-variable'] ?? name)
    const column = condition && list.shape?.columns.byName.get(condition.field)
    const values = column
      ? operandsOf(condition.operator, await samples.of(list.shape!, column)).map((value) => fitting(value, parameter))
      : enumerated(parameter)
    both(
      name,
      values.map((value) => ({ [name]: value })),
      isEnumerated(parameter),
    )
  }
  if (query.some(({ name }) => name === 'search')) {
    for (const [kind, texts] of await samples.searchTexts(list.shape))
      both(
        `search, ${kind}`,
        texts.map((search) => ({ search })),
        false,
      )
  }
  const sortable = (query.find(({ name }) => name === 'sortBy')?.schema?.enum ?? []) as readonly string[]
  const deep = Math.max(1, Math.floor(Math.min(100_000, (total * deepPage) / limit)))
  for (const sortBy of sortable) {
    for (const sortOrder of ['asc', 'desc']) {
      const requests = pages().map((page) => get(path, { sortBy, sortOrder, page, includeTotal: false }))
      probes.push({ area: path, name: `sortBy=${sortBy} ${sortOrder}`, hasTotal: false, isTotalFree: true, requests })
      walk(`sortBy=${sortBy} ${sortOrder}, cursor`, { sortBy, sortOrder }, [1, deep])
    }
  }
  return probes
}

/** What an aggregate over 100,000 records may take. */
const aggregateGoal = { p50: 150, p95: 150 }

/** The fields that a list of fields may have: `stage`, `closeDate:month`. */
const fieldsIn = ({ parameters }: RestOperation, name: string): readonly string[] => {
  const items = parameters.find((parameter) => parameter.name === name)?.schema?.items
  return (items?.enum ?? items?.anyOf?.flatMap((each) => each.enum ?? []) ?? []) as readonly string[]
}

/** Aggregates by each field, of which some are answered by maintained totals, with the number of records and with the sums of all numbers. */
function aggregateProbes(operation: RestOperation): Probe[] {
  const { path } = operation
  const sum = fieldsIn(operation, 'sum').slice(0, 10)
  return fieldsIn(operation, 'groupBy').flatMap((groupBy) =>
    [{ groupBy }, ...(sum.length > 0 ? [{ groupBy, sum }] : [])].map((query) => ({
      area: path,
      name: `groupBy=${groupBy}${'sum' in query ? ', sums' : ''}`,
      hasTotal: false,
      isTotalFree: true,
      requests: [get(path, query)],
      goal: aggregateGoal,
    })),
  )
}

/** Lists below one record: `/v1/cases/{id}/comments`. */
async function listUnderParent(operation: RestOperation, samples: Samples): Promise<Probe[]> {
  const parentPath = operation.path.slice(0, operation.path.indexOf('/{'))
  const parentOperation = lists.find(({ path }) => path === parentPath)
  const parent = parentOperation && listField(rootOf(parentOperation).name.value)
  if (!parent?.shape) return []
  const ids = await samples.of(parent.shape, parent.shape.columns.byName.get('id')!)
  const paths = ids.slice(0, -2).map((id) => operation.path.replace(/\{\w+\}/, id as string))
  const [first] = paths
  if (first === undefined) return []
  const probes: Probe[] = []
  const both = (name: string, queries: readonly Query[]): void => {
    for (const includeTotal of [false, true]) {
      const requests = queries.flatMap((query) => paths.map((path) => get(path, { ...query, includeTotal })))
      probes.push({ area: operation.path, name, hasTotal: includeTotal, isTotalFree: false, requests })
    }
  }
  both('ids', [{}])
  for (const parameter of operation.parameters.filter((one) => one.in === 'query' && !common.has(one.name)))
    both(
      parameter.name,
      enumerated(parameter).map((value) => ({ [parameter.name]: value })),
    )
  const fixed = { limit, includeTotal: false }
  const follow: Follow = ({ nextCursor }) => (nextCursor ? get(first, { ...fixed, cursor: nextCursor }) : null)
  const requests = [1, farPage].map((page) => get(first, { ...fixed, page }))
  probes.push({ area: operation.path, name: 'cursor', hasTotal: false, isTotalFree: true, requests, follow })
  return probes
}
