import { Entity } from '@mikro-orm/decorators/legacy'
import { Int, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { headersDescription } from '../../kernel/outbound/header-rules.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import { scopesMax, timeoutBounds, timeoutDefault, urlMax } from './bounds.ts'

export const CredentialAuthType = enumeration(
  'CredentialAuthType',
  'How requests with a named credential authenticate.',
  {
    NONE: 'Not at all, except by `staticHeaders`.',
    API_KEY_HEADER: 'The secret is the value of the header `headerName`.',
    BEARER: 'The secret is the bearer token of the header `Authorization`.',
    BASIC: 'The secret is the password of `username`, by HTTP Basic authentication.',
    OAUTH2_CLIENT_CREDENTIALS:
      'The secret is the client secret of `clientId`. Tokens are fetched from `tokenUrl`, kept until they expire, and fetched again once when a receiver answers 401.',
  },
)
export type CredentialAuthType = keyof typeof CredentialAuthType

export const CredentialSecretStatus = enumeration(
  'CredentialSecretStatus',
  'Whether a named credential has its secret.',
  {
    NOT_NEEDED: 'It needs none.',
    MISSING: 'It needs one and has none: nothing is sent with it.',
    SET: 'It has one, which is never returned.',
  },
)
export type CredentialSecretStatus = keyof typeof CredentialSecretStatus

@ObjectType({
  description:
    'How requests of the organization to one address authenticate: those of functions that name it, of webhooks that have its id, and of hooks and actions whose URL lies under `baseUrl`. A request carries it only to the same origin and to paths that begin with those of `baseUrl` in whole segments, and never after a redirect. Its secret is encrypted and never returned. For owners and admins with a session; API keys cannot call its operations.',
})
@RequiresScopes('SESSION')
@Entity({ schema: 'extensions', tableName: 'named_credential' })
export class NamedCredential extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    writable: 'ON_CREATE',
    max: 48,
    filled: true,
    description:
      'Name by which functions refer to the credential: 2 to 48 lower-case letters, digits and underscores, first a letter. Unique among the named credentials of the organization; it never changes.',
    example: 'erp',
  })
  apiName!: string

  @Column(() => String, { max: 120, filled: true, description: 'Name for people.', example: 'ERP' })
  label!: string

  @Column(() => String, {
    nullable: true,
    max: 1_000,
    description: 'What it is for; null if not described.',
    example: 'Reads stock from the ERP.',
  })
  description!: string | null

  @Column(() => String, {
    max: urlMax,
    filled: true,
    description:
      'Where requests may go with the credential: an https URL without user, query and fragment. With another origin the credential loses its secret.',
    example: 'https://erp.example.com/api/v2',
  })
  baseUrl!: string

  @Column(() => CredentialAuthType, {
    indexed: true,
    description: 'How requests authenticate. With another one the credential loses its secret.',
    example: 'BEARER',
  })
  authType!: CredentialAuthType

  @Column(() => String, {
    nullable: true,
    max: 100,
    description: 'Name of the header with the secret; required for API_KEY_HEADER, otherwise not used. Null if none.',
    example: 'X-Erp-Key',
  })
  headerName!: string | null

  @Column(() => String, {
    nullable: true,
    max: 255,
    description: 'Name of the user, without a colon; required for BASIC, otherwise not used. Null if none.',
    example: 'crm',
  })
  username!: string | null

  @Column(() => String, {
    nullable: true,
    max: urlMax,
    description:
      'Where tokens are issued, an https URL; required for OAUTH2_CLIENT_CREDENTIALS, otherwise not used; null if none. With another origin the credential loses its secret.',
    example: 'https://login.example.com/oauth/token',
  })
  tokenUrl!: string | null

  @Column(() => String, {
    nullable: true,
    max: 255,
    description: 'Client id; required for OAUTH2_CLIENT_CREDENTIALS, otherwise not used. Null if none.',
    example: 'crm-client',
  })
  clientId!: string | null

  @Column(() => [String], {
    max: 200,
    maxItems: scopesMax,
    filled: true,
    description: 'Scopes that are requested with tokens; empty: those that the token endpoint grants by itself.',
    example: ['stock.read'],
  })
  scopes!: string[]

  @Column(() => Json, {
    default: {},
    description: `Further headers of each request, ${headersDescription}. They are no secrets: they are returned. A change replaces all of them.`,
    example: { 'X-Tenant': 'emea' },
  })
  staticHeaders!: Record<string, string>

  @Column(() => Int, {
    ...timeoutBounds,
    default: timeoutDefault,
    description:
      'Milliseconds after which a request with the credential ends without an answer, unless its sender waits for less.',
    example: 5_000,
  })
  timeoutMs!: number

  @Column(() => Boolean, {
    default: true,
    description:
      'Whether requests may use it. While it is off, functions, actions and hooks get CREDENTIAL_INACTIVE, and deliveries of webhooks fail and are retried.',
    example: true,
  })
  isActive!: boolean

  @Column(() => CredentialSecretStatus, {
    indexed: true,
    writable: 'NEVER',
    description:
      'Whether it has the secret that it needs. A secret is set with `PUT /v1/named-credentials/{id}/secret`.',
    example: 'SET',
  })
  secretStatus!: CredentialSecretStatus

  /** The longest secret takes 32,768 bytes, and a third more as text. */
  @Column(() => String, { nullable: true, internal: true, max: 50_000 })
  sealedSecret!: string | null

  @ManagedBy()
  managedBy!: string | null
}
