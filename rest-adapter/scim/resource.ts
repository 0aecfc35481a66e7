import type { Router as ExpressRouter } from 'express'
import type { Answer, Serve, Work } from './scim-call.ts'
import { filterOf, idOf, listOf, partOf } from './scim-request.ts'
import type { Attributes } from './values.ts'

/** One kind of resource: what is asked of the graph for it, and how it is read and written in SCIM. */
export interface ResourceKind<G> {
  readonly path: string
  /** Of a refusal: `The user`. */
  readonly what: string
  readonly documents: Readonly<Record<'list' | 'one' | 'create' | 'update' | 'remove', string>>
  readonly filters: readonly string[]
  readonly shown: (record: G, base: string) => object
  readonly created: (body: Attributes) => object
  readonly replaced: (body: Attributes) => object
  readonly patched: (body: Attributes) => object
}

/** What a request is called in the usage of the organization: the field of the graph. */
const fieldOf = (document: string): string => /result: (\w+)/.exec(document)![1]!

/** The six operations that every resource has (RFC 7644, section 3.2). */
export function addResource<G>(router: ExpressRouter, serve: Serve, kind: ResourceKind<G>): void {
  const { path, what, documents } = kind
  const one = `${path}/:id`
  const shown = (record: G, base: string, status = 200): Answer => ({ status, body: kind.shown(record, base) })
  router.get(
    path,
    serve(fieldOf(documents.list), async ({ req, base, run }) => {
      const part = partOf(req)
      const wanted = filterOf(req, kind.filters)
      const { total, data } = await run<{ total: number; data: G[] }>(documents.list, { ...wanted, ...part })
      return listOf(
        data.map((record) => kind.shown(record, base)),
        total,
        part.startIndex,
      )
    }),
  )
  router.post(
    path,
    serve(fieldOf(documents.create), async ({ base, body, run }) =>
      shown(await run<G>(documents.create, { input: kind.created(await body()) }), base, 201),
    ),
  )
  router.get(
    one,
    serve(fieldOf(documents.one), async ({ req, base, run }) =>
      shown(await run<G>(documents.one, { id: idOf(req, what) }), base),
    ),
  )
  const change = (read: (body: Attributes) => object): Work => {
    return async ({ req, base, body, run }) => {
      const variables = { id: idOf(req, what), input: read(await body()) }
      return shown(await run<G>(documents.update, variables), base)
    }
  }
  router.put(one, serve(fieldOf(documents.update), change(kind.replaced)))
  router.patch(one, serve(fieldOf(documents.update), change(kind.patched)))
  router.delete(
    one,
    serve(fieldOf(documents.remove), async ({ req, run }) => {
      await run(documents.remove, { id: idOf(req, what) })
      return { status: 204 }
    }),
  )
}
