import type { Router as ExpressRouter } from 'express'
import { groupFields, groupInput, groupResource, type GraphGroup } from './group-resource.ts'
import { patchedGroup } from './patch.ts'
import type { Answer, Serve, Work } from './scim-call.ts'
import { filterOf, idOf, listOf, partOf } from './scim-request.ts'
import type { Attributes } from './values.ts'

const groups = {
  list: `query($displayName: String, $externalId: String, $startIndex: Int!, $count: Int!) {
    result: scimGroupList(displayName: $displayName, externalId: $externalId, startIndex: $startIndex, count: $count) { total data { ${groupFields} } } }`,
  one: `query($id: ID!) { result: scimGroup(id: $id) { ${groupFields} } }`,
  create: `mutation($input: ScimGroupInput!) { result: scimGroupCreate(input: $input) { ${groupFields} } }`,
  update: `mutation($id: ID!, $input: ScimGroupInput!) { result: scimGroupUpdate(id: $id, input: $input) { ${groupFields} } }`,
  remove: 'mutation($id: ID!) { result: scimGroupDelete(id: $id) }',
}

export function addGroups(router: ExpressRouter, serve: Serve): void {
  const shown = (group: GraphGroup, base: string, status = 200): Answer => ({
    status,
    body: groupResource(group, base),
  })
  router.get(
    '/Groups',
    serve('scimGroupList', async ({ req, base, run }) => {
      const part = partOf(req)
      const wanted = filterOf(req, ['displayName', 'externalId'])
      const { total, data } = await run<{ total: number; data: GraphGroup[] }>(groups.list, { ...wanted, ...part })
      return listOf(
        data.map((group) => groupResource(group, base)),
        total,
        part.startIndex,
      )
    }),
  )
  router.post(
    '/Groups',
    serve('scimGroupCreate', async ({ base, body, run }) => {
      const input = groupInput(await body())
      return shown(await run<GraphGroup>(groups.create, { input }), base, 201)
    }),
  )
  router.get(
    '/Groups/:id',
    serve('scimGroup', async ({ req, base, run }) =>
      shown(await run<GraphGroup>(groups.one, { id: idOf(req, 'The group') }), base),
    ),
  )
  const change = (read: (body: Attributes) => object): Work => {
    return async ({ req, base, body, run }) => {
      const variables = { id: idOf(req, 'The group'), input: read(await body()) }
      return shown(await run<GraphGroup>(groups.update, variables), base)
    }
  }
  router.put('/Groups/:id', serve('scimGroupUpdate', change(groupInput)))
  router.patch('/Groups/:id', serve('scimGroupUpdate', change(patchedGroup)))
  router.delete(
    '/Groups/:id',
    serve('scimGroupDelete', async ({ req, run }) => {
      await run(groups.remove, { id: idOf(req, 'The group') })
      return { status: 204 }
    }),
  )
}
