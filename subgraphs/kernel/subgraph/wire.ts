import { answerBytesMax, refusalOfSize, refusalOfSizeWhenDone } from '../answer-size.ts'
import type { OperationContext } from '../context.ts'
import { parseJsonExactly } from '../exact-json.ts'
import { isJsonObject } from '../exact-number.ts'
import type { SubgraphRequest, SubgraphResult } from './endpoint.ts'

/** Most bytes of a request and of an answer between the gateway and a subgraph. */
export const requestBytesMax = 2_000_000
export const wireBytesMax = answerBytesMax + 1_000 /* what is around `data` and `errors` */

/** Whether a document only reads, so that it may be sent again and cancelled. */
export const isQuery = (document: string): boolean => /^\s*(query\b|\{)/.test(document)

interface RequestBody {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly extensions: { readonly context: OperationContext }
}

interface AnswerBody extends Pick<SubgraphResult, 'data' | 'errors'> {
  readonly extensions?: { readonly replayed?: boolean }
}

/** A GraphQL request over HTTP whose extensions say who asks. */
export function writeRequest({ document, variables, context }: SubgraphRequest): string {
  const { caller, requestId, idempotency } = context
  return JSON.stringify({
    query: document,
    variables,
    extensions: { context: { caller, requestId, idempotency } },
  } satisfies RequestBody)
}

/** Throws on what is not a request; that its content is the gateway's, the signature says. */
export function readRequest(text: string): SubgraphRequest {
  const body = parseJsonExactly(text) as Partial<RequestBody> | null
  const { query, variables, extensions } = body ?? {}
  if (typeof query !== 'string' || !variables || !extensions?.context) throw new SyntaxError('not a GraphQL request')
  return { document: query, variables, context: extensions.context }
}

/** An answer that is too large is replaced by its refusal before it is built. */
export function writeAnswer(result: SubgraphResult, isMutation = false): string {
  const tooLarge = isMutation ? refusalOfSizeWhenDone(result) : refusalOfSize(result)
  const { data, errors, replayed }: SubgraphResult = tooLarge ? { errors: [tooLarge.toJSON()] } : result
  const answer: AnswerBody = {
    ...(errors && { errors }),
    data: data ?? null,
    ...(replayed && { extensions: { replayed } }),
  }
  return JSON.stringify(answer)
}

/** Throws on what is not an answer. */
export function readAnswer(text: string): SubgraphResult {
  const { data, errors, extensions } = (parseJsonExactly(text) as AnswerBody | null) ?? {}
  const isAnswer = (isJsonObject(data) || data === null) && (errors === undefined || Array.isArray(errors))
  if (!isAnswer) throw new SyntaxError('not a GraphQL answer')
  return { data, ...(errors && { errors }), ...(extensions?.replayed && { replayed: true }) }
}
