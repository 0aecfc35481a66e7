import { OperationTypeNode, parse, Kind } from 'graphql'
import type { Caller } from '../../kernel/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { NamedCredentials } from '../../kernel/outbound/named-credentials.ts'
import type { Ports } from '../../kernel/request.ts'
import type { SandboxCall } from '../../kernel/sandbox/sandbox.ts'
import { credentialFetchFor, fetchFor, type Send } from './fetch.ts'

/** Cost of a query or a mutation, in the unit of the limit of clients. */
const costMax = 1_000
const documentMax = 65_536

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const invalidCall = (message: string): Refusal => new Refusal('VALIDATION_FAILED', message)

function operationOf(document: string): OperationTypeNode {
  if (document.length > documentMax)
    throw invalidCall(`A document of context.api.graphql must have at most ${documentMax} characters.`)
  try {
    const operations = parse(document).definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
    if (operations.length === 1) return operations[0]!.operation
  } catch (error) {
    throw new Refusal('GRAPHQL_PARSE_FAILED', (error as Error).message)
  }
  throw invalidCall('A document of context.api.graphql must have one operation.')
}

/** What makes the calls of an invocation: in a test, what answers in the place of others. */
export interface CallPorts extends Pick<Ports, 'graph' | 'rest'> {
  readonly outbound: { readonly send: Send }
  readonly credentials: Pick<NamedCredentials, 'send'>
}

/** As much of an invocation as its calls need. */
export interface CallingRun {
  readonly organizationId: string
  readonly invocationId: string
  readonly depth: number
  readonly allowedHosts: readonly string[]
  /** The slug of the app that brought the function; null for one of the organization. */
  readonly managedBy: string | null
  /** What identifies the changes of all attempts of the start; null if every change is tried and rolled back. */
  readonly effectKey: string | null
}

/**
 * Makes the calls of one invocation, as the user as whom the function acts. The key of a mutation is its number among those of all attempts of the
 * start, so an attempt after a crash writes nothing twice.
 */
export function callsOf(
  { graph, rest, outbound, credentials }: CallPorts,
  { organizationId, invocationId, depth, allowedHosts, managedBy, effectKey }: CallingRun,
  caller: Caller,
  limitMs: number,
): (call: SandboxCall, signal: AbortSignal) => Promise<unknown> {
  const endsAt = performance.now() + limitMs
  const timeoutMs = (): number => Math.max(1, Math.ceil(endsAt - performance.now()))
  let writes = 0
  const nextWrite = () =>
    effectKey === null ? ({ dryRun: 'CHANGES' } as const) : { idempotencyKey: `${effectKey}:${writes++}` }

  async function callGraph([document, variables]: readonly unknown[]): Promise<unknown> {
    if (typeof document !== 'string') throw invalidCall('context.api.graphql needs a document as text.')
    if (variables != null && !isJsonObject(variables))
      throw invalidCall('The variables of context.api.graphql must be an object.')
    const query = { document, variables: (variables ?? {}) as Record<string, unknown>, costMax }
    const isRead = operationOf(document) === OperationTypeNode.QUERY
    const options = { requestId: invocationId }
    const { data, errors } = isRead
      ? await graph.read(query, caller, { ...options, timeoutMs: timeoutMs() })
      : await graph.execute(query, caller, { ...options, ...nextWrite() })
    return { data, ...(errors.length > 0 && { errors }) }
  }

  async function callRest([method, path, body]: readonly unknown[]): Promise<unknown> {
    const known = methods.find((one) => one === method)
    if (!known) throw invalidCall(`The method of context.api.rest must be one of ${methods.join(', ')}.`)
    if (typeof path !== 'string') throw invalidCall('The path of context.api.rest must be text, such as /v1/accounts.')
    const options = { requestId: invocationId, idempotencyKey: null, timeoutMs: timeoutMs() }
    return rest.call({ method: known, path, ...(body != null && { body }) }, caller, {
      ...options,
      ...(known !== 'GET' && nextWrite()),
    })
  }

  const rights = { allowedHosts, depth: depth + 1 }

  return ({ kind, arguments: given }) => {
    switch (kind) {
      case 'graphql':
        return callGraph(given)
      case 'fetch':
        return fetchFor((request) => outbound.send(request), rights, given, timeoutMs)
      case 'rest':
        return callRest(given)
      case 'credential':
        return credentialFetchFor(credentials, { organizationId, managedBy }, rights.depth, given, timeoutMs)
    }
  }
}
