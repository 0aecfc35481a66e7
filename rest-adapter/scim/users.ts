import { patchedUser } from './patch.ts'
import type { ResourceKind } from './resource.ts'
import { replacedUser, userFields, userInput, userResource, type GraphUser } from './user-resource.ts'

export const users: ResourceKind<GraphUser> = {
  path: '/Users',
  label: 'The user',
  documents: {
    list: `query($userName: String, $externalId: String, $startIndex: Int!, $count: Int!) {
      result: scimUserList(userName: $userName, externalId: $externalId, startIndex: $startIndex, count: $count) { total data { ${userFields} } } }`,
    one: `query($id: ID!) { result: scimUser(id: $id) { ${userFields} } }`,
    create: `mutation($input: ScimUserInput!) { result: scimUserCreate(input: $input) { ${userFields} } }`,
    update: `mutation($id: ID!, $input: ScimUserInput!) { result: scimUserUpdate(id: $id, input: $input) { ${userFields} } }`,
    remove: 'mutation($id: ID!) { result: scimUserDelete(id: $id) }',
  },
  filters: ['userName', 'externalId'],
  toScim: userResource,
  createInput: userInput,
  replaceInput: replacedUser,
  patchInput: patchedUser,
}
