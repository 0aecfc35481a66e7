import type { ApolloServer, ApolloServerPlugin, HeaderMap, HTTPGraphQLResponse } from '@apollo/server'
import type { Request, Response } from 'express'
import type { GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { parseJsonExactly } from '../../subgraphs/kernel/json/exact-json.ts'
import type { Admission } from '../edge/edge.ts'
import type { GraphResult } from '../graph/graph.ts'
import type { PreparedOperation } from '../graph/prepared-operation.ts'
import { cancellationOf } from '../edge/cancellation-of.ts'
import type { Variables } from '../graph/variable-values.ts'
import { claimOf } from '../edge/idempotency.ts'
import { refuseUnreadable, type Parameters } from './parameters.ts'
import { PersistedQueries } from './persisted-queries.ts'
import { admitOperation } from './admit-operation.ts'
import { preferencesOf } from './preferences.ts'
import type { Ports } from './ports.ts'

/** An admitted request that Apollo Server processes. */
export interface Call {
  readonly req: Request
  readonly res: Response
  readonly admission: Admission
  /** Null for GET, because Apollo Server reads its parameters. */
  readonly posted: { readonly parameters: Parameters; readonly raw: Buffer } | null
}

/** The state of one request. `found` is a nested object, because Apollo Server makes a shallow copy of the context. */
interface Context {
  readonly call: Call
  readonly found: { prepared?: PreparedOperation; result?: GraphResult; thrown?: { readonly error: unknown } }
}

interface Started {
  readonly server: ApolloServer<Context>
  readonly headerMap: new () => HeaderMap
}

const noBody = Buffer.alloc(0)

/**
 * A page of another origin cannot send one of these headers without a CORS preflight, so a GET that has one is not forged. The
 * first two are those of Apollo's clients.
 */
const preflightedHeaders = [
  'x-apollo-operation-name',
  'apollo-require-preflight',
  'x-api-key',
  'authorization',
  'x-csrf-token',
]

/**
 * Apollo Server in front of `Graph`, for GET requests and automatic persisted queries, with its CSRF check. Apollo Server only
 * determines the document; permission and execution are the same as for other requests. It is started with its first request.
 */
export class ApolloFront {
  readonly #ports: Ports
  readonly #log: Logger
  #started: Promise<Started> | null = null

  constructor(ports: Ports, log: Logger) {
    this.#ports = ports
    this.#log = log
  }

  /** Rejects with a `Refusal` if nothing was executed. */
  async run(call: Call): Promise<GraphResult> {
    const { req, posted } = call
    this.#started ??= this.#start()
    const { server, headerMap } = await this.#started
    const headers = new headerMap()
    for (const [name, value] of Object.entries(req.headers)) {
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
    }
    // The Accept header was checked before, and Apollo Server does not support event streams.
    headers.set('accept', 'application/json')
    const search = posted ? '' : searchOf(req)
    await this.#refuseUnprepared(posted?.parameters ?? documentIn(search), call.admission)
    const context: Context = { call, found: {} }
    const response = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: req.method, headers, search, body: posted?.parameters },
      context: async () => context,
    })
    const { thrown, result } = context.found
    if (thrown) throw thrown.error
    return result ?? refuseAsApollo(response)
  }

  /** Checks the document first, because Apollo Server parses without limits and has its own error codes. */
  async #refuseUnprepared(
    { query, operationName }: Pick<Parameters, 'query' | 'operationName'>,
    { caller }: Admission,
  ): Promise<void> {
    if (query !== null) await this.#ports.graph.prepareAsync(query, operationName, caller)
  }

  async #start(): Promise<Started> {
    const { ApolloServer, HeaderMap } = await import('@apollo/server')
    const disabled = await import('@apollo/server/plugin/disabled')
    const server = new ApolloServer<Context>({
      gateway: this.#gateway(),
      plugins: [
        this.#admissionPlugin(),
        disabled.ApolloServerPluginCacheControlDisabled(),
        disabled.ApolloServerPluginInlineTraceDisabled(),
        disabled.ApolloServerPluginLandingPageDisabled(),
        disabled.ApolloServerPluginSchemaReportingDisabled(),
        disabled.ApolloServerPluginUsageReportingDisabled(),
      ],
      nodeEnv: 'production',
      csrfPrevention: { requestHeaders: preflightedHeaders },
      introspection: true,
      dangerouslyDisableValidation: true,
      documentStore: null,
      persistedQueries: { cache: new PersistedQueries() },
      stopOnTerminationSignals: false,
      logger: this.#log,
      stringifyResult: (value) => (value.errors ? JSON.stringify(value) : ''),
    })
    await server.start()
    return { server, headerMap: HeaderMap }
  }

  /** `Graph` with the gateway interface of Apollo Server. */
  #gateway() {
    const { graph } = this.#ports
    type Loaded = { apiSchema: typeof graph.apiSchema; coreSupergraphSdl: string }
    const listeners = new Set<(loaded: Loaded) => void>()
    return {
      onSchemaLoadOrUpdate(listener: (loaded: Loaded) => void) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      load: async () => {
        for (const listener of listeners) listener({ apiSchema: graph.apiSchema, coreSupergraphSdl: '' })
        return {
          executor: async ({ context }: { context: object }) => ({ data: await this.#execute(context as Context) }),
        }
      },
      stop: async () => {},
    }
  }

  #admissionPlugin(): ApolloServerPlugin<Context> {
    return {
      requestDidStart: async () => ({
        didResolveOperation: ({ contextValue: { call, found }, source, request }) =>
          recordingErrors(found, async () => {
            found.prepared = await admitOperation(
              this.#ports,
              call.admission,
              source,
              request.operationName ?? null,
              call.res,
            )
          }),
      }),
    }
  }

  #execute({ call, found }: Context): Promise<GraphResult['data']> {
    return recordingErrors(found, async () => {
      const { prepared } = found
      if (!prepared) throw new Error('an operation was executed without being admitted')
      const { req, res, posted, admission } = call
      const { caller, requestId } = admission
      const variables = posted?.parameters.variables ?? variablesIn(searchOf(req))
      refuseUnreadable(variables)
      const idempotency = prepared.kind === 'mutation' ? claimOf(caller, req, posted?.raw ?? noBody) : null
      const context = {
        caller,
        requestId,
        idempotency,
        cancellation: cancellationOf(prepared.kind, res),
        ...preferencesOf(prepared, req, res),
      }
      found.result = await this.#ports.graph.execute(prepared, variables, context)
      return found.result.data
    })
  }
}

async function recordingErrors<T>(found: Context['found'], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    found.thrown = { error }
    throw error
  }
}

/** The query string without empty parameters, which count as absent (GraphQL over HTTP). */
function searchOf(req: Request): string {
  const [, text = ''] = /\?([^#]*)/.exec(req.originalUrl) ?? []
  const parameters = new URLSearchParams(text)
  for (const name of ['operationName', 'variables', 'extensions']) {
    if (parameters.get(name) === '') parameters.delete(name)
  }
  return parameters.toString()
}

function documentIn(search: string): Pick<Parameters, 'query' | 'operationName'> {
  const parameters = new URLSearchParams(search)
  return { query: parameters.get('query') || null, operationName: parameters.get('operationName') }
}

/** Parses the variables again, because Apollo Server reads numbers as doubles. It has already refused values that are not objects. */
const variablesIn = (search: string): Variables =>
  (parseJsonExactly(new URLSearchParams(search).get('variables') ?? '{}') ?? {}) as Variables

/** Converts a refusal of Apollo Server to a `Refusal` of this API. */
function refuseAsApollo({ status = 500, headers, body }: HTTPGraphQLResponse): never {
  const text = body.kind === 'complete' ? body.string : ''
  const { errors: [error] = [] } = JSON.parse(text || '{}') as { errors?: readonly GraphQLFormattedError[] }
  const message = error?.message.trim() ?? `Apollo Server answered ${status} without an error.`
  if (error?.extensions?.['code'] === 'PERSISTED_QUERY_NOT_FOUND') {
    throw new Refusal('PERSISTED_QUERY_NOT_FOUND', message)
  }
  switch (status) {
    case 400:
      throw new Refusal('VALIDATION_FAILED', message)
    case 405:
      throw new Refusal('METHOD_NOT_ALLOWED', message, { allow: headers.get('allow')?.split(', ') ?? [] })
    case 415:
      throw new Refusal('UNSUPPORTED_MEDIA_TYPE', message)
    default:
      throw new Error(message)
  }
}
