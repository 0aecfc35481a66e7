import { groupSchema } from './group-resource.ts'
import { countMax } from './scim-request.ts'
import { enterpriseSchema, userSchema } from './user-resource.ts'

const specification = 'https://datatracker.ietf.org/doc/html/rfc7644'

export const serviceProviderConfig = (base: string): object => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  documentationUri: specification,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: countMax },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token that an owner or admin of the organization created.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

export const resourceTypes = (base: string): object[] =>
  [
    {
      name: 'User',
      endpoint: '/Users',
      schema: userSchema,
      description: 'A user of the organization.',
      schemaExtensions: [{ schema: enterpriseSchema, required: false }],
    },
    { name: 'Group', endpoint: '/Groups', schema: groupSchema, description: 'A team.' },
  ].map((type) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: type.name,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  }))

const attribute = (name: string, more: object = {}): object => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})
const list = (name: string, more: object = {}): object =>
  attribute(name, { type: 'complex', multiValued: true, subAttributes: [attribute('value')], ...more })

const schema = (id: string, name: string, attributes: readonly object[], base: string): object => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  attributes,
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
})

export const schemas = (base: string): { readonly id?: string }[] => [
  schema(
    userSchema,
    'User',
    [
      attribute('userName', { required: true, uniqueness: 'global' }),
      attribute('externalId', { caseExact: true }),
      attribute('displayName'),
      attribute('name', { type: 'complex', subAttributes: [attribute('givenName'), attribute('familyName')] }),
      attribute('active', { type: 'boolean' }),
      list('emails', { mutability: 'readOnly' }),
      list('roles'),
      list('groups', { mutability: 'readOnly' }),
    ],
    base,
  ),
  schema(
    enterpriseSchema,
    'EnterpriseUser',
    [
      attribute('manager', {
        type: 'complex',
        subAttributes: [attribute('value', { caseExact: true }), attribute('displayName', { mutability: 'readOnly' })],
      }),
    ],
    base,
  ),
  schema(
    groupSchema,
    'Group',
    [attribute('displayName', { required: true }), attribute('externalId', { caseExact: true }), list('members')],
    base,
  ),
]
