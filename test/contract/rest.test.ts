import { readFileSync } from 'node:fs'
import { parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { describedPatterns, patternText } from '../../rest-adapter/pattern-texts.ts'
import { loadContract } from '../../rest-adapter/contract.ts'
import { type RestOperation } from '../../rest-adapter/rest-operation.ts'
import { resolve, type Schema } from '../../rest-adapter/openapi.ts'
import { sourcesOf, variableOf } from '../../rest-adapter/translate.ts'
import { unselected } from './selection.ts'

/** Areas of the specification that do not exist yet. Remove an area when it is built; never add one. */
const areasNotBuilt: readonly string[] = []

/** Operations that do not exist yet in an area that exists, as `METHOD path`. Remove an operation when it is built; never add one. */
const operationsNotBuilt: readonly string[] = []

/** The specification names no credential for Auth; these operations need a session. */
const needsSession = new Set([
  'POST /v1/auth/logout',
  'POST /v1/auth/logout-all',
  'GET /v1/auth/me',
  'GET /v1/auth/profile',
  'GET /v1/auth/sessions/count',
  'GET /v1/auth/{meeting_provider}/callback',
  'POST /v1/auth/change-password',
  'POST /v1/auth/update-profile',
])

/** Operations without an input in the specification whose body may contain one, for example the value of a cookie. */
const withOptionalBody = new Set([
  'POST /v1/auth/refresh',
  'POST /v1/email-templates/{id}/clone',
  ...['', '/triggers'].map((form) => `POST /v1/webhook-ai-workflows${form}/{id}/regenerate-secret`),
  ...['save-plan', 'ignore', 'resolve'].map((verb) => `POST /v1/health-triage/cases/{id}/${verb}`),
])

/** Operations that are served by code instead of a stored document. */
const customHandlers: string[] = [
  'bulkJobPartUpload',
  'bulkJobDownload',
  'bulkJobResults',
  'conversationMessageStream',
  'knowledgeDocumentDownload',
  'knowledgeDocumentUpload',
  'eventCatalog',
  'eventType',
  'organizationEventCatalog',
  'fileDownload',
  'fileUpload',
  'filePartUpload',
]

const words = (text: string): string[] => text.trim().split(/\s+/)

/** The create inputs, as listed in the specification. */
const createInputs: Readonly<Record<string, readonly string[]>> = {
  'Account create input': words(`
    name type industry phone fax website domain billingStreet billingCity billingState billingPostalCode billingCountry
    shippingStreet shippingCity shippingState shippingPostalCode shippingCountry numberOfEmployees annualRevenue description
    accountStatus rating healthScore churnRisk painPoints techStack competitors parentAccountId`),
  'Case create input': words(`
    subject description status priority type origin accountId contactId opportunityId assignedToId slaDueAt tags`),
  'Product create input': words(`
    name sku description type category listPrice unitPrice costPrice currency billingFrequency isActive features tags metadata`),
}

const functionSettings = words(`
  name description envVars timeoutMs memoryMb allowedHosts runAsUserId runAsAdmin scopes httpEnabled eventTypes schedule isActive`)

/** The specification says what these operations are for, and that each POST has a body. */
const purposeOf = (method: string): NamedInputs => ({ place: 'body', named: [], hasBody: method === 'POST' })

const registerInput = words('email password name firstName lastName company organizationCode origin')

interface NamedInputs {
  readonly place: string
  readonly named: readonly string[]
  readonly hasBody: boolean
}

/** Inputs that the specification describes in prose, in the table of events, webhooks and keys. */
const inputsInProse: Readonly<Record<string, NamedInputs>> = {
  'create body (Serverless functions)': {
    place: 'body',
    named: [...words('apiName source language'), ...functionSettings],
    hasBody: true,
  },
  'update body (Serverless functions)': { place: 'body', named: functionSettings, hasBody: true },
  'header x-service-function-depth; body input (object)': { place: 'body', named: ['input'], hasBody: true },
  'body fields †': { place: 'body', named: [], hasBody: true },
  'legacy alias of /forecasts/submit, same body': {
    place: 'body',
    named: words('userId period periodType commit bestCase pipeline currency notes'),
    hasBody: true,
  },
  '† (front-end payment recording)': { place: 'body', named: [], hasBody: true },
  '† (order given in the body)': { place: 'body', named: ['orderId'], hasBody: true },
  'query api_key (string); JSON body †; no Authorization header': { place: 'query', named: ['api_key'], hasBody: true },
  'query api_key (string); JSON body † (delivery status updates such as opened, clicked, bounced); no Authorization header':
    { place: 'query', named: ['api_key'], hasBody: true },
  'none (active and past enrollments of one lead or contact, scoped to the organization)': {
    place: 'body',
    named: [],
    hasBody: false,
  },
  '† (enrolls up to 500 leads or contacts; records already active in the sequence are skipped)': {
    place: 'body',
    named: [],
    hasBody: true,
  },
  'same body as above': { place: 'body', named: ['content', 'mode', 'context'], hasBody: true },
  '† (uses a language model to detect artifacts and extract company names)': {
    place: 'body',
    named: [],
    hasBody: true,
  },
  'none (one thread with all messages)': { place: 'body', named: [], hasBody: false },
  'none (forces an immediate mailbox poll)': { place: 'body', named: [], hasBody: false },
  'none (discards or rejects the draft)': { place: 'body', named: [], hasBody: false },
  'none shown besides the variables the preview fills in': { place: 'body', named: ['variables'], hasBody: true },
  'body {overlapHours: integer 0 to 168, default 24}; the new secret is returned once': {
    place: 'body',
    named: ['overlapHours'],
    hasBody: true,
  },
  'unauthenticated; every event type with version, description, JSON Schema (draft-07) for data and a sample': {
    place: 'query',
    named: [],
    hasBody: false,
  },
  'path dealId (none for distribution)': { place: 'path', named: [], hasBody: false },
  'one catalog entry': { place: 'path', named: ['type'], hasBody: false },
  "authenticated; the catalog plus the organization's custom types; API keys need READ_EVENTS": {
    place: 'query',
    named: [],
    hasBody: false,
  },
  'publish a custom event; API keys need PUBLISH_EVENTS': { place: 'body', named: [], hasBody: true },
  'query status (e.g. FAILED), page, limit': { place: 'query', named: ['status', 'page', 'limit'], hasBody: false },
  'one delivery record': { place: 'path', named: [], hasBody: false },
  're-send the stored body': { place: 'path', named: [], hasBody: false },
  'body {type: <event type>}; sends the catalog sample': { place: 'body', named: ['type'], hasBody: true },
  'none (all executions across triggers)': { place: 'body', named: [], hasBody: false },
  'none (switches between active and paused)': { place: 'body', named: [], hasBody: false },
  'sample payload in body on the /triggers form': { place: 'body', named: [], hasBody: true },
  'update a webhook, e.g. body {payloadVersion: 1 or 2}': { place: 'body', named: ['payloadVersion'], hasBody: true },
  'body {events: array of up to 64 type names or wildcards}; response is text/event-stream': {
    place: 'body',
    named: ['events'],
    hasBody: true,
  },
  'body {type: <event type>}; sends the catalog sample to listen sessions only': {
    place: 'body',
    named: ['type'],
    hasBody: true,
  },
  'deprecated swap without overlap': { place: 'body', named: [], hasBody: false },
  'deprecated endpoints called in the last 30 days, per key, with call count and sunset date': {
    place: 'query',
    named: [],
    hasBody: false,
  },
  'query days (example 30, up to 90); organization owner or admin; API keys need the * scope': {
    place: 'query',
    named: ['days'],
    hasBody: false,
  },
}

/** The inputs that an entry of the specification names, and whether the entry has a body. */
function inputsIn(input: string): NamedInputs {
  const inProse = inputsInProse[input]
  if (inProse) return inProse
  const createInput = createInputs[input]
  if (createInput) return { place: 'body', named: createInput, hasBody: true }
  if (input === 'body below') return { place: 'body', named: registerInput, hasBody: true }
  if (input === '†' || input === 'JSON body †' || input === 'body fields †')
    return { place: 'body', named: [], hasBody: true }
  if (input === 'none' || input === 'OAuth access token') return { place: 'body', named: [], hasBody: false }
  const [, place = 'body', list = input] = /^(query|path):?\s(.*)$/.exec(input) ?? []
  // Objects are written with their parts: `quietHours: object with enabled (boolean); digest: object with …`.
  if (/^\w+:.*;/.test(list)) {
    return { place, named: list.split(/;\s*/).map((part) => part.split(':')[0]!), hasBody: true }
  }
  const named = list.split(/,\s*(?![^(]*\))/).map((part) => part.split(' ')[0]!)
  return { place, named, hasBody: place === 'body' }
}

interface SpecifiedOperation {
  readonly area: string
  readonly method: string
  readonly path: string
  readonly input: string
  readonly apiKeyScope: string | null
  readonly credentialRequired: boolean
  readonly idempotencyKey: boolean
}

const contract = loadContract('schema/rest')
const specified = JSON.parse(readFileSync('test/contract/operations.json', 'utf8')) as SpecifiedOperation[]
const nameOf = ({ method, path }: Pick<RestOperation | SpecifiedOperation, 'method' | 'path'>) =>
  `${method.toUpperCase()} ${path}`
const described = new Map(contract.operations.map((operation) => [nameOf(operation), operation]))
const originals = contract.operations.filter((operation) => operation.id === operation.documentId)
const stored = originals.filter((operation) => operation.document !== null)
const each = <T extends { id: string }>(operations: readonly T[]) =>
  operations.map((operation) => [operation.id, operation] as const)

function names(parameters: RestOperation['parameters'], place: string): string[] {
  return parameters.filter((parameter) => parameter.in === place).map(({ name }) => name)
}

describe('the REST contract', () => {
  it('has a stored document or a custom handler for every operation', () => {
    const without = originals.filter(({ document }) => document === null).map(({ id }) => id)
    expect(without).toEqual(customHandlers)
  })

  it('has an operation for every stored document', () => {
    expect(contract.documentIds.filter((id) => !originals.some((operation) => operation.id === id))).toEqual([])
  })

  it.each(each(stored))('%s: names its document, and every variable has exactly one source', (id, operation) => {
    const [definition] = parse(operation.document!).definitions
    expect(definition).toMatchObject({ name: { value: id } })
    expect(sourcesOf(operation).filter(({ sources }) => sources.length !== 1)).toEqual([])
  })

  it.each(each(stored))('%s: the document uses every input', (_, operation) => {
    const used = new Set(sourcesOf(operation).map(({ variable }) => variable))
    const parameters = operation.parameters.map(variableOf).filter((name) => name !== null)
    const properties = used.has('input') ? [] : Object.keys(operation.body?.schema.properties ?? {})
    expect([...parameters, ...properties].filter((name) => !used.has(name))).toEqual([])
  })

  it.each(each(stored))('%s: a required variable comes from a required input', (_, operation) => {
    const optional = sourcesOf(operation).filter(({ isRequired, sources: [source] }) => {
      if (!isRequired) return false
      if (source!.place === 'input') return !operation.body!.required
      if (source!.place === 'body') return !operation.body!.schema.required?.includes(source!.name)
      return !operation.parameters.some(({ name, required }) => name === source!.name && required)
    })
    expect(optional).toEqual([])
  })

  it.each(each(stored.filter(({ success }) => success.hasBody && !success.fileType && !success.isStream)))(
    '%s: selects every documented property',
    (_, operation) => {
      expect(unselected(contract.document, operation)).toEqual([])
    },
  )

  it.each(each(originals.filter(({ body }) => body !== null)))('%s: its body refuses unknown fields', (_, { body }) => {
    expect(body!.schema['additionalProperties']).toBe(false)
  })
})

/** Every pattern below a node of the document, each once. */
function patternsIn(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return found
  for (const [key, value] of Object.entries(node)) {
    if (key === 'pattern' && typeof value === 'string') found.add(value)
    else patternsIn(value, found)
  }
  return found
}

describe('a pattern of the contract', () => {
  const patterns = [...patternsIn(contract.document)]

  it.each(patterns)('%s has a sentence for people', (pattern) => {
    expect(patternText(pattern)).toMatch(/^must /)
  })

  it('has no sentence that is not used', () => {
    expect(describedPatterns.filter((pattern) => !patterns.includes(pattern))).toEqual([])
  })
})

describe('two names of one parameter', () => {
  const pairs = [
    ['owner', 'ownerId'],
    ['accountId', 'customerId'],
  ]
  const having = pairs.flatMap(([a, b]) =>
    contract.operations
      .map((operation) => [operation.id, names(operation.parameters, 'query')] as const)
      .filter(([, known]) => known.includes(a!) || known.includes(b!))
      .map(([id, known]) => [id, known, a, b] as const),
  )

  it.each(having)('%s has both', (_, known, a, b) => {
    expect(known).toEqual(expect.arrayContaining([a, b]))
  })

  it('are found in lists, boards and figures', () => {
    expect(having.map(([id]) => id)).toEqual(
      expect.arrayContaining(['accountList', 'opportunityBoard', 'invoiceAging']),
    )
  })
})

const onlyWithStar = new Set(['/v1/api-usage/summary', '/v1/app-runtime/installation'])

it('an operation that reads needs no scope to write', () => {
  const reads = contract.operations.filter(
    ({ method, scopes }) => method === 'get' && scopes.some((scope) => scope.startsWith('WRITE_')),
  )
  expect(reads.map(({ id }) => id)).toEqual([])
})

describe('the specification', () => {
  it('is covered except for operations listed as not built', () => {
    const missing = specified.filter((operation) => !described.has(nameOf(operation)))
    const expected = specified.filter(({ area }) => areasNotBuilt.includes(area)).map(nameOf)
    expect(missing.map(nameOf).sort()).toEqual([...expected, ...operationsNotBuilt].sort())
    expect(areasNotBuilt.filter((area) => !specified.some((operation) => operation.area === area))).toEqual([])
  })

  const built = specified.flatMap((wanted) => {
    const operation = described.get(nameOf(wanted))
    return operation ? [[nameOf(wanted), wanted, operation] as const] : []
  })

  it.each(built)(
    '%s: scope, credential, Idempotency-Key',
    (name, wanted, { path, method, isPublic, acceptsIdempotencyKey }) => {
      // Where the specification states `*`, the scopes of an area are enough, too; `*` alone is needed for the use of the API.
      const isOfArea = wanted.apiKeyScope === '*' && !onlyWithStar.has(path)
      const added = isOfArea ? [expect.stringMatching(/^(READ|WRITE)_/)] : []
      const [stated = null, ...others] = contract.document.paths[path]![method]!['x-api-key-scopes']
      expect([stated, ...others.slice(0, added.length)]).toEqual([wanted.apiKeyScope, ...added])
      expect(isOfArea || others.length === 0).toBe(true)
      expect(isPublic).toBe(!wanted.credentialRequired && !needsSession.has(name))
      expect(acceptsIdempotencyKey).toBe(wanted.idempotencyKey)
    },
  )

  it.each(built)('%s: every named input', (name, { area, method, input }, { parameters, body }) => {
    const { place, named, hasBody } = area === 'Engagement scoring' ? purposeOf(method) : inputsIn(input)
    const schema: Schema = body ? resolve<Schema>(contract.document, body.schema) : {}
    const known = place === 'body' ? Object.keys(schema.properties ?? {}) : names(parameters, place)
    expect(known).toEqual(expect.arrayContaining([...named]))
    expect(body !== null).toBe(hasBody || withOptionalBody.has(name))
  })

  it('serves accounts also as companies', () => {
    const below = (prefix: string) =>
      contract.operations
        .filter(({ path }) => path.startsWith(prefix))
        .map((operation) => nameOf(operation).replace(prefix, ''))
    expect(below('/v1/companies')).toEqual(below('/v1/accounts'))
    expect(below('/v1/companies')).toHaveLength(22)
  })
})
