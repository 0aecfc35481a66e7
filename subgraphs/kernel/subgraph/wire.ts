import { refusalOfSize, refusalOfSizeWhenDone } from '../json/answer-size.ts'
import type { OperationContext } from '../context.ts'
import { largestLimits, usualLimits, type OperationLimits } from '../operation-limits.ts'
import { parseJsonExactly } from '../json/exact-json.ts'
import { isJsonObject } from '../json/exact-number.ts'
import type { SubgraphRequest, SubgraphResult } from './endpoint.ts'

/** Maximum bytes of a request between the gateway and a subgraph: the largest body, with 1,000,000 bytes for document and context. */
export const requestBytesMax = largestLimits.bodyBytes + 1_000_000
/** Maximum bytes of an answer, with 1,000 bytes for the JSON around `data` and `errors`. */
export const wireBytesMax = ({ limits }: Pick<OperationContext, 'limits'>): number =>
  (limits ?? usualLimits).answerBytes + 1_000

/** Whether a document is a query, which may be retried and cancelled. */
export const isQuery = (document: string): boolean => /^\s*(query\b|\{)/.test(document)

interface RequestBody {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly extensions: { readonly context: OperationContext }
}

interface AnswerBody extends Pick<SubgraphResult, 'data' | 'errors'> {
  readonly extensions?: Pick<SubgraphResult, 'replayed' | 'dryRun'>
}

/** A GraphQL request over HTTP with the caller in its extensions. */
export function writeRequest({ document, variables, context }: SubgraphRequest): string {
  const { caller, requestId, idempotency, operationId, queryName, limits, isAtomic, dryRun, allowsDuplicates } = context
  return JSON.stringify({
    query: document,
    variables,
    extensions: {
      context: { caller, requestId, idempotency, operationId, queryName, limits, isAtomic, dryRun, allowsDuplicates },
    },
  } satisfies RequestBody)
}

/** Throws when the text is not a request. It does not check the content, because the signature proves that the gateway sent it. */
export function readRequest(text: string): SubgraphRequest {
  const body = parseJsonExactly(text) as Partial<RequestBody> | null
  const { query, variables, extensions } = body ?? {}
  if (typeof query !== 'string' || !variables || !extensions?.context) throw new SyntaxError('not a GraphQL request')
  return { document: query, variables, context: extensions.context }
}

/** Replaces an answer that would be too large by a refusal, before its JSON is built. */
export function writeAnswer(
  result: SubgraphResult,
  { isMutation = false, limits }: { readonly isMutation?: boolean; readonly limits?: OperationLimits | undefined } = {},
): string {
  const bytesMax = limits?.answerBytes
  const tooLarge = isMutation ? refusalOfSizeWhenDone(result, bytesMax) : refusalOfSize(result, bytesMax)
  const { data, errors, replayed, dryRun }: SubgraphResult = tooLarge ? { errors: [tooLarge.toJSON()] } : result
  const answer: AnswerBody = {
    ...(errors && { errors }),
    data: data ?? null,
    ...((replayed || dryRun) && { extensions: { ...(replayed && { replayed }), ...(dryRun && { dryRun }) } }),
  }
  return JSON.stringify(answer)
}

/** Throws when the text is not an answer. */
export function readAnswer(text: string): SubgraphResult {
  const { data, errors, extensions } = (parseJsonExactly(text) as AnswerBody | null) ?? {}
  const isAnswer = (isJsonObject(data) || data === null) && (errors === undefined || Array.isArray(errors))
  if (!isAnswer) throw new SyntaxError('not a GraphQL answer')
  return {
    data,
    ...(errors && { errors }),
    ...(extensions?.replayed && { replayed: true }),
    ...(extensions?.dryRun && { dryRun: extensions.dryRun }),
  }
}
