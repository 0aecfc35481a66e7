import {
  Router,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  type Router as ExpressRouter,
} from 'express'
import { notFound, Refusal } from '../../subgraphs/kernel/errors.ts'
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { groups } from './groups.ts'
import { addResource } from './resource.ts'
import { answer, type Answer, type ScimOptions, type Serve, type ScimHandler } from './scim-call.ts'
import { listOf } from './scim-request.ts'
import { users } from './users.ts'

/** SCIM 2.0 (RFC 7643, RFC 7644): it has its own media type, errors and credential, and uses the same graph as REST. */
export function scimRouter(options: ScimOptions): ExpressRouter {
  const router = Router({ caseSensitive: true })
  const serve =
    (operation: string, handle: ScimHandler): RequestHandler =>
    (req, res) =>
      void answer(options, { operation, handle }, req, res)
  addDiscovery(router, serve)
  addResource(router, serve, users)
  addResource(router, serve, groups)
  refuseOtherMethods(router, serve)
  router.use(
    serve('unknown', () => {
      throw notFound('This path')
    }),
  )
  // Express cannot decode the path, for example because of a single percent sign.
  router.use((_error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const refuse = () => {
      throw notFound('This path')
    }
    void answer(options, { operation: 'unknown', handle: refuse }, req, res)
  })
  return router
}

/** Refuses unsupported methods on every path. Call it after all routes are added. */
function refuseOtherMethods(router: ExpressRouter, serve: Serve): void {
  const routes = router.stack.flatMap(({ route }) => (route ? [route] : []))
  for (const [path, routesOfPath] of Map.groupBy(routes, (route) => route.path)) {
    const methods = routesOfPath.flatMap(({ stack }) => stack.map(({ method }) => method.toUpperCase()))
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    const refuseMethod = serve('unknown', ({ req }) => {
      if (req.method !== 'OPTIONS') {
        throw new Refusal('METHOD_NOT_ALLOWED', `Send one of these methods: ${allow.join(', ')}.`, { allow })
      }
      req.res!.setHeader('Allow', allow.join(', '))
      return { status: 204 }
    })
    router.all(path, refuseMethod)
  }
}

function addDiscovery(router: ExpressRouter, serve: Serve): void {
  router.get(
    '/ServiceProviderConfig',
    serve('scimServiceProviderConfig', ({ base }) => ({ status: 200, body: serviceProviderConfig(base) })),
  )
  router.get(
    '/ResourceTypes',
    serve('scimResourceTypeList', ({ base }) => listOf(resourceTypes(base))),
  )
  router.get(
    '/Schemas',
    serve('scimSchemaList', ({ base }) => listOf(schemas(base))),
  )
  const one = (all: readonly { readonly id?: string }[], id: unknown): Answer => {
    const body = all.find((candidate) => candidate.id === id)
    if (!body) throw notFound('The resource')
    return { status: 200, body }
  }
  router.get(
    '/ResourceTypes/:id',
    serve('scimResourceType', ({ req, base }) => one(resourceTypes(base), req.params['id'])),
  )
  router.get(
    '/Schemas/:id',
    serve('scimSchema', ({ req, base }) => one(schemas(base), req.params['id'])),
  )
}
