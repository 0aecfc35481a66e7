import { Router, type NextFunction, type Request, type Response } from 'express'
import { parseBody, readBody, refuseOtherThanJson } from '../edge/body.ts'
import { refuseOtherThan } from '../edge/refuse-other-than.ts'
import {
  limitRequests,
  publicOperations,
  refusalOf,
  tokenOf,
  type PublicDocumentsOptions,
} from '../pages/public-operations.ts'

const base = '/v1/workflow-hooks'
/** Maximum bytes of an inbound request. */
const bodyBytesMax = 65_536

const receiveDocument = `mutation publicWorkflowHookReceive($token: String!, $signature: String!, $body: String!) {
  result: publicWorkflowHookReceive(token: $token, signature: $signature, body: $body) { runId }
}`

interface Receipt {
  readonly runId: string | null
}

/** Requests that start workflows. The signature by the secret of the workflow is the only credential. */
export function workflowHooksRouter(options: PublicDocumentsOptions): Router {
  const run = publicOperations(options)

  async function receive(req: Request, res: Response): Promise<void> {
    refuseOtherThanJson(req.headers)
    const body = await readBody(req, undefined, bodyBytesMax)
    // Refuses a body with so many values that it would block the event loop, whoever has signed it.
    parseBody(body)
    const signature = req.headers['x-service-signature']
    const { result, problem } = await run<Receipt>(req, res, receiveDocument, {
      token: tokenOf(req),
      signature: typeof signature === 'string' ? signature : '',
      body: body.toString('base64'),
    })
    if (!result) throw refusalOf(problem)
    res.status(202).json(result)
  }

  const router = Router({ caseSensitive: true })
  router.use(base, limitRequests(options, 'workflow-hooks'))
  router.post(`${base}/:token`, receive)
  router.all(`${base}/:token`, refuseOtherThan('POST'))
  router.use(base, (error: unknown, req: Request, res: Response, _next: NextFunction) =>
    options.edge.refuse(error, req, res),
  )
  return router
}
