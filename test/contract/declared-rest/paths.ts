import { getNamedType, isListType, getNullableType } from 'graphql'
import { limitsInTags } from '../../../subgraphs/kernel/operation-limits.ts'
import { declaredValue } from '../../../subgraphs/kernel/record/declared-value.ts'
import { startWithArticle } from '../../../subgraphs/kernel/record/article.ts'
import { scopesInContract } from '../../../subgraphs/kernel/scope-areas.ts'
import { tagsIn } from '../../../subgraphs/kernel/subgraph/tags.ts'
import { content, header, responseOf } from '../standard-rest/paths.ts'
import { filterParameters, parameter } from '../standard-rest/list-parameters.ts'
import { filteredApi } from '../standard-rest/record-api.ts'
import { own, type Json } from '../standard-rest/schemas.ts'
import { isRequired, type Input, type OperationApi } from './operation-api.ts'
import { shapeOf } from './rest-types.ts'
import { answerReference, inputDescription, inputSchema, orNull } from './schemas.ts'

const writes = (method: string): boolean => method !== 'get' && method !== 'delete'

/** The parameters that mean the same in every list are shared. */
function sharedParameter({ name, element }: Input): string | null {
  if (declaredValue(element)) return null
  if (name === 'limit')
    return element.defaultValue === 20 ? 'limit' : element.defaultValue === 100 ? 'deletedLimit' : null
  if (name === 'kinds' && getNamedType(element.type).name === 'TimelineKind') return 'timelineKinds'
  return ['page', 'cursor', 'search', 'sortOrder'].includes(name) ? name : null
}

function queryParameter(input: Input, id: string): Json {
  const { name, element } = input
  const known = sharedParameter(input)
  if (known) return parameter(known)
  const isList = isListType(getNullableType(input.type))
  return {
    name,
    in: 'query',
    ...(isRequired(element) && input.target.length === 1 && { required: true }),
    description: inputDescription(element),
    ...(isList && { style: 'form', explode: false }),
    schema: inputSchema(element, `${id}.${name}`, true),
  }
}

/** A header has a variable, because otherwise it is none. */
function headerParameter({ name, header, element }: Input, id: string): Json {
  return {
    name: header,
    in: 'header',
    'x-variable': name,
    ...(isRequired(element) && { required: true }),
    description: inputDescription(element),
    schema: inputSchema(element, `${id}.${name}`, true),
  }
}

/** An id of the path names a record type, by the declaration or by its own name: `orderId`. */
function pathParameter({ declared }: OperationApi, { name, element }: Input): Json {
  // A record that has a name as well declares its key itself.
  if (name === 'id' && getNamedType(element.type).name === 'ID') return parameter('id')
  return {
    name,
    in: 'path',
    required: true,
    description: inputDescription(element),
    schema: inputSchema(element, `${declared.id}.${name}`, true),
  }
}

const isMutationRetried = ({ root, declared: { method } }: OperationApi): boolean =>
  root === 'mutation' && (method === 'post' || method === 'patch')

const isConditional = ({ declared: { method }, hasVersion }: OperationApi): boolean => method === 'get' && hasVersion

function parametersOf(api: OperationApi): Json[] {
  const { inputs, declared, isPage, answer } = api
  const query = inputs.filter(({ place }) => place === 'query')
  const filters = declared.filteredAs ? filterParameters(filteredApi(declared.filteredAs)) : []
  const counted = isPage && 'total' in (answer as unknown as { getFields(): object }).getFields()
  return [
    ...(inputs.some(({ place }) => place === 'version') ? [parameter('ifMatch')] : []),
    ...(isConditional(api) ? [parameter('ifNoneMatch')] : []),
    ...query.map((input) => queryParameter(input, declared.id)),
    ...filters,
    ...inputs.filter(({ place }) => place === 'header').map((input) => headerParameter(input, declared.id)),
    ...(counted ? [parameter('includeTotal')] : []),
    ...(isMutationRetried(api) ? [parameter('idempotencyKey')] : []),
    ...(declared.method === 'get' && query.length + filters.length > 0 ? [parameter('prefer')] : []),
  ]
}

function answerContent({ answer, isList, declared }: OperationApi): Json {
  if (declared.status === 204) return {}
  const item = answerReference(answer.name)
  const schema = isList ? { type: 'array', items: item } : item
  return content(declared.mayBeNull ? orNull(schema) : schema)
}

function successOf(api: OperationApi): Json {
  const { declared, hasVersion } = api
  const headers = {
    ...(hasVersion && declared.status !== 204 && header('ETag')),
    ...(declared.hasLocation && header('Location')),
    ...(isMutationRetried(api) && header('Idempotent-Replayed')),
  }
  const description = declared.answers ?? (declared.status === 204 ? 'Done.' : `${answerName(api)}.`)
  return { description, ...(Object.keys(headers).length > 0 && { headers }), ...answerContent(api) }
}

const answerName = ({ answer }: OperationApi): string =>
  startWithArticle(answer.name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()).replace(/^An? /, 'The ')

function refusalsOf(api: OperationApi): number[] {
  const { declared, inputs } = api
  const isWrite = writes(declared.method)
  const shape = shapeOf(api.answer.name)
  return [
    ...new Set([
      ...(isConditional(api) ? [304] : []),
      ...(inputs.some(({ place }) => place !== 'path') || declared.filteredAs || isWrite ? [400] : []),
      ...(shape?.entitlement ? [402] : []),
      ...(inputs.some(({ place }) => place === 'path') ? [404] : []),
      ...(api.root === 'mutation' ? [409] : []),
      ...(isWrite ? [413, 415] : []),
      ...(isWrite && shape?.isExtensible ? [422] : []),
      ...(declared.refusals ?? []),
    ]),
  ].toSorted((a, b) => a - b)
}

const securityOf = ({ access }: OperationApi): Json => {
  if (access === 'SESSION') return { security: [{ bearer: [] }], 'x-api-key-blocked': true }
  if (access === 'APP') return { security: [{ oauth2: [] }] }
  return access === 'PUBLIC' ? { security: [] } : {}
}

function operationOf(api: OperationApi): Json {
  const { declared, field, body, scopes } = api
  const { id, summary, description, tag, roles, example, status = 200, unless } = declared
  const parameters = parametersOf(api)
  const limits = limitsInTags(tagsIn(field.astNode?.directives))
  return {
    ...(tag && { tags: [tag] }),
    operationId: id,
    summary,
    description: description ?? (field.description ?? '').replace(/ ?Needs [^.]+\.$/, ''),
    ...securityOf(api),
    'x-api-key-scopes': scopesInContract(scopes),
    ...(roles && { 'x-required-roles': roles }),
    ...(limits && { 'x-limits': limits }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: body.isRequired, ...content(own(body.schema), example) } }),
    responses: {
      [status]: { ...successOf(api), ...(unless && { 'x-if': unless.flag }) },
      ...(unless && { [unless.status]: { ...successOf(api), description: unless.answers } }),
      ...Object.fromEntries(refusalsOf(api).map((refused) => [refused, responseOf(refused)])),
    },
  }
}

/** The path items of declared operations. */
export function pathsOf(apis: readonly OperationApi[]): Readonly<Record<string, Json>> {
  const paths: Record<string, Json> = {}
  for (const api of apis) {
    const { path, method } = api.declared
    const inPath = api.inputs.filter(({ place }) => place === 'path').map((input) => pathParameter(api, input))
    paths[path] = { ...(inPath.length > 0 && { parameters: inPath }), ...paths[path], [method]: operationOf(api) }
  }
  return paths
}
