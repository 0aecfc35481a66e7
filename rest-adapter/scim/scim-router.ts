import { Router, type RequestHandler, type Router as ExpressRouter } from 'express'
import { notFound } from '../../subgraphs/kernel/errors.ts'
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { addGroups } from './groups.ts'
import { answer, type Answer, type ScimOptions, type Serve, type Work } from './scim-call.ts'
import { listOf } from './scim-request.ts'
import { addUsers } from './users.ts'

/** SCIM 2.0 (RFC 7643, RFC 7644): its own media type, errors and credential, in front of the same graph as everything else. */
export function scimRouter(options: ScimOptions): ExpressRouter {
  const router = Router({ caseSensitive: true })
  const serve =
    (work: Work): RequestHandler =>
    (req, res) =>
      void answer(options, work, req, res)
  addDiscovery(router, serve)
  addUsers(router, serve)
  addGroups(router, serve)
  router.use(
    serve(() => {
      throw notFound('This path')
    }),
  )
  return router
}

function addDiscovery(router: ExpressRouter, serve: Serve): void {
  router.get(
    '/ServiceProviderConfig',
    serve(({ base }) => ({ status: 200, body: serviceProviderConfig(base) })),
  )
  router.get(
    '/ResourceTypes',
    serve(({ base }) => listOf(resourceTypes(base))),
  )
  router.get(
    '/Schemas',
    serve(({ base }) => listOf(schemas(base))),
  )
  const one = (all: readonly { readonly id?: string }[], id: unknown): Answer => {
    const body = all.find((candidate) => candidate.id === id)
    if (!body) throw notFound('The resource')
    return { status: 200, body }
  }
  router.get(
    '/ResourceTypes/:id',
    serve(({ req, base }) => one(resourceTypes(base), req.params['id'])),
  )
  router.get(
    '/Schemas/:id',
    serve(({ req, base }) => one(schemas(base), req.params['id'])),
  )
}
