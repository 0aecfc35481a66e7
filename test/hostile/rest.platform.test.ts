import { beforeAll, describe, expect, it } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import { type RestOperation } from '../../rest-adapter/rest-operation.ts'
import { usePlatform } from '../platform.ts'
import { reports } from '../requests/field-values.ts'
import {
  acceptedOnlyOnce,
  dependentFields,
  exclusiveParts,
  needsOtherParty,
  partsOfOthers,
} from '../requests/special-cases.ts'
import { Requests, type ValidRequest } from '../requests/requests.ts'
import { inParallel } from '../requests/send.ts'
import { isFullSweep, Sweep } from '../requests/sweep.ts'
import {
  badBodies,
  badFields,
  badShapes,
  badTransports,
  edgesOf,
  kindOfRoute,
  unexpectedBodies,
  valuesAgainstRules,
} from './bodies.ts'
import { badHeaders, badPaths, badQueries, otherVersions } from './parameters.ts'
import { expectAccepted, expectRefused } from './refusals.ts'

const { operations } = restContract()
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
const sweep = new Sweep()
let requests: Requests

beforeAll(async () => {
  requests = await Requests.of(platform, await platform.member({ role: 'OWNER' }))
})

/** A valid request and a body with every field. Refused requests change nothing, so all tests of an operation share them. */
interface Refusable {
  readonly request: ValidRequest
  readonly whole: unknown
}

const known = new Map<string, Promise<Refusable>>()

function refusable(operation: RestOperation): Promise<Refusable> {
  let prepared = known.get(operation.id)
  if (!prepared) known.set(operation.id, (prepared = prepare(operation)))
  return prepared
}

async function prepare(operation: RestOperation): Promise<Refusable> {
  // Preparing the second body may change the record of the first one, so the request is prepared last.
  const whole = operation.body && (await requests.valid(operation, { whole: true })).body
  const parts = exclusiveParts[operation.documentId] ?? partsOfOthers[operation.documentId]
  return { request: await requests.valid(operation), whole: parts ? { ...(whole as object), ...parts } : whole }
}

// An alias path has the same schemas.
const isFirstPath = ({ id, documentId }: RestOperation): boolean => documentId === id
const named = operations.map((operation) => [operation.id, operation] as const)

describe.each(named)('%s', (_, operation) => {
  const takesBody = operation.body !== null

  it('refuses a path that names no record', async () => {
    const { request } = await refusable(operation)
    await expectRefused(requests, request, badPaths(request, sweep))
  })

  it('refuses a query that is not allowed', async () => {
    const { request } = await refusable(operation)
    await expectRefused(requests, request, badQueries(request, sweep))
  })

  it('refuses headers that are not allowed', async () => {
    const { request } = await refusable(operation)
    const bad = sweep.choose(`headers ${operation.method}`, operation.id, badHeaders(request), 3)
    await expectRefused(requests, request, bad)
  })

  if (!takesBody) return

  it('refuses a body that is not a JSON object, too large, or of another media type', async () => {
    const { request } = await refusable(operation)
    const bad = [...badBodies(request), ...badTransports(request)]
    await expectRefused(requests, request, sweep.choose(`body ${kindOfRoute(operation)}`, operation.id, bad, 3))
  })

  it('refuses missing, unknown and read-only fields', async () => {
    const { request, whole } = await refusable(operation)
    await expectRefused(requests, request, badShapes(requests, request, whole, sweep))
  })

  if (!isFirstPath(operation)) return

  it('refuses in every field the values that its schema does not allow', async () => {
    const { request, whole } = await refusable(operation)
    await expectRefused(requests, request, badFields(requests, request, whole, sweep))
  })
})

const versioned = named.filter(
  ([, { method, parameters }]) => method !== 'get' && parameters.some(({ name }) => name === 'If-Match'),
)

describe.each(versioned)('%s', (_, operation) => {
  it('refuses another version than that of the record, whatever flags are set', async () => {
    const { request } = await refusable(operation)
    const [flagged, ...others] = otherVersions(requests.contract, request)
    await expectRefused(requests, request, [flagged!, ...sweep.choose('another version', operation.id, others)])
  })
})

const ruled = named
  .filter(([id, operation]) => operation.body !== null && isFirstPath(operation) && !reports.has(id))
  .map(([id, operation]) => [id, operation, valuesAgainstRules(operation, restContract())] as const)
  .filter(([, , values]) => values.length > 0)

describe.each(ruled)('%s', (_, operation, values) => {
  it('refuses what the rules of a field refuse, and changes nothing', async () => {
    const { request } = await refusable(operation)
    const before = await platform.fingerprint()
    const found = await inParallel(values, async ({ name, value }) => {
      const { status, body, text } = await requests.send(request, {
        body: JSON.stringify({ ...(request.body as object), [name]: value }),
      })
      const isRefused = status === 400 && String(body.errors?.[0]?.path).startsWith(name)
      return isRefused ? [] : [`${name} ${JSON.stringify(value)}: ${status} ${text.slice(0, 300)}`]
    })
    expect(found.flat()).toEqual([])
    expect(await platform.fingerprint()).toBe(before)
  })
})

const withoutBody = named.filter(([, { body, takesFile, method }]) => body === null && !takesFile && method !== 'get')

describe.each(withoutBody)('%s', (_, operation) => {
  it('refuses a body with any field', async () => {
    const { request } = await refusable(operation)
    await expectRefused(requests, request, unexpectedBodies())
  })
})

// `test/contract/examples` has accepted requests without a body.
const accepting = named.filter(
  ([, operation]) =>
    !needsOtherParty.has(operation.documentId) && (isFullSweep || operation.body !== null || !isFirstPath(operation)),
)

// Accepted requests run after the refusals, because those check that all stored records are unchanged.
describe.each(accepting)('%s', (_, operation) => {
  it('accepts a valid request', async () => {
    const request = await requests.valid(operation, { fresh: true, whole: true })
    await expectAccepted(requests, request, [{ what: 'everything', change: {} }])
  })

  if (!operation.body || !isFirstPath(operation)) return
  if (acceptedOnlyOnce.has(operation.id) || dependentFields.has(operation.id)) return
  // Its fields are those of the create and the update. The second of several upserts changes the record of the first one.
  if (operation.id.endsWith('Upsert')) return

  it('accepts every boundary value and returns it', async () => {
    const request = await requests.valid(operation, { fresh: true })
    await expectAccepted(requests, request, edgesOf(requests, request, sweep))
  })
})
