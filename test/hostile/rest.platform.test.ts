import { beforeAll, describe, it } from 'vitest'
import { loadContract } from '../../rest-adapter/contract.ts'
import { type RestOperation } from '../../rest-adapter/rest-operation.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { usePlatform } from '../platform.ts'
import { exclusiveParts } from '../requests/outreach.ts'
import { acceptedOnlyOnce, needsOtherParty } from '../requests/special-cases.ts'
import { Requests } from '../requests/requests.ts'
import { badBodies, badFields, badShapes, badTransports, edgesOf, unexpectedBodies } from './bodies.ts'
import { badHeaders, badPaths, badQueries } from './parameters.ts'
import { expectAccepted, expectRefused } from './refusals.ts'

const { operations } = loadContract(schemaPath('rest'))
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
let requests: Requests

beforeAll(async () => {
  requests = await Requests.of(platform, await platform.member({ role: 'OWNER' }))
})

/** A body with every field. */
async function wholeBody(operation: RestOperation): Promise<unknown> {
  const { body } = await requests.valid(operation, { whole: true })
  const parts = exclusiveParts[operation.documentId]
  return parts ? { ...(body as object), ...parts } : body
}

// An alias path has the same schemas.
const isFirstPath = ({ id, documentId }: RestOperation): boolean => documentId === id
const named = operations.map((operation) => [operation.id, operation] as const)

describe.each(named)('%s', (_, operation) => {
  const takesBody = operation.body !== null

  it('refuses a path that names no record', async () => {
    const request = await requests.valid(operation)
    await expectRefused(requests, request, badPaths(request))
  })

  it('refuses a query that is not allowed', async () => {
    const request = await requests.valid(operation)
    await expectRefused(requests, request, badQueries(request))
  })

  it('refuses headers that are not allowed', async () => {
    const request = await requests.valid(operation)
    await expectRefused(requests, request, badHeaders(request))
  })

  if (!takesBody) return

  it('refuses a body that is not a JSON object, too large, or of another media type', async () => {
    const request = await requests.valid(operation)
    await expectRefused(requests, request, [...badBodies(request), ...badTransports(request.body)])
  })

  it('refuses missing, unknown and read-only fields', async () => {
    const request = await requests.valid(operation)
    await expectRefused(requests, request, badShapes(requests, request, await wholeBody(operation)))
  })

  if (!isFirstPath(operation)) return

  it('refuses in every field the values that its schema does not allow', async () => {
    const request = await requests.valid(operation)
    await expectRefused(requests, request, badFields(requests, request, await wholeBody(operation)))
  })
})

const withoutBody = named.filter(([, { body, method }]) => body === null && method !== 'get')

describe.each(withoutBody)('%s', (_, operation) => {
  it('refuses a body with any field', async () => {
    await expectRefused(requests, await requests.valid(operation), unexpectedBodies())
  })
})

// Accepted requests run after the refusals, because those check that all stored records are unchanged.
describe.each(named.filter(([, { documentId }]) => !needsOtherParty.has(documentId)))('%s', (_, operation) => {
  it('accepts a valid request', async () => {
    const request = await requests.valid(operation, { fresh: true, whole: true })
    await expectAccepted(requests, request, [{ what: 'everything', change: {} }])
  })

  if (!operation.body || !isFirstPath(operation) || acceptedOnlyOnce.has(operation.id)) return

  it('accepts every boundary value and returns it', async () => {
    const request = await requests.valid(operation, { fresh: true })
    await expectAccepted(requests, request, edgesOf(requests, request))
  })
})
