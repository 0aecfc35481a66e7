import { Field, ObjectType } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import type { MeetingProvider } from '../../kernel/credentials/public.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'

@ObjectType({ description: 'An external provider of this deployment.' })
@RequiresScopes('PUBLIC')
export class ConfiguredProvider {
  @Field(() => String, { simple: true, description: 'Name of the provider.' })
  name!: string
}

@ObjectType({ description: 'External providers that this deployment is configured for.' })
@RequiresScopes('PUBLIC')
export class OauthStatus {
  @Field(() => [ConfiguredProvider], {
    simple: true,
    description:
      'Always empty: people sign in with a password or a mailed link. There is no sign-in through an external provider.',
  })
  signInProviders!: ConfiguredProvider[]

  @Field(() => [ConfiguredProvider], {
    simple: true,
    description: 'Meeting providers that can be connected.',
  })
  meetingProviders!: ConfiguredProvider[]
}

@ObjectType({ description: 'A started connection to a meeting provider.' })
@RequiresScopes('SESSION')
export class MeetingAuthorization {
  @Field(() => String, { simple: true, description: 'The URL to open in the browser.' })
  authorizationUrl!: string

  @Field(() => DateTime, { simple: true, description: 'Until when the connection can be completed.' })
  expiresAt!: string
}

@ObjectType({ description: 'A meeting provider that the user has connected. Its tokens are never returned.' })
@RequiresScopes('SESSION')
export class MeetingConnection {
  @Field(() => String, { simple: true, description: 'Name of the provider.' })
  provider!: string

  @Field(() => String, {
    nullable: true,
    simple: true,
    description: 'Scope that the provider granted; null if the provider does not state it.',
  })
  scope!: string | null

  @Field(() => DateTime, { simple: true, description: 'When the provider was connected.' })
  connectedAt!: string

  @Field(() => DateTime, {
    nullable: true,
    simple: true,
    description: 'When the access token of the provider expires; null if the provider does not state it.',
  })
  expiresAt!: string | null
}

export interface StoredConnection extends Pick<MeetingConnection, 'provider' | 'scope' | 'connectedAt'> {
  readonly id: string
  readonly organizationId: string
  readonly userId: string
}

export function providerNamed({ settings }: RequestContext, name: string): MeetingProvider {
  const provider = settings.meetingProviders.find((configured) => configured.name === name)
  if (!provider) throw notFound('The meeting provider')
  return provider
}

/** Must be exactly the redirect URI that is registered at the provider. */
export const redirectUriOf = ({ settings }: RequestContext, { name }: MeetingProvider): string =>
  `${settings.publicUrl}/v1/auth/${name}/callback`

/** The table, row and column that a secret is encrypted for. It cannot be decrypted for another place. */
export const verifierPlace = (organizationId: string, id: string): string =>
  `identity.meeting_state/${organizationId}/${id}/verifier`
export const tokensPlace = (organizationId: string, id: string): string =>
  `identity.meeting_connection/${organizationId}/${id}/tokens`

const sealedColumn = (table: string, column: string, placeOf: typeof tokensPlace): SealedColumn => ({
  table,
  column,
  key: ['organization_id', 'id'],
  organization: 'organization_id',
  place: (row) => placeOf(String(row.organization_id), String(row.id)),
})

export const sealedMeetingColumns: readonly SealedColumn[] = [
  sealedColumn('identity.meeting_state', 'verifier', verifierPlace),
  sealedColumn('identity.meeting_connection', 'tokens', tokensPlace),
]
