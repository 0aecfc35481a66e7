import type { Router as ExpressRouter } from 'express'
import type { Answer, Serve, ScimHandler } from './scim-call.ts'
import { filterOf, idOf, listOf, pageOf } from './scim-request.ts'
import type { Attributes } from './values.ts'

/** One kind of resource: its GraphQL documents, and the conversion between SCIM and the graph. */
export interface ResourceKind<G> {
  readonly path: string
  /** The resource in error messages: `The user`. */
  readonly label: string
  readonly documents: Readonly<Record<'list' | 'one' | 'create' | 'update' | 'remove', string>>
  readonly filters: readonly string[]
  readonly toScim: (record: G, base: string) => object
  readonly createInput: (body: Attributes) => object
  readonly replaceInput: (body: Attributes) => object
  readonly patchInput: (body: Attributes) => object
}

/** The root field of a document, which is the name of the operation in the API usage of the organization. */
const fieldOf = (document: string): string => /result: (\w+)/.exec(document)![1]!

/** Adds the six operations of every resource (RFC 7644, section 3.2). */
export function addResource<G>(router: ExpressRouter, serve: Serve, kind: ResourceKind<G>): void {
  const { path, label, documents } = kind
  const one = `${path}/:id`
  const answerOf = (record: G, base: string, status = 200): Answer => ({ status, body: kind.toScim(record, base) })
  router.get(
    path,
    serve(fieldOf(documents.list), async ({ req, base, run }) => {
      const page = pageOf(req)
      const filter = filterOf(req, kind.filters)
      const { total, data } = await run<{ total: number; data: G[] }>(documents.list, { ...filter, ...page })
      return listOf(
        data.map((record) => kind.toScim(record, base)),
        total,
        page.startIndex,
      )
    }),
  )
  router.post(
    path,
    serve(fieldOf(documents.create), async ({ base, body, run }) =>
      answerOf(await run<G>(documents.create, { input: kind.createInput(await body()) }), base, 201),
    ),
  )
  router.get(
    one,
    serve(fieldOf(documents.one), async ({ req, base, run }) =>
      answerOf(await run<G>(documents.one, { id: idOf(req, label) }), base),
    ),
  )
  const change = (read: (body: Attributes) => object): ScimHandler => {
    return async ({ req, base, body, run }) => {
      const variables = { id: idOf(req, label), input: read(await body()) }
      return answerOf(await run<G>(documents.update, variables), base)
    }
  }
  router.put(one, serve(fieldOf(documents.update), change(kind.replaceInput)))
  router.patch(one, serve(fieldOf(documents.update), change(kind.patchInput)))
  router.delete(
    one,
    serve(fieldOf(documents.remove), async ({ req, run }) => {
      await run(documents.remove, { id: idOf(req, label) })
      return { status: 204 }
    }),
  )
}
