import type { Request, RequestHandler, Response } from 'express'
import type { Config } from '../../subgraphs/kernel/config/config.ts'
import { Refusal, isErrorCode, statusOfCode } from '../../subgraphs/kernel/errors.ts'
import { asClientsSee } from '../../subgraphs/kernel/own-load.ts'
import { clientAddress } from '../edge/address.ts'
import { anonymousCaller } from '../edge/credentials.ts'
import type { Edge } from '../edge/edge.ts'
import { requestIdOf } from '../edge/problem.ts'
import type { Graph } from '../graph/graph.ts'
import { setPageHeaders } from './plain-page.ts'

/** What the pages of quotes and invoices need, on which customers without an account act with the secret of a link. */
export interface PublicDocumentsOptions {
  readonly config: Pick<Config, 'ipLimits' | 'trustProxy' | 'payments'>
  readonly edge: Pick<Edge, 'enforceRouteLimits' | 'refuse'>
  readonly graph: Pick<Graph, 'prepare' | 'execute'>
}

export interface Problem {
  readonly code: string
  readonly message: string
  /** Seconds. */
  readonly retryAfter?: number
}

export interface Outcome<Result> {
  readonly result: Result | null
  /** The refusal of the operation. */
  readonly problem: Problem | null
}

export type Variables = Readonly<Record<string, string | boolean | null>>

export const tokenOf = (req: Request): string => String(req.params['token'])

/** Executes an operation of a customer: cookies and keys of the request are ignored, so a page of another site can do nothing with them. */
export const publicOperations =
  ({ config, graph }: PublicDocumentsOptions) =>
  async <Result>(req: Request, res: Response, document: string, variables: Variables): Promise<Outcome<Result>> => {
    const caller = anonymousCaller(clientAddress(req, config.trustProxy), req)
    const context = { caller, requestId: requestIdOf(res), idempotency: null }
    const { data, errors } = await graph.execute(graph.prepare(document), variables, context)
    const [error] = errors ?? []
    const { code, retryAfter } = asClientsSee(error?.extensions) ?? {}
    const problem = error
      ? { code: String(code), message: error.message, ...(typeof retryAfter === 'number' && { retryAfter }) }
      : null
    return { result: (data?.['result'] as Result | null | undefined) ?? null, problem }
  }

/** A file of the graph; its content is in base64. */
export interface SentFile {
  readonly filename: string
  readonly content: string
}

export function sendPdf(res: Response, { filename, content }: SentFile): void {
  setPageHeaders(res)
  res.attachment(filename).type('application/pdf').send(Buffer.from(content, 'base64'))
}

export const limitRequests =
  ({ edge, config }: PublicDocumentsOptions, route: string): RequestHandler =>
  async (req, _res, next) => {
    await edge.enforceRouteLimits(req, route, config.ipLimits)
    next()
  }

/** The refusal of the graph, with its code; without a code of ours it is a defect. */
export const refusalOf = (problem: Problem | null): Error =>
  problem && isErrorCode(problem.code) && statusOfCode[problem.code] !== 500
    ? new Refusal(problem.code, problem.message, problem.retryAfter ? { retryAfter: problem.retryAfter } : {})
    : new Error(problem?.message ?? 'The operation has neither a result nor an error.')
