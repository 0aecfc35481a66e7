import { groupFields, groupInput, groupResource, type GraphGroup } from './group-resource.ts'
import { patchedGroup } from './patch.ts'
import type { ResourceKind } from './resource.ts'

export const groups: ResourceKind<GraphGroup> = {
  path: '/Groups',
  label: 'The group',
  documents: {
    list: `query($displayName: String, $externalId: String, $startIndex: Int!, $count: Int!) {
      result: scimGroupList(displayName: $displayName, externalId: $externalId, startIndex: $startIndex, count: $count) { total data { ${groupFields} } } }`,
    one: `query($id: ID!) { result: scimGroup(id: $id) { ${groupFields} } }`,
    create: `mutation($input: ScimGroupInput!) { result: scimGroupCreate(input: $input) { ${groupFields} } }`,
    update: `mutation($id: ID!, $input: ScimGroupInput!) { result: scimGroupUpdate(id: $id, input: $input) { ${groupFields} } }`,
    remove: 'mutation($id: ID!) { result: scimGroupDelete(id: $id) }',
  },
  filters: ['displayName', 'externalId'],
  toScim: groupResource,
  createInput: groupInput,
  replaceInput: groupInput,
  patchInput: patchedGroup,
}
