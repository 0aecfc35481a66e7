import type { Router as ExpressRouter } from 'express'
import { patchedUser } from './patch.ts'
import type { Answer, Serve, Work } from './scim-call.ts'
import { filterOf, idOf, listOf, partOf } from './scim-request.ts'
import { replacedUser, userFields, userInput, userResource, type GraphUser } from './user-resource.ts'
import type { Attributes } from './values.ts'

const users = {
  list: `query($userName: String, $externalId: String, $startIndex: Int!, $count: Int!) {
    result: scimUserList(userName: $userName, externalId: $externalId, startIndex: $startIndex, count: $count) { total data { ${userFields} } } }`,
  one: `query($id: ID!) { result: scimUser(id: $id) { ${userFields} } }`,
  create: `mutation($input: ScimUserInput!) { result: scimUserCreate(input: $input) { ${userFields} } }`,
  update: `mutation($id: ID!, $input: ScimUserInput!) { result: scimUserUpdate(id: $id, input: $input) { ${userFields} } }`,
  remove: 'mutation($id: ID!) { result: scimUserDelete(id: $id) }',
}

export function addUsers(router: ExpressRouter, serve: Serve): void {
  const shown = (user: GraphUser, base: string, status = 200): Answer => ({ status, body: userResource(user, base) })
  router.get(
    '/Users',
    serve('scimUserList', async ({ req, base, run }) => {
      const part = partOf(req)
      const wanted = filterOf(req, ['userName', 'externalId'])
      const { total, data } = await run<{ total: number; data: GraphUser[] }>(users.list, { ...wanted, ...part })
      return listOf(
        data.map((user) => userResource(user, base)),
        total,
        part.startIndex,
      )
    }),
  )
  router.post(
    '/Users',
    serve('scimUserCreate', async ({ base, body, run }) => {
      const input = userInput(await body())
      return shown(await run<GraphUser>(users.create, { input }), base, 201)
    }),
  )
  router.get(
    '/Users/:id',
    serve('scimUser', async ({ req, base, run }) =>
      shown(await run<GraphUser>(users.one, { id: idOf(req, 'The user') }), base),
    ),
  )
  const change = (read: (body: Attributes) => object): Work => {
    return async ({ req, base, body, run }) => {
      const variables = { id: idOf(req, 'The user'), input: read(await body()) }
      return shown(await run<GraphUser>(users.update, variables), base)
    }
  }
  router.put('/Users/:id', serve('scimUserUpdate', change(replacedUser)))
  router.patch('/Users/:id', serve('scimUserUpdate', change(patchedUser)))
  router.delete(
    '/Users/:id',
    serve('scimUserDelete', async ({ req, run }) => {
      await run(users.remove, { id: idOf(req, 'The user') })
      return { status: 204 }
    }),
  )
}
