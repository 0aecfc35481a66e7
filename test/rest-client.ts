import type { Contract } from '../rest-adapter/contract.ts'
import type { RestOperation } from '../rest-adapter/rest-operation.ts'

/** An HTTP response; `body` is the parsed JSON, or null without a body. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // Tests check the fields of the body that they expect.
  readonly body: any // oxlint-disable-line typescript/no-explicit-any
}

export interface RestCall {
  /** Path parameters, by name. */
  readonly [parameter: string]: unknown
  readonly query?: Readonly<Record<string, string | number | boolean>> | string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type RestClient = Readonly<Record<string, (call?: RestCall) => Promise<Answer>>>

function pathOf(operation: RestOperation, call: RestCall): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(call[name])))
  if (call.query === undefined) return path
  const query =
    typeof call.query === 'string'
      ? call.query
      : new URLSearchParams(
          Object.entries(call.query).map(([name, value]): [string, string] => [name, String(value)]),
        ).toString()
  return `${path}?${query}`
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await textOf(response)
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : isJson ? (JSON.parse(text) as unknown) : text,
  }
}

/** A stream of events has no end, so its beginning is the answer, and the client leaves. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return Buffer.from(value ?? []).toString()
}

/** A function for every operation of the contract, by operationId; sends real HTTP requests with the credential of one caller. */
export function restClient(
  contract: Contract,
  baseUrl: string,
  credential: Readonly<Record<string, string>>,
): RestClient {
  return Object.fromEntries(
    contract.operations.map((operation) => [
      operation.id,
      async (call: RestCall = {}) => {
        const hasBody = call.body !== undefined
        const response = await fetch(baseUrl + pathOf(operation, call), {
          method: operation.method.toUpperCase(),
          headers: { ...(hasBody && { 'content-type': 'application/json' }), ...credential, ...call.headers },
          ...(hasBody && { body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body) }),
        })
        return answerOf(response)
      },
    ]),
  )
}

export type GraphqlClient = (query: string, variables?: object) => Promise<Answer>

/** GraphQL over real HTTP with the credential of one caller. */
export const graphqlClient =
  (baseUrl: string, credential: Readonly<Record<string, string>>): GraphqlClient =>
  async (query, variables = {}) =>
    answerOf(
      await fetch(`${baseUrl}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...credential },
        body: JSON.stringify({ query, variables }),
      }),
    )
